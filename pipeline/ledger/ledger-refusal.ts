/** A ledger does not allow what is asked for. The message is a sentence for the user, without a full stop. */
export class LedgerRefusal extends Error {
  readonly kind: LedgerRefusalKind;

  constructor(kind: LedgerRefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

type LedgerRefusalKind =
  /** What the reference leads to is no chain of releases. */
  | 'damaged'
  /** Another build has appended a release since the ledger was read: read it again, and compare anew. */
  | 'overtaken'
  | 'locked'
  /** It was made by a newer Kiln, which this one does not understand. */
  | 'newer'
  | 'bad-branch'
  | 'bad-name';
