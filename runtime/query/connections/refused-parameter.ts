/** Poolers refuse connections that begin with a parameter which they do not know. */
export class ParameterRefused extends Error {
  override readonly name = 'ParameterRefused';

  constructor(parameter: string, cause: unknown) {
    const remedy = REMEDIES[parameter] ?? 'Remove it from DATABASE_URL, or let the pooler accept it.';
    super(`The pooler in front of Postgres refuses the parameter \`${parameter}\`. ${remedy}`, { cause });
  }
}

const WITHOUT_TIMEOUT =
  "Set `DATABASE_STATEMENT_TIMEOUT=0`, and give the role a limit: `ALTER ROLE … SET statement_timeout = '30s'`.";

const REMEDIES: Readonly<Record<string, string>> = {
  search_path: 'For pgbouncer, set `track_extra_parameters = search_path`.',
  // Both are sent where there is a timeout.
  statement_timeout: WITHOUT_TIMEOUT,
  lock_timeout: WITHOUT_TIMEOUT,
};

/** The error itself where a connection failed for another reason. */
export function parameterRefusedOr(error: unknown): unknown {
  const [, parameter] = (error instanceof Error && REFUSAL.exec(error.message)) || [];
  return parameter === undefined ? error : new ParameterRefused(parameter, error);
}

/** In the words of pgbouncer: `unsupported startup parameter: lock_timeout`, or `… in options: lock_timeout`. */
const REFUSAL = /startup parameter(?: in options)?: "?(\w+)/i;
