import type { Definition } from '../../../compiler/definition/definition.ts';

/** The features of the console beyond the reference. `kiln dev` turns all of them on. */
export interface ConsoleOptions {
  /** Every request to the console's own API carries it. */
  readonly key: string;
  /** How many proxies stand in front, as `TRUST_PROXY` says. Wrong keys are counted for each client. */
  readonly proxies?: number;
  /** `root` in development: the page is at `/` too. */
  readonly place: 'root' | 'docs';
  /** Whether the page asks for the key that `kiln dev` prints: in development, where other machines can reach it. */
  readonly isKeyPrinted?: boolean;
  /**
   * The allowed values of `Host`, without a port; missing where it may be anything. A web page of others cannot pretend
   * to be one of these.
   */
  readonly hosts?: readonly string[];
  /**
   * The access rules of each endpoint, by `GET /api/post/{post_slug}`. The rules are part of the source, so images do
   * not show them.
   */
  readonly access?: (definition: Definition) => Readonly<Record<string, ConsoleAccess>>;
  /** The actions on the development database. */
  readonly actions?: ConsoleActions;
  /** What the console does with the sources. */
  readonly sources?: SourceActions;
  /** The changes since the last release; null where there is none. Missing where the sources are not available. */
  readonly changes?: () => Promise<ReleaseChanges | null>;
}

/** The actions throw errors whose messages are for people. They do nothing once `signal` has fired. */
export interface ConsoleActions {
  populate(populator: string, report: (progress: ActionProgress) => void, signal: AbortSignal): Promise<void>;
  /** Deletes everything, and makes the tables again. */
  reset(signal: AbortSignal): Promise<void>;
}

export interface SourceActions {
  /** Answers the question about data that the last save would delete. */
  answer(question: string, answer: string): void;
  /** Fixes a problem of the last save, by its place in the list and its message. False where the sources have changed. */
  fix(at: number, message: string): boolean;
}

/** The progress, in rows. */
export interface ActionProgress {
  readonly done: number;
  readonly total: number;
}

/** The key that the page asks for: the value of `CONSOLE_SECRET`, or the key that `kiln dev` prints. */
export type AskedKey = 'secret' | 'printed';

/** The key that the page asks for; null where the page carries the key. */
export function askedKey({ place, isKeyPrinted }: ConsoleOptions): AskedKey | null {
  if (place === 'docs') return 'secret';
  return isKeyPrinted ? 'printed' : null;
}

// ── Access ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The access rule of an endpoint, as `GET /_console/access` returns it. */
export interface ConsoleAccess {
  /** The rule in words of the language: `post.author is @auth`. */
  readonly rule: string;
  /** The condition on the returned records; null where all are returned. */
  readonly records: string | null;
}

// ── Release changes ──────────────────────────────────────────────────────────────────────────────────────────────────

// The changes since the last release, for the views Models and Reference. The browser's side shares these types.

export interface ReleaseChanges {
  /** How the release is called: `release 3 of main (0123456789ab)`. */
  readonly since: string;
  /** The changes that callers notice. */
  readonly api: readonly ApiLine[];
  /** The steps that change the data. */
  readonly data: readonly string[];
  /** The changes by model; models that did not change are missing. */
  readonly models: Readonly<Record<string, ModelChange>>;
}

interface ApiLine {
  /** `GET /posts/{slug}`; null where it is about more than one endpoint. */
  readonly endpoint: string | null;
  readonly level: 'breaking' | 'compatible';
  readonly says: string;
}

export type ChangeKind = 'added' | 'changed' | 'removed';

export interface ModelChange {
  readonly change: ChangeKind;
  /** The changes by member; members that did not change are missing. */
  readonly members: Readonly<Record<string, ChangeKind>>;
}
