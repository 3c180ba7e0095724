/** What is wrong with an answer, by the document and by what holds for every answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ReceivedAnswer } from '../send.ts';
import type { DescribedAnswer, FuzzedOperation, Operations } from './operations.ts';
import type { FuzzedRequest } from './requests.ts';

/** A rule that was broken, and how. */
export interface Problem {
  readonly rule: string;
  readonly detail: string;
}

/** How long an answer may take, on a machine that has other things to do. */
export const LONGEST_MS = 15_000;

/** Whoever chooses the status, HTTP allows no body with these. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Refusals of HTTP itself, which come before there is an operation. */
const OF_TRANSPORT = [400, 408, 413, 414, 417, 431, 501, 505];

export function checkAnswer(
  request: FuzzedRequest,
  answer: ReceivedAnswer,
  operations: Operations,
): readonly Problem[] {
  const operation = operations.at(request.method, request.target);
  return [
    ...speed(answer),
    ...serverFaults(answer),
    ...headerProblems(request, answer, operations),
    ...problemDocument(request, answer, operations),
    ...(operation ? described(operation, request, answer) : elsewhere(request, answer)),
  ];
}

function problem(rule: string, detail: string): readonly Problem[] {
  return [{ rule, detail }];
}

function speed({ milliseconds }: ReceivedAnswer): readonly Problem[] {
  return milliseconds > LONGEST_MS ? problem('slow', `${Math.round(milliseconds)} ms`) : [];
}

function serverFaults({ status, headers }: ReceivedAnswer): readonly Problem[] {
  if (status === 503) return headers['retry-after'] ? [] : problem('header', '503 without Retry-After');
  return status >= 500 && !OF_TRANSPORT.includes(status) ? problem('server fault', `status ${status}`) : [];
}

// ── The operation ───────────────────────────────────────────────────────────────────────────────────────────────────

function described(operation: FuzzedOperation, request: FuzzedRequest, answer: ReceivedAnswer): readonly Problem[] {
  const status = String(answer.status);
  const { answers } = operation;
  const listed = answers[status] ?? answers[`${status[0]}XX`] ?? answers.default;
  if (listed) return fits(WITHOUT_BODY.has(answer.status) ? { ...listed, bodies: null } : listed, answer);
  if (request.kind === 'wild' && OF_TRANSPORT.includes(answer.status)) return [];
  return problem('status', `${status} is not listed for ${operation.id}`);
}

function fits({ requiredHeaders, bodies }: DescribedAnswer, { headers, text }: ReceivedAnswer): readonly Problem[] {
  const missing = requiredHeaders.filter((name) => headers[name] === undefined);
  const problems = missing.flatMap((name) => problem('header', `without ${name}`));
  if (bodies === null) return text === '' ? problems : [...problems, ...problem('body', 'there should be none')];
  const type = mediaType(headers);
  const isFitting = bodies[type] ?? bodies['*/*'];
  if (!isFitting) return [...problems, ...problem('content type', type || 'none')];
  const body = parsed(type, text);
  if (body === undefined) return [...problems, ...problem('body', 'is no JSON')];
  return isFitting(body) ? problems : [...problems, ...problem('schema', JSON.stringify(isFitting.errors?.[0]))];
}

function mediaType(headers: IncomingHttpHeaders): string {
  return headers['content-type']?.split(';')[0] ?? '';
}

/** Undefined where it should be JSON and is not. */
function parsed(type: string, text: string): unknown {
  if (!type.endsWith('json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// ── Every answer ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Outside of the document: pages, preflights, and what is not there. */
function elsewhere({ method, target, kind }: FuzzedRequest, { status, headers }: ReceivedAnswer): readonly Problem[] {
  if (status === 405 && !headers.allow) return problem('header', '405 without Allow');
  const isRefused = status >= 400 && status < 500;
  const isKnown = method === 'HEAD' || method === 'OPTIONS' || !target.startsWith('/api/') || kind !== 'wild';
  return isRefused || isKnown || status === 503 ? [] : problem('status', `${status} where there is no operation`);
}

function headerProblems(
  { method }: FuzzedRequest,
  { status, headers }: ReceivedAnswer,
  { contract }: Operations,
): readonly Problem[] {
  // What Node refuses by itself has no headers of ours.
  if (OF_TRANSPORT.includes(status) && headers.connection === 'close' && !headers['x-request-id']) return [];
  const problems = [
    ...(headers['x-request-id'] ? [] : problem('header', 'without x-request-id')),
    ...(headers['kiln-contract'] === contract ? [] : problem('header', `kiln-contract is ${headers['kiln-contract']}`)),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : problem('header', 'without nosniff')),
    ...(status === 401 && !headers['www-authenticate'] ? problem('header', '401 without WWW-Authenticate') : []),
  ];
  return method === 'OPTIONS' ? [] : problems;
}

function problemDocument(
  { method }: FuzzedRequest,
  answer: ReceivedAnswer,
  { isProblem }: Operations,
): readonly Problem[] {
  if (method === 'HEAD' || mediaType(answer.headers) !== 'application/problem+json') return [];
  const body = parsed('json', answer.text);
  if (!isProblem(body)) return problem('schema', `of the problem: ${JSON.stringify(isProblem.errors?.[0])}`);
  const { status, requestId } = body as { readonly status: number; readonly requestId: string };
  if (status !== answer.status) return problem('body', `the problem has status ${status}`);
  return requestId === answer.headers['x-request-id'] ? [] : problem('body', `the problem has request id ${requestId}`);
}
