/**
 * What changes from one definition to another, for those who call the API, answer for the data, and run the application.
 * Each line names what it is about; where that is in the source is found afterwards, since a definition has no places.
 */
import type { Hazard } from '../definition/migration.ts';

export interface Line {
  /** One sentence, without a full stop. */
  readonly says: string;
  readonly subject: Subject;
}

/** What a line is about. Where the later definition does not have it any more, it is what the earlier one had. */
export type Subject =
  | { readonly kind: 'endpoint'; readonly id: string; readonly input?: string }
  | { readonly kind: 'model'; readonly name: string; readonly member?: string }
  | { readonly kind: 'enum'; readonly name: string }
  | { readonly kind: 'setting'; readonly name: string }
  | { readonly kind: 'application' };

export interface ApiChange extends Line {
  /** `GET /posts/{slug}`, as it is now, or was before it was removed. Null where it is about more than one. */
  readonly endpoint: string | null;
  readonly level: 'breaking' | 'compatible';
  /** The rule that says so; docs/compatibility.md has each of them. */
  readonly rule: string;
}

export interface DataDifference {
  /** In the order in which they are carried out. */
  readonly steps: readonly DataStep[];
  /** Carried out later, when the previous release is no longer served. */
  readonly later: readonly DataStep[];
}

export interface DataStep extends Line {
  readonly hazards: readonly Hazard[];
}

export interface AccessChange extends Line {
  readonly endpoint: string;
  /** `other` where both conditions are there and neither is known to imply the other. */
  readonly direction: 'weaker' | 'stricter' | 'other' | 'new' | 'removed';
  /** Null where the endpoint is new. */
  readonly before: Access | null;
  /** Null where the endpoint was removed. */
  readonly after: Access | null;
}

export interface SettingChange extends Line {
  /** `required` where servers of the release do not start, or not with the value that is set, until somebody sets it. */
  readonly level: 'required' | 'optional';
}

/** Who may call an endpoint. */
export interface Access {
  readonly who: 'anyone' | 'signed in' | 'condition';
  /** In words of the language: `anyone`, `@auth is not null`, `post.author is @auth`. */
  readonly says: string;
  /** Which records it gives, as the filter of a list says it: `author is @auth`. Absent where it gives all. */
  readonly shows?: string;
}
