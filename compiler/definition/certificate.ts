/**
 * The effects of a statement of a migration in Postgres, compared with the prediction of the compiler: plain data, made
 * by `migrate --certify`, read by the test of a push.
 */
export interface CertifiedStatement {
  /** The position in the release, from 1. */
  readonly position: number;
  readonly phase?: 'contract' | 'withdraw';
  readonly step: number;
  readonly says: string;
  readonly predicted: Effects;
  /**
   * The observed effects; null if nothing could be observed: a backfill without rows, or an index that existed already.
   */
  readonly observed: Effects | null;
  /** Present if the statement ran unobserved. */
  readonly isUnseen?: true;
  /** Effects that were observed but not predicted, or were stronger than predicted. This is a bug in Kiln. */
  readonly unpredicted: Effects;
  /** Effects that were predicted but not observed, although something could be observed. */
  readonly missing: Effects;
}

/** Effects on tables that existed before the release. */
export interface Effects {
  readonly locks: readonly TableLock[];
  readonly rewrites: readonly string[];
}

export interface TableLock {
  readonly table: string;
  /** The lock mode in the words of Postgres: `ACCESS EXCLUSIVE`. */
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

/** The effects of a statement, and the prediction if it differs. */
export function certifiedText(statement: CertifiedStatement): string {
  const { says, predicted, observed } = statement;
  if (statement.isUnseen) return `${says}: predicted ${effectsText(predicted)}, not observed`;
  if (observed === null) return `${says}: predicted ${effectsText(predicted)}, nothing to do`;
  if (isAsPredicted(statement)) return `${says}: ${effectsText(observed)}`;
  return `${says}: predicted ${effectsText(predicted)}, observed ${effectsText(observed)}`;
}
