/** Events as lines for people. Those of a dry run are SQL, in which all else is a comment. */
import { hazardText, type MigrationStatement } from '../../compiler/definition/migration.ts';
import { shortRevision } from '../query/database-release.ts';
import { megabytes } from './backfill-step.ts';
import {
  type BatchEvent,
  type BlockedEvent,
  connectedText,
  type DoneEvent,
  type MigrateEvent,
  type OfRelease,
  type PendingContraction,
  type RefusedEvent,
  type StartEvent,
  type StepPosition,
  sessionText,
  stepText,
  type WaitingForServersEvent,
  type WithdrawEvent,
  type WouldRunEvent,
} from './events.ts';

export function textFromEvent(event: MigrateEvent): readonly string[] {
  return (TEXTS[event.kind] as (event: MigrateEvent) => readonly string[])(event);
}

type Texts = { readonly [Kind in MigrateEvent['kind']]: (event: MigrateEvent & { kind: Kind }) => readonly string[] };

const TEXTS: Texts = {
  start: (event) => [startText(event)],
  'waiting-for-postgres': ({ server, milliseconds }) => [
    `Postgres at ${server} does not respond yet. Waiting for up to ${milliseconds / 1000} s.`,
  ],
  'waiting-for-lock': ({ holder }) => [
    `Another migration is running${holder ? `: ${sessionText(holder)}` : ''}. Waiting for it.`,
  ],
  'waiting-for-servers': waitingText,
  contract: (event) => [
    `Contraction of ${releaseText(event)}: what only the previous release needed${resumedText(event.stepsDone)}`,
  ],
  'contract-done': ({ position, milliseconds }) => [`Release ${position} is contracted: ${milliseconds} ms`],
  withdraw: (event) => [withdrawText(event)],
  'withdraw-done': ({ position, milliseconds }) => [`Release ${position} is withdrawn: ${milliseconds} ms`],
  release: ({ position, of, revision, stepsDone }) => [
    `Release ${position} of ${of} (${shortRevision(revision)})${resumedText(stepsDone)}`,
  ],
  'release-done': ({ position, milliseconds }) => [`Release ${position} is applied: ${milliseconds} ms`],
  step: () => [],
  statement: (event) => [`  ${placeText(event)} ${event.says}: ${event.milliseconds} ms`],
  blocked: (event) => [`  ${blockedText(event)}`],
  batch: (event) => [`  ${placeText(event)} ${batchText(event)}`],
  'standby-behind': (event) => [
    `  ${placeText(event)} waiting for the standby "${event.standby}", which is ${megabytes(event.bytes)} behind`,
  ],
  index: ({ name, phase, share }) => [`  "${name}": ${phase}${share === null ? '' : `, ${Math.floor(share * 100)} %`}`],
  warning: ({ message }) => [`Warning: ${message}`],
  'would-run': sqlFromEvent,
  done: doneText,
  refused: refusedText,
};

function startText({ database, at, of }: StartEvent): string {
  if (at === null) return `The database "${database}" is empty.`;
  if (at > of) return `The database "${database}" is at release ${at}, and this image is release ${of}.`;
  return `The database "${database}" is at release ${at} of ${of}.`;
}

function withdrawText(event: WithdrawEvent): string {
  const { position, by, steps } = event;
  const releases = by === position + 1 ? releaseText(event) : `releases ${position} to ${by - 1}`;
  const what = steps === 0 ? 'there is nothing to undo' : 'undoing what was begun';
  return `Release ${by} withdraws ${releases}: ${what}`;
}

function resumedText(stepsDone: number): string {
  return stepsDone === 0 ? '' : `, continuing after step ${stepsDone}`;
}

function placeText({ step, steps }: StepPosition): string {
  return `[${step}/${steps}]`;
}

function blockedText({ what, attempt, left, blockers }: BlockedEvent): string {
  const by = blockers.length > 0 ? ` Blocked by ${blockers.map(sessionText).join(', ')}.` : '';
  return `No lock to ${what}, attempt ${attempt}.${by} Trying again for up to ${Math.round(left / 1000)} s.`;
}

