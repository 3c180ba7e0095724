/**
 * The certificate of a migration: while the database of the previous release is upgraded, `migrate` reads which locks each
 * statement took and which tables it rewrote. That must be what was predicted, since people decide by the prediction.
 */
import {
  type CertifiedStatement,
  certifiedText,
  effectsText,
  hasEffects,
  isAsPredicted,
} from '../../compiler/definition/certificate.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { SmokeFailure } from './deadline.ts';
import type { Verdict } from './steps.ts';

export type Certificate = readonly CertifiedStatement[];

/**
 * `position` is that of the first release that is new to the database. What was predicted wrongly for an earlier one, whose contraction comes first, is
 * recorded and cannot be put right any more: it is a warning.
 */
export function certificateVerdict(certificate: Certificate, position: number): Verdict {
  const wrong = certificate.filter(({ unpredicted }) => hasEffects(unpredicted));
  const [own] = wrong.filter((statement) => statement.position >= position);
  const isExact = certificate.every((statement) => isAsPredicted(statement) && !statement.isUnseen);
  return {
    of: 'migration',
    outcome: own ? 'failed' : isExact ? 'passed' : 'warned',
    says: own ? failure(own) : sentence(certificate, wrong),
    details: certificate.map(certifiedText),
  };
}

/** Throws a bug report: the author cannot be the cause, since the prediction is made from the same steps. */
export function mustNotFail({ outcome, says, details }: Verdict): void {
  if (outcome !== 'failed') return;
  const why = 'Requests would wait longer than this push predicted';
  throw new SmokeFailure(`${says}. ${why}. This is a bug of Kiln: please report it.`, details);
}

/** The verdict of a first release: nobody waits where there is no database of a previous release. */
export const FIRST_RELEASE: Verdict = {
  of: 'migration',
  outcome: 'skipped',
  says: 'there is no database of a previous release to upgrade',
  details: [],
};

function sentence(certificate: readonly CertifiedStatement[], wrong: readonly CertifiedStatement[]): string {
  if (certificate.length === 0) return 'the database needs no change';
  const observed = certificate.filter((statement) => statement.observed !== null);
  const unseen = certificate.filter(({ isUnseen }) => isUnseen).length;
  const idle = certificate.length - observed.length - unseen;
  const rest = [
    ...(idle === 0 ? [] : [`, ${plural(idle, 'statement')} had nothing to do`]),
    ...(unseen === 0 ? [] : [`, ${plural(unseen, 'statement')} could not be observed`]),
  ].join('');
  if (wrong.length > 0)
    return `${plural(wrong.length, 'statement')} of an earlier release did more than was predicted${rest}`;
  const less = observed.filter(({ missing }) => hasEffects(missing)).length;
  if (less > 0)
    return `${plural(observed.length, 'statement')} did no more than was predicted, ${less} of them did less${rest}`;
  return `${plural(observed.length, 'statement')} did what was predicted${rest}`;
}

function failure({ says, unpredicted, predicted }: CertifiedStatement): string {
  const what = `Postgres did what was not predicted to ${says}`;
  return `${what}: ${effectsText(unpredicted)}, where ${effectsText(predicted)} was predicted`;
}

// ── Migrate events ───────────────────────────────────────────────────────────────────────────────────────────────────

// The events of `migrate --json` that the test of a push reads.

interface RefusedEvent {
  readonly kind: 'refused';
  /** `failed` where Postgres, or a step itself, has stopped a release. */
  readonly reason: string;
  readonly message: string;
  readonly details: readonly string[];
  /** The statement that Postgres refused. */
  readonly failure: { readonly step: number; readonly phase?: string; readonly sqlState: string } | null;
}

type MigrateEvent = RefusedEvent | ({ readonly kind: 'certified' } & CertifiedStatement);

export function refusalIn(lines: readonly string[]): RefusedEvent | undefined {
  return eventsIn(lines).find((event) => event.kind === 'refused');
}

export function certificateIn(lines: readonly string[]): readonly CertifiedStatement[] {
  return eventsIn(lines).flatMap((event) => (event.kind === 'certified' ? [event] : []));
}

/** A line that is no event is a message of Node, which ends the process. */
function eventsIn(lines: readonly string[]): readonly MigrateEvent[] {
  return lines.filter((line) => line.startsWith('{"time"')).map((line) => JSON.parse(line) as MigrateEvent);
}
