/** What the hand-written servers refuse, with the status, title and code that Kiln's answers have. */
const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request is malformed' },
  'not-found': { status: 404, title: 'Not found' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be JSON' },
  'validation-failed': { status: 422, title: 'The input is not valid' },
  internal: { status: 500, title: 'Internal server error' },
};

export class Problem extends Error {
  constructor(code, errors) {
    super(PROBLEMS[code].title);
    this.status = PROBLEMS[code].status;
    this.body = JSON.stringify({ type: 'about:blank', ...PROBLEMS[code], code, ...(errors ? { errors } : {}) });
  }
}

/** Whatever was thrown, as an answer. What nobody foresaw is told to the log alone. */
export function problemFromError(error) {
  if (error instanceof Problem) return error;
  if (error?.type === 'entity.parse.failed') return new Problem('malformed-request');
  if (error?.type === 'entity.too.large') return new Problem('too-large');
  console.error(error);
  return new Problem('internal');
}

/** The last middleware of an Express application. */
export function answerProblem(error, _request, response, next) {
  if (response.headersSent) return next(error);
  const { status, body } = problemFromError(error);
  response.status(status).type('application/problem+json').send(body);
}
