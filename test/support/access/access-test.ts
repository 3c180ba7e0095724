/**
 * Whether the callers are refused that the rules keep out. Each endpoint is called without a token, and as a stranger: an
 * account that was made a moment ago, to which nothing in the database belongs. A request that is refused changes nothing,
 * and one that is not fails the test. What cannot be tried is counted and named.
 */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import {
  ACCOUNT_METHODS,
  type AccountRoute,
  accountPath,
  pathPattern,
} from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Row } from '../../../pipeline/smoke/test-sandbox.ts';
import { recordsStatement } from './path-records.ts';
import { expectedRefusals, type Refusal } from './refusals.ts';
import { type StrangerAccount, strangerAccount } from './stranger-account.ts';

export interface AccessTested {
  readonly seen: number;
  readonly expected: number;
  readonly untested: readonly Untested[];
  /** Callers who were not refused, a sentence each, without a full stop. */
  readonly letIn: readonly string[];
}

type Untested = Extract<Tried, { kind: 'untested' }>;

interface TestedServer {
  /** Of the server, without a slash at its end. */
  readonly address: string;
  /** Runs statements one after the other, and gives the first row of each. */
  readonly firstRows: (statements: readonly string[]) => Promise<readonly (Row | undefined)[]>;
  readonly signal: AbortSignal;
}

/** So many requests are open at a time. */
const AT_ONCE = 16;

/** How long one may take. */
const LONGEST_ANSWER = 60_000;

export interface AccessPlan {
  readonly definition: Definition;
  /** Null where no account can be made. */
  readonly account: StrangerAccount | null;
  readonly refusals: readonly Refusal[];
}

/** Null where no endpoint refuses anybody. */
export function accessPlan(definition: Definition): AccessPlan | null {
  const auth = passwordAuthOf(definition);
  const account = auth && strangerAccount(auth, definition);
  const refusals = expectedRefusals(definition, account?.fields ?? new Map());
  return refusals.length === 0 ? null : { definition, account, refusals };
}

export async function testAccess(plan: AccessPlan, server: TestedServer): Promise<AccessTested> {
  // Before there is a stranger, so no record can be theirs.
  const attempts = await attemptsOf(plan, server);
  const [stranger, anonymous] = await Promise.all([
    plan.refusals.some(isOfStranger) ? signedIn(plan, server) : NOBODY,
    inParallel(
      attempts.filter(({ refusal }) => !isOfStranger(refusal)),
      (attempt) => tried(attempt, NOBODY, server),
    ),
  ]);
  const others = attempts.filter(({ refusal }) => isOfStranger(refusal));
  return summaryOf([...anonymous, ...(await inParallel(others, (attempt) => tried(attempt, stranger, server)))]);
}

function isOfStranger({ caller }: Refusal): boolean {
  return caller === 'stranger';
}

function summaryOf(results: readonly Tried[]): AccessTested {
  return {
    seen: results.filter(({ kind }) => kind === 'seen').length,
    expected: results.length,
    untested: results.filter((result) => result.kind === 'untested'),
    letIn: results.filter((result) => result.kind === 'let in').map(letInText),
  };
}

interface Attempt {
  readonly refusal: Refusal;
  /** What the path says to name a real record; undefined where there is none. */
  readonly row: Row | undefined;
}

async function attemptsOf(
  { refusals, definition }: AccessPlan,
  { firstRows }: TestedServer,
): Promise<readonly Attempt[]> {
  const statements = refusals.map(({ records }) => (isNamed(records) ? recordsStatement(records, definition) : null));
  // Many endpoints have the same records.
  const texts = [...new Set(statements.filter((statement) => statement !== null))];
  const rows = texts.length === 0 ? [] : await firstRows(texts);
  const byText = new Map<string | null, Row | undefined>(texts.map((text, at) => [text, rows[at]]));
  return refusals.map((refusal, at) => ({ refusal, row: byText.get(statements[at] ?? null) }));
}

function isNamed(records: Refusal['records']): boolean {
  return records.some(({ identify }) => identify !== null);
}

// ── The stranger ────────────────────────────────────────────────────────────────────────────────────────────────────

type SignedIn = { readonly token: string } | { readonly why: string };

const NOBODY: SignedIn = { why: 'nobody is signed in' };

async function signedIn({ definition, account }: AccessPlan, server: TestedServer): Promise<SignedIn> {
  if (passwordAuthOf(definition) === null) return { why: 'accounts come from an identity provider' };
  if (account === null) return { why: '`register` is off' };
  const registered = await accountRequest('register', account.register, server);
  if (registered.status !== 201) return { why: `no account could be made: ${answerText('register', registered)}` };
  const session = await accountRequest('login', account.login, server);
  const { token } = session.body as { readonly token?: string };
  return token === undefined ? { why: `the account could not sign in: ${answerText('login', session)}` } : { token };
}

