/** What the trailers of commits are called that a release knows. */

/** Gives the reason for breaking changes of the API: `Breaking: <reason>`. */
export const BREAKING = 'Breaking';

/** Gives a release up that a database cannot complete: `Withdraws: <revision>`. */
export const WITHDRAWS = 'Withdraws';
