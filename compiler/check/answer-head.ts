/** The status and the headers of an answer: of a `respond`, and of an endpoint whatever it answers with. */
import type * as ast from '../ast/ast.ts';
import { FRAMING } from '../definition/contract/routes.ts';
import type { Endpoint, Expression } from '../program/program.ts';
import { many, nullable, scalar } from '../program/type.ts';
import { type Context, firstOfEach } from './context.ts';
import { reportMisfit } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import type { ApiEndpoint, Progress } from './write-actions.ts';

/** Errors have problem documents, so an endpoint never answers with their statuses by itself. */
const LAST_STATUS = { respond: 599, endpoint: 399 };

/** Responses with these statuses have no body. */
export function hasNoBody(status: number | undefined): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Checks the status and headers of an endpoint. If an action responds, they belong to the action. */
export function checkHead({ context, written }: ApiEndpoint, progress: Progress, isTagged: boolean): Endpoint['head'] {
  const { status, headers } = written;
  if (!status && !headers) return undefined;
  const isHook = progress.actions.some((action) => action.kind === 'execute' && action.responds);
  for (const property of [status && 'status', headers && 'headers'] as const) {
    const span = property && written.properties.find((each) => each.text === property)?.span;
    if (span && progress.responder)
      context.report('head-beside-respond', span, { property, first: progress.responder, isHook });
  }
  if (status) reportLostBody(context, written, status);
  const scope = at(progress.scope, POSITIONS.respond);
  return {
    ...(status && { status: checkStatus(context, status, 'endpoint') }),
    ...(headers && { headers: checkHeaders(context, headers, scope, isTagged) }),
  };
}

/** A response of the entrypoint is for its other endpoints. */
function reportLostBody(context: Context, written: ast.EndpointDeclaration, { value, span }: ast.WholeNumber): void {
  const { endpoint, response } = written;
  const reads = endpoint === 'get' || endpoint === 'list';
  if (hasNoBody(value) && (reads || response))
    context.report('status-without-body', span, { status: value, endpoint, response: response?.span });
}

export function checkStatus(
  context: Context,
  { value, span }: Pick<ast.WholeNumber, 'value' | 'span'>,
  of: keyof typeof LAST_STATUS,
): number {
  const last = LAST_STATUS[of];
  if (value < 200 || value > last) context.report('bad-status', span, { status: String(value), last });
  return value;
}

/** `isTagged`: whether the answers have an `ETag` already. */
export function checkHeaders(context: Context, { headers }: ast.HttpHeaders, scope: Scope, isTagged = false) {
  // Names of headers are the same whatever their case; several values of one are a list.
  firstOfEach(
    headers,
    ({ name }) => name.value.toLowerCase(),
    ({ name }, first) => context.report('header-twice', name.span, { name: name.value, first: first.name.span }),
  );
  const inner = at(scope, { ...scope.position, noun: '`headers`' });
  return headers.map((header) => checkHeader(context, header, inner, isTagged));
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** A text, a list of texts, or null, which removes the header. */
function checkHeader(context: Context, { name, value: written }: ast.HttpHeader, scope: Scope, isTagged: boolean) {
  const key = name.value.toLowerCase();
  const setBy = FRAMING.includes(key) ? 'the server' : isTagged && key === 'etag' ? '`versioned`' : undefined;
  if (setBy || !isHeaderName(name.value)) context.report('bad-header-name', name.span, { name: name.value, setBy });
  const value: Expression = context.checkExpression(context, written, scope);
  const text = scalar('string');
  const wanted = nullable(value.type.many ? many(text) : text);
  if (value.type.base.kind !== 'integer')
    reportMisfit(context, value, { type: wanted, by: `the header \`${name.value}\``, takes: true });
  return { name: name.value, value };
}