interface AccountAnswer {
  readonly status: number;
  readonly body: unknown;
}

async function accountRequest(name: AccountRoute, body: unknown, server: TestedServer): Promise<AccountAnswer> {
  const response = await fetch(`${server.address}${pathPattern(accountPath(name))}`, {
    ...optionsOf(ACCOUNT_METHODS[name], {}, server.signal),
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}

/** The inputs that were refused, never what was sent. */
function answerText(name: AccountRoute, { status, body }: AccountAnswer): string {
  const { errors = [] } = body as { readonly errors?: readonly { readonly path: string; readonly code: string }[] };
  const why = errors.map(({ path, code }) => `${path} ${code}`).join(', ');
  return `\`${name}\` is answered with ${status}${why === '' ? '' : ` (${why})`}`;
}

// ── One request ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Tried = { readonly refusal: Refusal } & (
  | { readonly kind: 'seen' }
  | { readonly kind: 'untested'; readonly why: string }
  | { readonly kind: 'let in'; readonly status: number }
);

async function tried(attempt: Attempt, stranger: SignedIn, { address, signal }: TestedServer): Promise<Tried> {
  const { refusal } = attempt;
  const isStranger = isOfStranger(refusal);
  if (isStranger && 'why' in stranger) return { kind: 'untested', refusal, why: stranger.why };
  if (refusal.how === 'hidden' && !attempt.row) return { kind: 'untested', refusal, why: NO_RECORD };
  const headers = isStranger && 'token' in stranger ? { authorization: `Bearer ${stranger.token}` } : {};
  const status = await statusOf(`${address}${pathTo(attempt)}`, optionsOf(refusal.method, headers, signal));
  signal.throwIfAborted();
  if (isRefusal(refusal, status)) return { kind: 'seen', refusal };
  const why = reasonToDoubt(attempt, status);
  return why === null ? { kind: 'let in', refusal, status: status as number } : { kind: 'untested', refusal, why };
}

/** Who is signed in gets no 401: then the token is not accepted, which says nothing of the rule. */
function isRefusal({ caller, how }: Refusal, status: number | undefined): boolean {
  if (how === 'hidden') return status === 404;
  return status === 403 || (status === 401 && caller === 'anonymous');
}

const NO_RECORD = 'there is no record to try it with';

/** Why an answer is neither a refusal nor a proof that the caller got in; null where it is such a proof. */
function reasonToDoubt({ refusal, row }: Attempt, status: number | undefined): string | null {
  if (status === undefined) return 'it is not answered';
  const isOfCode = status >= 500 && refusal.runsCode;
  if (isOfCode || status === 401) return `it is answered with ${status}`;
  const isOfPath = isNamed(refusal.records) && (status === 404 || status === 400);
  if (!isOfPath) return null;
  return row ? `the record is answered with ${status}` : NO_RECORD;
}

const CALLERS = {
  anonymous: 'a caller who is not signed in',
  stranger: 'an account that owns nothing',
} as const;

function letInText({ refusal, status }: Extract<Tried, { kind: 'let in' }>): string {
  const { endpoint, caller, how, rule } = refusal;
  const why = how === 'hidden' ? `it gives only \`${rule}\`` : `its rule is \`${rule}\``;
  return `\`${endpoint}\` does not reject ${CALLERS[caller]}: it is answered with ${status}, but ${why}`;
}

function pathTo({ refusal: { path, records }, row }: Attempt): string {
  const types = new Map(
    records.flatMap(({ identify }) => (identify ? [[identify.parameter, identify.type.kind]] : [])),
  );
  const segments = path.map((segment) => {
    if (segment.kind === 'literal') return segment.text;
    return encodeURIComponent(row?.[segment.name] ?? MISSING[types.get(segment.name) ?? ''] ?? 'nobody-has-this');
  });
  return `/${segments.join('/')}`;
}

/** Values that no record has, by the type of what names it. */
const MISSING: Readonly<Record<string, string>> = {
  integer: '2000000000',
  float: '2000000000',
  decimal: '2000000000',
  boolean: 'false',
  date: '1000-01-01',
  timestamp: '1000-01-01T00:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** Nobody is let in for what the body says: rules do not see it. */
function optionsOf(method: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): RequestInit {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ANSWER)]);
  const common = { method, redirect: 'manual', signal: patience } as const;
  if (method === 'GET') return { ...common, headers };
  return { ...common, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
}

async function statusOf(url: string, options: RequestInit): Promise<number | undefined> {
  try {
    const response = await fetch(url, options);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** A line for each reason. */
export function untestedLines({ untested }: AccessTested): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { refusal, why } of untested) {
    const key = `not tested as ${refusal.caller}, since ${why}`;
    reasons.set(key, [...(reasons.get(key) ?? []), refusal.endpoint]);
  }
  return [...reasons].map(([why, endpoints]) => `${why}: ${endpoints.join(', ')}`);
}
