/** How answers are read, and what is said where one is none of the API. */
export const ANSWER_CODE = `// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function read(
  request: Sending,
  response: Response,
  otherContract: string | undefined,
): Promise<Success<unknown> | ApiError> {
  const { status, headers } = response;
  const { gives, status: own } = request.route;
  const type = headers.get('content-type') ?? '';
  const isProblem = status >= 400 && type.includes('application/problem+json');
  const isOwn = response.ok || status === own || (own === 'any' && type.includes('json'));
  if (!isProblem && isOwn && gives === 'response') return { ok: true, status, data: response, headers };
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    return failed(request, cause, otherContract);
  }
  if (!isProblem && isOwn && gives === 'nothing') return { ok: true, status, data: undefined, headers };
  const json = jsonFrom(text);
  if (isProblem && isProblemDocument(json)) return refused(request, response, json, otherContract);
  if (!isProblem && isOwn && json !== undefined) return { ok: true, status, data: json, headers };
  return unexpected(request, response, text, otherContract);
}

/** No JSON is undefined. */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblemDocument(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';
}

function refused(
  { method, path }: Sending,
  { status, headers }: Response,
  problem: Problem,
  otherContract: string | undefined,
): ApiError {
  const { errors, detail, title } = problem;
  const why = errors?.map((error) => \`\${error.path} \${error.message}\`).join(', ') || detail || title;
  const message = \`\${method} \${path} was refused with \${status} \${problem.code}: \${why}\${contractHint(otherContract)}\`;
  return new ApiError(message, { code: codeOf(problem), status, problem, headers, otherContract });
}

const CODES =
  /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|too-large|unsupported-media-type|validation-failed|internal|unavailable)$/;

/** Custom code has codes of its own: they are in the problem. */
function codeOf({ code }: Problem): ProblemCode {
  return CODES.test(code) ? (code as ProblemCode) : 'refused';
}

function unexpected(
  { method, path }: Sending,
  { status, headers }: Response,
  text: string,
  otherContract: string | undefined,
): ApiError {
  const type = headers.get('content-type') ?? 'no content type';
  const start = text.length > 80 ? \`\${text.slice(0, 80)}...\` : text;
  const message =
    \`\${method} \${path} got \${status} (\${type}), which is no answer of this API. Is baseUrl right, and is there a \` +
    \`proxy in between that answers by itself? It begins: \${start}\${contractHint(otherContract)}\`;
  return new ApiError(message, { code: 'unexpected-answer', status, headers, otherContract });
}

function failed({ method, path, giveUp }: Sending, cause: unknown, otherContract: string | undefined): ApiError {
  const code = giveUp.code ?? 'network';
  const ends = { network: 'got no whole answer', timeout: 'took too long', aborted: 'was aborted' };
  const why = code === 'network' ? \`: \${reasonOf(cause)}\` : '';
  const inner = code === 'aborted' ? giveUp.signal.reason : cause;
  return new ApiError(\`\${method} \${path} \${ends[code]}\${why}\`, { code, otherContract, cause: inner });
}

/** Node tells the reason in the cause of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? \`\${error.message} (\${cause.message})\` : error.message;
}

function contractHint(otherContract: string | undefined): string {
  return otherContract === undefined ? '' : \` (The server speaks another contract, \${otherContract}.)\`;
}
`;
