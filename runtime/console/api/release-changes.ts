/** What changed since the last release, for the views Models and Reference. The browser's side shares these types. */

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
