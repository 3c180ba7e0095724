/** The events in the stream of the console: one JSON object on each line. The browser's side shares these types. */
export type LiveEvent =
  /** The first one. `start` is different after each start of the server. */
  | {
      readonly kind: 'hello';
      readonly start: string;
      /** How often the server got new sources since then. */
      readonly updates: number;
      readonly requests: readonly LiveRequest[];
      readonly compile: CompileState;
    }
  | { readonly kind: 'request'; readonly request: LiveRequest }
  | { readonly kind: 'compile'; readonly compile: CompileState }
  /** The server has new sources. `changes` says what callers notice of it. */
  | { readonly kind: 'updated'; readonly updates: number; readonly changes: readonly string[] }
  | { readonly kind: 'heartbeat' };

/** How the last save compiled. Without errors or a question the server serves it. */
export interface CompileState {
  readonly problems: readonly CompileProblem[];
  readonly question?: LossQuestion;
}

/** A question about data that the last save would delete. The terminal asks it too. */
export interface LossQuestion {
  readonly text: string;
  /** The answers, each with what it does; none where a word has to be typed. */
  readonly choices: readonly { readonly answer: string; readonly says: string }[];
  /** The word that deletes everything. Anything else cancels. */
  readonly word?: string;
}

export interface CompileProblem {
  /** The code for `kiln explain`; null where there is none. */
  readonly code: string | null;
  readonly message: string;
  readonly help: string | null;
  /** Whether Kiln knows edits of the sources that fix it. */
  readonly canFix: boolean;
  /** Null where the problem has no place in a file. */
  readonly place: CompilePlace | null;
  readonly notes: readonly { readonly message: string; readonly place: CompilePlace }[];
}

export interface CompilePlace {
  readonly file: string;
  /** The absolute path of the file. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** The lines around it. */
  readonly source: readonly SourceLine[];
  /** The words beside the marked part. */
  readonly label: string | null;
}

export interface SourceLine {
  readonly line: number;
  readonly text: string;
  /** The start and the end of the marked part, in characters from 0; null where nothing is marked. */
  readonly mark: readonly [number, number] | null;
}

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The view Live's data about a request. The browser's side shares these types.

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
  /** `User 7`; null where nobody was signed in. */
  readonly caller: string | null;
  readonly ms: number;
  /** The size of the response's body; null where it is not known. */
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
  readonly hooks: readonly HookRun[];
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

/** One run of custom code. */
export interface HookRun {
  readonly kind: 'hook' | 'call';
  /** The code in the words of its errors: `priceLabel` of hooks/pricing.ts. */
  readonly name: string;
  readonly start: number;
  readonly ms: number;
}

export interface LogEntry {
  /** The time, in milliseconds since the request came. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  /** The other data that was logged with the message, as JSON. */
  readonly data: string | null;
}

export interface LiveError {
  readonly message: string;
  /** The inputs that are invalid. */
  readonly inputs: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** The stack of the error; null for an error that is meant for the client. */
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
