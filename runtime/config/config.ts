/** How the server runs, from the environment alone. */
export interface Config {
  readonly databaseUrl: string;
  readonly port: number;
  readonly host: string;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Origins that a browser may call from; `*` for all, empty for none. */
  readonly corsOrigins: readonly string[];
  readonly poolMax: number;
  /** In bytes. */
  readonly bodyLimit: number;
  /** In milliseconds; 0 leaves it to the database. */
  readonly statementTimeout: number;
  /** In milliseconds: how long a request may wait for a connection. */
  readonly acquireTimeout: number;
  /** In milliseconds: how long a hook may take. */
  readonly hookTimeout: number;
  /** In milliseconds: how long running requests may take after SIGTERM. */
  readonly shutdownTimeout: number;
  /** In seconds: how long a token is good for. */
  readonly tokenLifetime: number;
  /** How often a login may fail; null for no limit. */
  readonly loginLimit: LoginLimit | null;
  /** How many proxies stand in front of the server, and tell where a request comes from. */
  readonly trustedProxies: number;
  /** Whether the documentation page is served. */
  readonly docsPage: boolean;
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
