/** What the view Live shows of a request. The browser's side shares these types. */

/** One line of the list. */
export interface LiveRequest {
  /** Counts up from 1 while the server runs. */
  readonly id: number;
  /** The `x-request-id` of the response. */
  readonly requestId: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The query string; values of parameters that may be secret are not in it. */
  readonly query: string;
  /** `/api/post/:post_slug`; null where no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** Of the response's body; null where it is not known. */
  readonly bytes: number | null;
  /** How many statements it ran. */
  readonly statements: number;
  /** The time of its statements together. */
  readonly databaseMs: number;
  /** How often its most frequent statement ran. */
  readonly repeats: number;
  /** The code of the problem that it ended with. */
  readonly problem: string | null;
}

/** A request with all that was recorded. */
export interface LiveDetails extends LiveRequest {
  /** The different statements of the request. */
  readonly texts: readonly string[];
  readonly runs: readonly StatementRun[];
  /** How many runs were not kept, because there were too many. */
  readonly dropped: number;
  readonly transactions: readonly TransactionSpan[];
  readonly logs: readonly LogEntry[];
  readonly error: LiveError | null;
}

/** One run of a statement. Times are in milliseconds since the request came. */
export interface StatementRun {
  /** The position of its text in `texts`. */
  readonly text: number;
  readonly start: number;
  readonly ms: number;
  /** Rows that were read or changed; null where it failed. */
  readonly rows: number | null;
  /** The position of its transaction in `transactions`; null outside of any. */
  readonly transaction: number | null;
  /** Null where they may be secret. */
  readonly values: readonly (string | null)[] | null;
  readonly error: string | null;
}

export interface TransactionSpan {
  readonly isolation: string;
  readonly start: number;
  readonly ms: number;
  readonly outcome: 'committed' | 'rolled back';
  /** More than one where it had to be repeated after a conflict. */
  readonly attempts: number;
}

export interface LogEntry {
  /** In milliseconds since the request came. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  /** What else was logged with the message, as JSON. */
  readonly data: string | null;
}

export interface LiveError {
  readonly message: string;
  /** The inputs that are invalid. */
  readonly inputs: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Where it was thrown; null for an error that is meant for the client. */
  readonly stack: string | null;
}

/** The plan of a statement. */
export interface StatementPlan {
  /** The position of its text in `texts`. */
  readonly text: number;
  /** Null where Postgres cannot explain it. */
  readonly plan: readonly string[] | null;
  readonly problem: string | null;
}