function batchText({ table, column, rows, rowsPerSecond, share, secondsLeft, isLast }: BatchEvent): string {
  const work = `${rows === 1 ? '1 row' : `${rows} rows`}, ${rowsPerSecond} a second`;
  if (isLast) return `filled "${table}.${column}": ${work}`;
  const left = secondsLeft === null ? '' : `, about ${durationText(secondsLeft)} left`;
  return `filling "${table}.${column}": ${Math.floor(share * 100)} %, ${work}${left}`;
}

/** `40 s`, `12 min`, `3 h 20 min` */
function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function waitingText({ next, position, servers, left }: WaitingForServersEvent): readonly string[] {
  return [
    `Servers of older releases are connected. Release ${position} is ${next === 'release' ? 'applied' : 'contracted'} when they are gone; waiting for up to ${Math.ceil(left / 1000)} s.`,
    ...servers.map((server) => `  ${connectedText(server)}`),
  ];
}

function releaseText({ position, revision }: OfRelease): string {
  return `release ${position} (${shortRevision(revision)})`;
}

function doneText(event: DoneEvent): readonly string[] {
  const { isDryRun, pending } = event;
  const lines = [resultText(event), ...(pending ? [pendingText(pending)] : [])];
  return isDryRun ? lines.map((line) => `-- ${line}`) : lines;
}

function resultText(event: DoneEvent): string {
  const { isDryRun, applied, contracted, ahead, milliseconds } = event;
  const at = releaseText(event);
  if (ahead > 0) return `Nothing to do: the database is ${aheadText(event)}, and works with this image too.`;
  if (applied.length + contracted.length === 0) return `Nothing to do: the database is at ${at}.`;
  return isDryRun ? `Then it is at ${at}.` : `Done: the database is at ${at}, after ${milliseconds} ms.`;
}

function aheadText(event: DoneEvent): string {
  const { ahead, isUnderWay } = event;
  if (isUnderWay) return `on its way to ${releaseText(event)}`;
  return `${ahead === 1 ? 'one release' : `${ahead} releases`} ahead, at ${releaseText(event)}`;
}

function pendingText(pending: PendingContraction): string {
  const { position, steps } = pending;
  const count = steps === 1 ? '1 step' : `${steps} steps`;
  return `Pending: the contraction of ${releaseText(pending)}, ${count}. \`migrate --contract\` does it when no server of a release before ${position} is connected; so does the next release.`;
}

function refusedText({ reason, message, details, failure }: RefusedEvent): readonly string[] {
  const where = failure
    ? ` Release ${failure.position} (${shortRevision(failure.revision)}), ${stepText(failure)}.`
    : '';
  return [`Refused (${reason}): ${message}${where}`, ...details.map((detail) => `  ${detail}`)];
}

// ── Sql from event ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Prints the statements of a step, with their hazards as comments. */
function sqlFromEvent(event: WouldRunEvent): readonly string[] {
  const { position, revision, steps, how, statements } = event;
  const head = `-- Release ${position} (${shortRevision(revision)}), ${stepText(event)} of ${steps}: ${HOW[how]}`;
  const lines = how === 'backfill' ? batchSql(event) : statements.flatMap(statementSql);
  const isTransaction = how === 'transaction' || how === 'schema';
  return [head, ...(isTransaction ? ['BEGIN;', ...lines, 'COMMIT;'] : lines), ''];
}

const HOW: Readonly<Record<WouldRunEvent['how'], string>> = {
  schema: 'all tables at once',
  transaction: 'in a transaction',
  index: 'outside of any transaction',
  backfill: 'in batches, each in a transaction',
};

function statementSql({ sql, says, hazards }: MigrationStatement): readonly string[] {
  return [
    `-- ${says}`,
    ...hazards.map((hazard) => `-- Hazard: ${hazardText(hazard)}`),
    `${sql.trim().replace(/;$/, '')};`,
  ];
}

/** Prints a batch as a comment, because it has parameters and cannot be run as it is. */
function batchSql({ statements, pending }: WouldRunEvent): readonly string[] {
  const [first, ...rest] = statements.flatMap(statementSql).flatMap((text) => text.split('\n'));
  const asComment = (line: string) => (line.startsWith('-- ') ? line : `--   ${line}`);
  const ids = `-- for the ids of:\n${asComment(pending ?? '')}`;
  return [...(first ? [asComment(first)] : []), ...rest.map(asComment), ids];
}
