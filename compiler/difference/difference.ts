/**
 * The changes from one definition to another, for callers of the API, owners of the data and operators of the
 * application. Each line names its subject; the place in the source is found afterwards, because a definition has no
 * places.
 */
import type { Hazard } from '../definition/migration.ts';

export interface Line {
  /** One sentence, without a full stop. */
  readonly says: string;
  readonly subject: Subject;
}

/** The subject of a line. If the later definition no longer has it, it is the one of the earlier definition. */
export type Subject =
  | { readonly kind: 'endpoint'; readonly id: string; readonly input?: string }
  | { readonly kind: 'model'; readonly name: string; readonly member?: string }
  | { readonly kind: 'enum'; readonly name: string }
  | { readonly kind: 'setting'; readonly name: string }
  | { readonly kind: 'job' | 'schedule'; readonly name: string }
  | { readonly kind: 'reaction'; readonly event: string; readonly model: string }
  | { readonly kind: 'application' };

export interface ApiChange extends Line {
  /** `GET /posts/{slug}`, as it is now, or was before it was removed. Null if it is about more than one. */
  readonly endpoint: string | null;
  readonly level: 'breaking' | 'compatible';
  /** The rule that says so; docs/compatibility.md has each of them. */
  readonly rule: string;
}

export interface DataDifference {
  /** The steps in the order in which they run. */
  readonly steps: readonly DataStep[];
  /** The steps that run later, when the previous release is no longer served. */
  readonly later: readonly DataStep[];
}

export interface DataStep extends Line {
  readonly hazards: readonly Hazard[];
}

export interface AccessChange extends Line {
  readonly endpoint: string;
  /** `other` if both conditions exist and neither is known to imply the other. */
  readonly direction: 'weaker' | 'stricter' | 'other' | 'new' | 'removed';
  /** The access before; null if the endpoint is new. */
  readonly before: Access | null;
  /** The access after; null if the endpoint was removed. */
  readonly after: Access | null;
}

export interface SettingChange extends Line {
  /** `required` where servers of the release do not start, or not with the value that is set, until somebody sets it. */
  readonly level: 'required' | 'optional';
}

export interface WorkChange extends Line {
  readonly change: 'new' | 'removed' | 'renamed' | 'changed';
}

/** The access rule of an endpoint. */
export interface Access {
  readonly who: 'anyone' | 'signed in' | 'condition';
  /** The rule in the language: `anyone`, `@auth is not null`, `post.author is @auth`. */
  readonly says: string;
  /** The records that it gives, as in the filter of a list: `author is @auth`. Absent if it gives all. */
  readonly shows?: string;
}
