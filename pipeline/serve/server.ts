/**
 * A server for its own user: it listens on this machine only, answers only to its own names, and changes nothing. A
 * page of another site can neither read its answers nor reach it under a name of its own.
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { buildRecordFromText } from '../bake/build-record.ts';
import { definitionOf } from '../bake/withdrawals.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import type { Repository } from '../git/repository.ts';
import { GitRefusal } from '../git/run-git.ts';
import { readBuildFiles } from '../ledger/build-files.ts';
import { type Deployment, readDeployments } from '../ledger/deployments.ts';
import { type Ledger, ledgerBranches, readLedger } from '../ledger/ledger.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { differencePage } from '../page/difference-page.ts';
import { messagePage, policy } from '../page/frame.ts';
import { backLink, type FoundThing, type ListedRelease, releasesPage } from '../page/releases-page.ts';
import { reportPage } from '../page/report-page.ts';
import { releasePage } from '../push/build-report.ts';
import { reportOf } from '../push/release-log.ts';
import { PushRefusal } from '../push/settings.ts';

export const HOST = '127.0.0.1';
const ORIGIN = `http://${HOST}`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${policy(true)}; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Gives the server when it listens. */
export function serveReleases(repository: Repository, port: number): Promise<Server> {
  const pages = releasePages(repository);
  const server = createServer((request, response) => {
    const { status, page } = answerTo(request, pages, (server.address() as AddressInfo).port);
    const isHead = request.method === 'HEAD';
    const body = Buffer.from(page);
    response.writeHead(status, {
      ...HEADERS,
      'content-length': body.length,
      ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(isHead ? undefined : body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port, exclusive: true }, () => resolve(server));
  });
}

function answerTo({ method, url, headers }: IncomingMessage, pages: ReturnType<typeof releasePages>, port: number) {
  if (!isOwnName(headers.host, port))
    return { status: 421, page: messagePage('Not here', `this server is only for \`${HOST}:${port}\``) };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, page: messagePage('Not allowed', 'this server is read-only') };
  if (!URL.canParse(url ?? '/', ORIGIN))
    return { status: 400, page: messagePage('Not understood', 'this is not a valid address') };
  try {
    const { pathname, searchParams } = new URL(url ?? '/', ORIGIN);
    return pages(pathname, searchParams);
  } catch (error) {
    return { status: 500, page: messagePage('This cannot be shown', reasonIn(error)) };
  }
}

/** A site whose name leads to this machine would be another one. */
function isOwnName(host: string | undefined, port: number): boolean {
  return [HOST, 'localhost', '[::1]'].some((name) => host === `${name}:${port}` || (port === 80 && host === name));
}

function reasonIn(error: unknown): string {
  const isRefusal = [GitRefusal, LedgerRefusal, PushRefusal].some((kind) => error instanceof kind);
  return isRefusal
    ? (error as Error).message
    : 'the records cannot be read; another version of Kiln may have written them';
}

// ── Pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Each address that is served, and its page. Nothing is written.

interface Served {
  readonly status: 200 | 404;
  readonly page: string;
}

/** Gives what serves an address without its host. */
function releasePages(repository: Repository) {
  const find = releaseSearch(repository);
  return (path: string, query: URLSearchParams): Served => {
    const list = readReleases(repository);
    if (path === '/') return { status: 200, page: firstPage(list, query, find) };
    if (path === '/difference') return differenceOf(repository, list, query);
    const [, revision] = /^\/release\/([0-9a-f]{40,64})$/.exec(path) ?? [];
    if (revision !== undefined) return releaseOf(repository, list, revision, query.get('branch'));
    return notFound('Page not found');
  };
}

function firstPage({ application, releases, deployments }: ReleaseList, query: URLSearchParams, find: Find): string {
  const branch = query.get('branch') || null;
  const words = query.get('q')?.trim() ?? '';
  const shown = releases.filter(({ listed }) => branch === null || listed.branch === branch);
  return releasesPage({
    application,
    releases: releases.map(({ listed }) => listed),
    live: deployments,
    branch,
    search: words === '' ? null : { words, ...find(words, shown) },
  });
}

function releaseOf(
  repository: Repository,
  { application, releases, deployments }: ReleaseList,
  revision: string,
  branch: string | null,
): Served {
  const found = releaseAt(releases, revision, branch);
  if (found === undefined) return notFound(`${revision.slice(0, 12)} is not a release`);
  const live = deployments.filter((each) => each.revision === revision).map(({ environment }) => environment);
  const input = releasePage(repository, found.ledger, found.release);
  return { status: 200, page: reportPage({ ...input, live, back: backLink(application) }) };
}

function differenceOf(repository: Repository, { application, releases }: ReleaseList, query: URLSearchParams): Served {
  const [from, to] = ['from', 'to'].map((side) => releaseAt(releases, query.get(side) ?? '', null));
  if (from === undefined || to === undefined) return notFound('Choose two releases on the first page');
  const [before, after] = [definitionOf(repository, from.release), definitionOf(repository, to.release)];
  const page = differencePage({
    application,
    from: nameOf(from),
    to: nameOf(to),
    // The sources of old releases may be gone.
    difference: differenceBetween(before, after, NOWHERE),
    definitions: { before, after },
    back: backLink(application),
  });
  return { status: 200, page };
}

function notFound(text: string): Served {
  return { status: 404, page: messagePage('Not found', text) };
}

