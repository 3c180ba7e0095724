/** Who may call an endpoint, as `GET /_console/access` tells it. */
export interface ConsoleAccess {
  /** In words of the language: `post.author is @auth`. */
  readonly rule: string;
  /** Which records it gives; null where it gives all. */
  readonly records: string | null;
}
