/** How the server runs, from the environment alone. */
export interface Config {
  readonly databaseUrl: string;
  readonly port: number;
  /** Null where there are no metrics to be read. */
  readonly metricsPort: number | null;
  readonly host: string;
  /** Processes. Only the `serve` of an image looks at it. */
  readonly workers: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Origins that a browser may call from; `*` for all, empty for none. */
  readonly corsOrigins: readonly string[];
  readonly poolMax: number;
  /** How many connections of clients may be open. */
  readonly connectionsMax: number;
  /** How many requests of one connection are worked on at once. */
  readonly connectionRequestsMax: number;
  /** How many requests are worked on at once. */
  readonly requestsMax: number;
  /** In milliseconds: how long a client may read nothing of an answer that waits for it. */
  readonly writeTimeout: number;
  /** In bytes: how much of long answers may wait to be read. */
  readonly unreadLimit: number;
  /** How many records a list has at most that says nothing else. */
  readonly listLimit: number;
  /** In bytes. */
  readonly bodyLimit: number;
  /** Of all bodies that are still arriving, in bytes. */
  readonly bodiesLimit: number;
  /** In milliseconds; 0 leaves it to the database. */
  readonly statementTimeout: number;
  /** In milliseconds: how long a request may wait for a connection. */
  readonly acquireTimeout: number;
  /** In milliseconds: how long a hook may take. */
  readonly hookTimeout: number;
  /** In milliseconds: how long connections are still accepted after SIGTERM. */
  readonly shutdownGrace: number;
  /** In milliseconds: how long running requests may take after that. */
  readonly shutdownTimeout: number;
  /** In seconds: how long a token is good for. */
  readonly tokenLifetime: number;
  /** How often a login may fail; null for no limit. */
  readonly loginLimit: LoginLimit | null;
  /** How many proxies stand in front of the server, and tell where a request comes from. */
  readonly trustedProxies: number;
  /** Whether the document of the API is served. */
  readonly docs: boolean;
  /** Whether the console is served beside the document. */
  readonly docsPage: boolean;
  /** What the console asks for before it shows data; null where it shows none. */
  readonly consoleSecret: string | null;
  /** Of an outside provider; null where none is configured. */
  readonly jwt: JwtConfig | null;
}

export interface JwtConfig {
  readonly key: { readonly kind: 'jwks'; readonly url: string } | { readonly kind: 'secret'; readonly secret: string };
  readonly issuer: string;
  readonly audience: string;
}

export interface LoginLimit {
  /** Of one account from one address. */
  readonly failures: number;
  /** After which they are forgotten. */
  readonly seconds: number;
}
