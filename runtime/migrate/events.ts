/** The events of a migration: plain data, in the order in which they happen. Times are in milliseconds. */
import type { MigrationStatement, MigrationStep } from '../../compiler/definition/migration.ts';
import type { FailedStatement, RefusalReason } from './refusal.ts';

export type MigrateEvent =
  | StartEvent
  | { readonly kind: 'waiting-for-postgres'; readonly server: string; readonly milliseconds: number }
  | { readonly kind: 'waiting-for-lock'; readonly holder: OtherSession | null; readonly milliseconds: number }
  | WaitingForServersEvent
  | ContractEvent
  | WithdrawEvent
  | (Omit<ContractEvent, 'kind'> & { readonly kind: 'release'; readonly of: number })
  | (StepPosition & { readonly kind: 'step'; readonly how: MigrationStep['kind'] })
  /** It is done, though in a transaction that may still be taken back. */
  | (StepPosition & { readonly kind: 'statement'; readonly says: string; readonly milliseconds: number })
  | BlockedEvent
  | BatchEvent
  /** A backfill waits until a standby has caught up. Told at first, and then every few seconds. */
  | (StepPosition & { readonly kind: 'standby-behind'; readonly standby: string; readonly bytes: number })
  | IndexEvent
  | (OfRelease & { readonly kind: `${'release' | 'contract' | 'withdraw'}-done`; readonly milliseconds: number })
  | { readonly kind: 'warning'; readonly message: string }
  | WouldRunEvent
  | DoneEvent
  | RefusedEvent;

export interface StartEvent {
  readonly kind: 'start';
  readonly database: string;
  /** How many releases the database has; `null` where it is empty. */
  readonly at: number | null;
  /** How many the chain has. */
  readonly of: number;
}

/** The release's place in the chain, counted from 1. */
export interface OfRelease {
  readonly position: number;
  readonly revision: string;
}

export interface StepPosition extends OfRelease {
  readonly step: number;
  readonly steps: number;
  /** The phase, where the steps belong to a contraction or a withdrawal. */
  readonly phase?: 'contract' | 'withdraw';
}

/** Servers are still connected that would not work afterwards. */
export interface WaitingForServersEvent extends OfRelease {
  readonly kind: 'waiting-for-servers';
  /** The next action when they are gone: the release is applied, or contracted. */
  readonly next: 'release' | 'contraction';
  readonly servers: readonly ConnectedRelease[];
  /** How long the job has waited for them. */
  readonly milliseconds: number;
  /** How long the job will still wait for them. */
  readonly left: number;
}

/** The parts that only the previous release needed are being removed. */
interface ContractEvent extends OfRelease {
  readonly kind: 'contract';
  readonly steps: number;
  /** The steps that a previous run has done. */
  readonly stepsDone: number;
}

/** A release that a later one gives up is undone, as far as it was begun. */
export interface WithdrawEvent extends OfRelease {
  readonly kind: 'withdraw';
  /** The position of the release that gives it up. */
  readonly by: number;
  /** How many are still to be run. */
  readonly steps: number;
}

/** A lock was not to be had, and all of the step is tried again. Told at first, and then every few seconds. */
export interface BlockedEvent {
  readonly kind: 'blocked';
  readonly what: string;
  readonly attempt: number;
  /** How long it will be tried before the job gives up. */
  readonly left: number;
  readonly blockers: readonly OtherSession[];
}

export interface BatchEvent extends StepPosition {
  readonly kind: 'batch';
  readonly table: string;
  readonly column: string;
  /** Filled by this run. */
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** How far it is, from 0 to 1, with what runs before this one have filled. */
  readonly share: number;
  /** An estimate; `null` where it is too early for one. */
  readonly secondsLeft: number | null;
  readonly isLast: boolean;
}

interface IndexEvent {
  readonly kind: 'index';
  readonly name: string;
  /** The phase in the words of Postgres. */
  readonly phase: string;
  /** The done share of this phase, from 0 to 1; `null` where Postgres does not state it. */
  readonly share: number | null;
}

/** A statement of a dry run. */
export interface WouldRunEvent extends StepPosition {
  readonly kind: 'would-run';
  /** `schema` makes all of an empty database at once. */
  readonly how: MigrationStep['kind'] | 'schema';
  readonly statements: readonly MigrationStatement[];
  /** The statement that selects the ids of a batch, for a backfill. */
  readonly pending: string | null;
}

/** The release is that of the database. */
export interface DoneEvent extends OfRelease {
  readonly kind: 'done';
  readonly isDryRun: boolean;
  /** How many releases the database has more than this image, which works with it nevertheless. */
  readonly ahead: number;
  /** Whether the last of those is not complete yet. */
  readonly isUnderWay: boolean;
  /** The revisions that this run has brought, or would bring. */
  readonly applied: readonly string[];
  /** The revisions that this run has contracted, or would contract. */
  readonly contracted: readonly string[];
  /** The revisions that this run has withdrawn, or would withdraw. */
  readonly withdrawn: readonly string[];
  /** The parts that are removed once no server of the previous release is connected. */
  readonly pending: PendingContraction | null;
  readonly milliseconds: number;
}

export interface PendingContraction extends OfRelease {
  readonly steps: number;
}

export interface RefusedEvent {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly message: string;
  readonly details: readonly string[];
  readonly failure: FailedStatement | null;
  readonly applied: readonly string[];
}

/** Another session at the database. Its statement is not shown: there may be data in it. */
export interface OtherSession {
  readonly pid: number;
  readonly name: string;
  readonly state: string | null;
  /** How long its transaction has been open, in seconds. */
  readonly seconds: number | null;
}

export type Report = (event: MigrateEvent) => void;

/** Says whether something is to be told now: at first, and then again after each interval in milliseconds. */
export function nowAndThen(interval: number): () => boolean {
  let told = Number.NEGATIVE_INFINITY;
  return () => {
    const isDue = performance.now() - told >= interval;
    if (isDue) told = performance.now();
    return isDue;
  };
}

/** Steps of a contraction and of a withdrawal are counted by themselves. */
export function stepText({ step, phase }: Pick<StepPosition, 'step' | 'phase'>): string {
  return `${phase ? WORDS[phase] : ''}step ${step}`;
}

const WORDS = { contract: 'contraction ', withdraw: 'withdrawal ' } as const;

// The other sessions at the database, in words.

/** `"psql" (pid 4711, idle in transaction, for 310 s)` */
export function sessionText({ name, pid, state, seconds }: OtherSession): string {
  const about = [
    ...(pid > 0 ? [`pid ${pid}`] : []),
    ...(state ? [state] : []),
    ...(seconds === null ? [] : [`for ${Math.round(seconds)} s`]),
  ];
  return `"${name}"${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}

/** `"kiln 7 3f9a1c5b2d4e": 12 connections, the oldest for 310 s` */
export function connectedText({ name, connections, seconds }: ConnectedRelease): string {
  const count = connections === 1 ? '1 connection' : `${connections} connections`;
  return `"${name}": ${count}${seconds === null ? '' : `, the oldest for ${Math.round(seconds)} s`}`;
}

export interface ConnectedRelease {
  /** `kiln 7 3f9a1c5b2d4e`; `kiln` alone is an image that does not say its release. */
  readonly name: string;
  readonly connections: number;
  /** How long the oldest connection has been open, in seconds; null where this role may not see it. */
  readonly seconds: number | null;
}
