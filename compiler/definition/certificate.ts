/**
 * What Postgres did for a statement of a migration, held against what the compiler had predicted: plain data, made by
 * `migrate --certify`, read by the test of a push.
 */
export interface CertifiedStatement {
  /** Of the release, from 1. */
  readonly position: number;
  readonly phase?: 'contract' | 'withdraw';
  readonly step: number;
  readonly says: string;
  readonly predicted: Effects;
  /** Null where nothing could be observed: a backfill that found no rows, or an index that was there already. */
  readonly observed: Effects | null;
  /** Present where it was carried out without being looked at. */
  readonly isUnseen?: true;
  /** What was observed and not predicted, or stronger than predicted. A mistake of Kiln. */
  readonly unpredicted: Effects;
  /** What was predicted and not observed, though something could be observed. */
  readonly missing: Effects;
}

/** On tables that were there before the release. */
export interface Effects {
  readonly locks: readonly TableLock[];
  readonly rewrites: readonly string[];
}

export interface TableLock {
  readonly table: string;
  /** As Postgres writes it: `ACCESS EXCLUSIVE`. */
  readonly mode: string;
}

export function hasEffects({ locks, rewrites }: Effects): boolean {
  return locks.length + rewrites.length > 0;
}

/** `ACCESS EXCLUSIVE on "post", rewrites "post"`, or `nothing`. */
export function effectsText({ locks, rewrites }: Effects): string {
  const parts = [
    ...locks.map(({ table, mode }) => `${mode} on "${table}"`),
    ...rewrites.map((table) => `rewrites "${table}"`),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Whether the prediction was neither too weak nor too strong. */
export function isAsPredicted({ unpredicted, missing }: CertifiedStatement): boolean {
  return !hasEffects(unpredicted) && !hasEffects(missing);
}

/** What it did, and what was predicted where that is not the same. */
export function certifiedText(statement: CertifiedStatement): string {
  const { says, predicted, observed } = statement;
  if (statement.isUnseen) return `${says}: predicted ${effectsText(predicted)}, not observed`;
  if (observed === null) return `${says}: predicted ${effectsText(predicted)}, nothing to do`;
  if (isAsPredicted(statement)) return `${says}: ${effectsText(observed)}`;
  return `${says}: predicted ${effectsText(predicted)}, observed ${effectsText(observed)}`;
}
