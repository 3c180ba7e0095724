/** What the trailers of commits are called that a release knows. */

/** Gives the reason for breaking changes of the API: `Breaking: <reason>`. */
export const BREAKING = 'Breaking';

/** Gives the reason for rules of access that let more callers in: `Access: <reason>`. */
export const ACCESS = 'Access';

/** Gives a release up that a database cannot complete: `Withdraws: <revision>`. */
export const WITHDRAWS = 'Withdraws';
