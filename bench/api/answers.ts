/**
 * Whether the servers answer alike. Every question is put to each of them, on equal databases and in the same order.
 * Bodies must be deep-equal; a moment may be written in any form of ISO 8601, and the words of an error message are free.
 */
import { isDeepStrictEqual } from 'node:util';
import { takesOrders } from './contestants.ts';
import type { Server } from './server.ts';

interface Question {
  readonly method: string;
  readonly path: string;
  /** Sent as it is. */
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

const questions: readonly Question[] = [
  ...['post-1', 'post-10', 'post-10000', 'p%C3%B6st', 'post-0'].map((slug) => get(`/api/post/${slug}`)),
  ...['', '?page=1', '?page=2', '?page=450', '?page=451', '?page=3&pageSize=7'].map((page) => get(`/api/post${page}`)),
  ...['?page=0', '?page=x', '?pageSize=101'].map((page) => get(`/api/post${page}`)),
  ...[1, 225, 450, 451].map((week) => get(`/api/feed?of_week=${week}`)),
  ...['post-7', 'post-7', 'post-0'].map((slug) => comment(slug, { author_name: 'Ada', body: 'Thank you for “this”.' })),
  comment('post-8', { author_name: 'Ada', body: 'With a key too many.', id: 1 }),
  comment('post-7', {}),
  comment('post-7', { author_name: '', body: 'x'.repeat(2001) }),
  comment('post-7', { author_name: 7, body: null }),
  comment('post-0', {}),
  { method: 'POST', path: '/api/post/post-7/comments', body: '{"author_name":' },
  { method: 'POST', path: '/api/post/post-7/comments', body: '[]' },
  ...['post-7', 'post-0'].map((slug) => retitle(slug, { title: 'Another title' })),
  ...[{ title: 'abc' }, { title: 'x'.repeat(201) }, { title: 5 }, { title: null }].map((body) =>
    retitle('post-9', body),
  ),
  retitle('post-0', { title: 'abc' }),
  retitle('post-9', {}),
  get('/api/post/post-7'),
  get('/api/shouting'),
  get('/api/nothing'),
];

/** Those of R6. */
const orders: readonly Question[] = [
  order('Ada', [10, 20, 30], 1),
  order('Ada', [40], 0),
  order('', [40], 1),
  order('Ada', [], 1),
  order('Ada', [40, 100_001], 1),
  { method: 'POST', path: '/api/order', body: '{}' },
  ...[10, 40].map((product) => get(`/api/product/${product}`)),
];

function get(path: string): Question {
  return { method: 'GET', path };
}

function comment(slug: string, body: unknown): Question {
  return { method: 'POST', path: `/api/post/${slug}/comments`, body: JSON.stringify(body) };
}

function retitle(slug: string, body: unknown): Question {
  return { method: 'PATCH', path: `/api/post/${slug}`, body: JSON.stringify(body) };
}

function order(customer: string, products: readonly number[], quantity: number): Question {
  const lines = products.map((product_id) => ({ product_id, quantity }));
  return { method: 'POST', path: '/api/order', body: JSON.stringify({ customer, lines }) };
}

/** Throws where a server answers otherwise than the first one. */
export async function checkAnswers(servers: readonly Server[]): Promise<void> {
  const [first] = servers;
  if (!first) return;
  requireSense(await expectSame(servers, questions), first.name);
  await expectSame(
    servers.filter(({ name }) => takesOrders(name)),
    orders,
  );
}

/** What the first one answers. */
async function expectSame(servers: readonly Server[], asked: readonly Question[]): Promise<readonly Answer[]> {
  const [first, ...others] = servers;
  const expected = first ? await answersOf(first, asked) : [];
  for (const other of others) {
    const answers = await answersOf(other, asked);
    const differences = answers.flatMap((answer, at) => difference(asked[at] as Question, expected[at], answer));
    if (differences.length > 0) {
      throw new Error(`${other.name} answers otherwise than ${first?.name}:\n${differences.join('\n')}`);
    }
  }
  return expected;
}

async function answersOf(server: Server, asked: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of asked) answers.push(await answerTo(server.url, question));
  return answers;
}

async function answerTo(url: string, { method, path, body }: Question): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, ...(body === undefined ? {} : { body, headers }) });
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  const json: unknown = await response.json();
  return { status: response.status, type, body: response.ok ? comparable(json) : comparableProblem(json) };
}

/** Servers that are wrong in the same way would agree. */
function requireSense(answers: readonly Answer[], name: string): void {
  const page = answers[questions.findIndex(({ path }) => path === '/api/post')]?.body as Partial<Page> | undefined;
  const feed = answers[questions.findIndex(({ path }) => path.startsWith('/api/feed'))]?.body as Partial<FeedPost>[];
  const isPage = page?.totalCount === 9000 && page.data?.length === 20;
  const isFeed = feed?.length === 20 && feed.every(({ author, comments }) => author && comments?.length === 10);
  if (!isPage || !isFeed) throw new Error(`${name} does not answer with the rows that were put into the database`);
}

interface Page {
  readonly totalCount: number;
  readonly data: readonly unknown[];
}

interface FeedPost {
  readonly author: unknown;
  readonly comments: readonly unknown[];
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const aWhile = 600_000;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === 'string' && moment.test(value)) return comparableMoment(Date.parse(value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, comparable(part)]));
}

/** What a server has just written is as late as the clock says. */
function comparableMoment(milliseconds: number): string {
  return Math.abs(Date.now() - milliseconds) < aWhile ? 'just now' : `the moment ${milliseconds}`;
}

function comparableProblem(json: unknown): unknown {
  const { title, status, code, errors } = json as Readonly<Record<string, unknown>>;
  const inputs = (errors ?? []) as readonly { readonly path: string; readonly code: string }[];
  return { title, status, code, errors: inputs.map((input) => `${input.path}: ${input.code}`).sort() };
}

function difference({ method, path, body }: Question, expected: Answer | undefined, answer: Answer): string[] {
  if (isDeepStrictEqual(expected, answer)) return [];
  const asked = `${method} ${path} ${body?.slice(0, 80) ?? ''}`;
  return [asked, `  expected ${excerpt(expected)}`, `  answered ${excerpt(answer)}`];
}

function excerpt(answer: Answer | undefined): string {
  return JSON.stringify(answer)?.slice(0, 600) ?? 'nothing';
}