function releaseAt(
  releases: readonly KnownRelease[],
  revision: string,
  branch: string | null,
): KnownRelease | undefined {
  const all = releases.filter(({ listed }) => listed.revision === revision);
  return all.find(({ listed }) => listed.branch === branch) ?? all[0];
}

function nameOf({ listed: { branch, number, revision } }: KnownRelease): string {
  return `${branch} ${number} (${revision.slice(0, 12)})`;
}

// ── Release list ─────────────────────────────────────────────────────────────────────────────────────────────────────

// All releases of a repository, and the history of what is in them.

/** A release on one of its branches. */
interface KnownRelease {
  readonly listed: ListedRelease;
  readonly ledger: Ledger;
  readonly release: RecordedRelease;
}

interface ReleaseList {
  readonly application: string;
  /** The newest first, by the time of their commits. */
  readonly releases: readonly KnownRelease[];
  readonly deployments: readonly Deployment[];
}

function readReleases(repository: Repository): ReleaseList {
  const deployments = readDeployments(repository);
  const ledgers = ledgerBranches(repository).map((branch) => readLedger(repository, branch));
  const releases = ledgers.flatMap((ledger) => releasesOf(repository, ledger, deployments)).toSorted(byTime);
  const [newest] = releases;
  const application = newest ? reportOf(repository, newest.release).application : 'No releases yet';
  return { application, releases, deployments };
}

function releasesOf(
  repository: Repository,
  ledger: Ledger,
  deployments: readonly Deployment[],
): readonly KnownRelease[] {
  const { branch, releases } = ledger;
  const revisions = releases.map(({ release }) => release.revision);
  const records = readBuildFiles(repository, branch, revisions, 'build.json');
  return releases.map((release, at) => {
    const { revision } = release.release;
    const record = buildRecordFromText(records.get(revision) ?? '');
    const { subject, committed, difference } = reportOf(repository, release);
    const listed = {
      ...{ branch, revision, subject, committed },
      number: at + 1,
      breaking: difference?.api.filter(({ level }) => level === 'breaking').length ?? 0,
      weaker: difference?.access.filter(({ direction }) => direction === 'weaker').length ?? 0,
      warned: (record?.verdicts ?? []).filter(({ outcome }) => outcome === 'warned').length,
      outcome: record?.outcome ?? null,
      live: deployments.filter((each) => each.revision === revision).map(({ environment }) => environment),
    };
    return { listed, ledger, release };
  });
}

function byTime({ listed: a }: KnownRelease, { listed: b }: KnownRelease): number {
  return b.committed.localeCompare(a.committed) || a.branch.localeCompare(b.branch) || b.number - a.number;
}

// ── Search ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The history of models and endpoints: in which releases they were added, changed and removed.

/** `model Post` and `endpoint GET /api/post` to digests. */
type Things = ReadonlyMap<string, string>;

const MOST_FOUND = 40;

/** `releases` is the newest first. The same letters in another case are found too. */
type Find = (words: string, releases: readonly KnownRelease[]) => { found: readonly FoundThing[]; more: number };

function releaseSearch(repository: Repository): Find {
  // The things by the object of the definition: releases that change no definition share it.
  const things = new Map<string, Things>();
  const thingsOf = ({ release }: KnownRelease): Things => {
    const id = release.files['definition.json'];
    const known = things.get(id) ?? thingsIn(definitionOf(repository, release));
    things.set(id, known);
    return known;
  };
  const eventOf = (thing: string, { before, release }: Pair): FoundThing['events'] => {
    const [earlier, now] = [before && thingsOf(before).get(thing), thingsOf(release).get(thing)];
    if (earlier === now) return [];
    const change = earlier === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ release: release.listed, change }];
  };
  return (words, releases) => {
    const wanted = words.toLowerCase();
    const names = new Set(releases.flatMap((release) => [...thingsOf(release).keys()]));
    const matching = [...names]
      .filter((thing) => nameOfThing(thing).toLowerCase().includes(wanted))
      .toSorted(shortestFirst);
    const pairs = pairsOf(releases);
    const found = matching.slice(0, MOST_FOUND).map((thing) => ({
      kind: thing.startsWith('model ') ? ('model' as const) : ('endpoint' as const),
      name: nameOfThing(thing),
      events: pairs.flatMap((pair) => eventOf(thing, pair)),
    }));
    return { found, more: matching.length - found.length };
  };
}

interface Pair {
  readonly release: KnownRelease;
  /** The previous release on the same branch. */
  readonly before: KnownRelease | undefined;
}

function pairsOf(releases: readonly KnownRelease[]): readonly Pair[] {
  const key = (branch: string, number: number): string => `${number} ${branch}`;
  const places = new Map(releases.map((each) => [key(each.listed.branch, each.listed.number), each]));
  return releases.map((release) => {
    const { branch, number } = release.listed;
    return { release, before: places.get(key(branch, number - 1)) };
  });
}

function thingsIn({ models, endpoints }: Definition): Things {
  return new Map([
    ...models.map((model) => [`model ${model.name}`, digestOf(model)] as const),
    ...endpoints.map((each) => [`endpoint ${each.method} ${pathTemplate(each.path)}`, digestOf(each)] as const),
  ]);
}

function digestOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64');
}

function nameOfThing(thing: string): string {
  return thing.slice(thing.indexOf(' ') + 1);
}

/** Sorts shorter texts first: a full match comes before texts that only contain it. */
function shortestFirst(a: string, b: string): number {
  return a.length - b.length || a.localeCompare(b);
}
