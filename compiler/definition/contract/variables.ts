/** The environment variables that Kiln itself reads in an image. No setting of an application may have their names. */
// biome-ignore format: a list of names
export const OWN_VARIABLES = [
  'DATABASE_URL', 'DATABASE_READ_URL', 'PORT', 'METRICS_PORT', 'HOST', 'WORKERS', 'JOBS', 'LOG_LEVEL', 'CORS_ORIGIN', 'BODY_LIMIT',
  'BODIES_LIMIT', 'LIST_LIMIT', 'REQUESTS_MAX', 'CONNECTIONS_MAX', 'CONNECTION_REQUESTS_MAX', 'WRITE_TIMEOUT',
  'UNREAD_LIMIT', 'DATABASE_POOL_MAX', 'DATABASE_ACQUIRE_TIMEOUT', 'DATABASE_STATEMENT_TIMEOUT', 'HOOK_TIMEOUT',
  'SHUTDOWN_GRACE', 'SHUTDOWN_TIMEOUT', 'TOKEN_LIFETIME', 'LOGIN_LIMIT', 'TRUST_PROXY', 'DOCS', 'DOCS_PAGE',
  'CONSOLE', 'CONSOLE_SECRET', 'KILN_JWT_JWKS_URL', 'KILN_JWT_SECRET', 'KILN_JWT_ISSUER', 'KILN_JWT_AUDIENCE',
  'MAIL_URL', 'MAIL_FROM', 'WEBHOOK_PRIVATE', 'FILES_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'LIVE_MAX',
] as const;

/** Also the names that Kiln, Node and the driver of Postgres may read one day, and those that shells and containers set. */
const RESERVED =
  /^(?:(?:KILN|NODE|LC)_.*|PG[A-Z]+|PATH|HOME|HOSTNAME|USER|LOGNAME|PWD|OLDPWD|SHELL|SHLVL|TERM|TZ|LANG|LANGUAGE|TMPDIR)$/;

export function isOwnVariable(name: string): boolean {
  return (OWN_VARIABLES as readonly string[]).includes(name) || RESERVED.test(name);
}
