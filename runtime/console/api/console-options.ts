import type { Definition } from '../../../compiler/definition/definition.ts';

/** What the console may do beyond showing the reference. `kiln dev` gives all of it. */
export interface ConsoleOptions {
  /** Every request to the console's own API carries it. */
  readonly key: string;
  /** How many proxies stand in front, as `TRUST_PROXY` says. Wrong keys are counted for each client. */
  readonly proxies?: number;
  /** `root` in development: the page is at `/` too. */
  readonly place: 'root' | 'docs';
  /** In development, where other machines can reach the page: it asks for the key, which `kiln dev` prints. */
  readonly isKeyPrinted?: boolean;
  /** What `Host` may be, without a port; missing where it may be anything. A web page of others cannot pretend to be one of these. */
  readonly hosts?: readonly string[];
  /** Who may call each endpoint, by `GET /api/post/{post_slug}`. The rules are part of the source, so images do not tell them. */
  readonly access?: (definition: Definition) => Readonly<Record<string, ConsoleAccess>>;
  /** For the development database. */
  readonly actions?: ConsoleActions;
  /** What changed since the last release; null where there is none. Missing where the sources are not at hand. */
  readonly changes?: () => Promise<ReleaseChanges | null>;
}

/** What fails throws an error whose message is for people. Nothing is done once `signal` has fired. */
export interface ConsoleActions {
  populate(populator: string, report: (progress: ActionProgress) => void, signal: AbortSignal): Promise<void>;
  /** Deletes everything, and makes the tables again. */
  reset(signal: AbortSignal): Promise<void>;
}

/** In rows. */
export interface ActionProgress {
  readonly done: number;
  readonly total: number;
}

/** What the page asks for: the value of `CONSOLE_SECRET`, or the key that `kiln dev` prints. */
export type AskedKey = 'secret' | 'printed';

/** Null where the page carries the key. */
export function askedKey({ place, isKeyPrinted }: ConsoleOptions): AskedKey | null {
  if (place === 'docs') return 'secret';
  return isKeyPrinted ? 'printed' : null;
}

// ── Access ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Who may call an endpoint, as `GET /_console/access` tells it. */
export interface ConsoleAccess {
  /** In words of the language: `post.author is @auth`. */
  readonly rule: string;
  /** Which records it gives; null where it gives all. */
  readonly records: string | null;
}

// ── Release changes ──────────────────────────────────────────────────────────────────────────────────────────────────

// What changed since the last release, for the views Models and Reference. The browser's side shares these types.

export interface ReleaseChanges {
  /** How the release is called: `release 3 of main (0123456789ab)`. */
  readonly since: string;
  /** What callers notice. */
  readonly api: readonly ApiLine[];
  /** What is done to the data. */
  readonly data: readonly string[];
  /** By name; models that did not change are missing. */
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
  /** By name; members that did not change are missing. */
  readonly members: Readonly<Record<string, ChangeKind>>;
}
