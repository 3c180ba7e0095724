/**
 * A server for whoever runs it: it listens on this machine only, answers only to its own names, and changes nothing. A page
 * of another site can neither read what it says nor reach it under a name of its own.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definitionOf } from '../bake/withdrawals.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import type { Repository } from '../git/repository.ts';
import { GitRefusal } from '../git/run-git.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { differencePage } from '../page/difference-page.ts';
import { messagePage, policy } from '../page/frame.ts';
import { releasesPage, wayBack } from '../page/releases-page.ts';
import { reportPage } from '../page/report-page.ts';
import { releasePage } from '../push/build-report.ts';
import { PushRefusal } from '../push/settings.ts';
import { type KnownRelease, type ReleaseList, ReleaseSearch, readReleases } from './release-list.ts';

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

interface Answer {
  readonly status: number;
  readonly page: string;
}

/** Gives the server when it listens. */
export function serveReleases(repository: Repository, port: number): Promise<Server> {
  const pages = new ReleasePages(repository);
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

function answerTo({ method, url, headers }: IncomingMessage, pages: ReleasePages, port: number): Answer {
  if (!isOwnName(headers.host, port))
    return { status: 421, page: messagePage('Not here', `this server is only for \`${HOST}:${port}\``) };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, page: messagePage('Not allowed', 'this server is read-only') };
  if (!URL.canParse(url ?? '/', ORIGIN))
    return { status: 400, page: messagePage('Not understood', 'this is not a valid address') };
  try {
    const { pathname, searchParams } = new URL(url ?? '/', ORIGIN);
    return pages.serve(pathname, searchParams);
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

class ReleasePages {
  readonly #repository: Repository;
  readonly #search: ReleaseSearch;

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#search = new ReleaseSearch(repository);
  }

  /** Of an address without its host. */
  serve(path: string, query: URLSearchParams): Served {
    const list = readReleases(this.#repository);
    if (path === '/') return { status: 200, page: this.#releases(list, query) };
    if (path === '/difference') return this.#difference(list, query);
    const [, revision] = /^\/release\/([0-9a-f]{40,64})$/.exec(path) ?? [];
    if (revision !== undefined) return this.#release(list, revision, query.get('branch'));
    return notFound('Page not found');
  }

  #releases({ application, releases, deployments }: ReleaseList, query: URLSearchParams): string {
    const branch = query.get('branch') || null;
    const words = query.get('q')?.trim() ?? '';
    const shown = releases.filter(({ listed }) => branch === null || listed.branch === branch);
    return releasesPage({
      application,
      releases: releases.map(({ listed }) => listed),
      live: deployments,
      branch,
      search: words === '' ? null : { words, ...this.#search.find(words, shown) },
    });
  }

  #release({ application, releases, deployments }: ReleaseList, revision: string, branch: string | null): Served {
    const found = releaseAt(releases, revision, branch);
    if (found === undefined) return notFound(`${revision.slice(0, 12)} is not a release`);
    const live = deployments.filter((each) => each.revision === revision).map(({ environment }) => environment);
    const input = releasePage(this.#repository, found.ledger, found.release);
    return { status: 200, page: reportPage({ ...input, live, way: wayBack(application) }) };
  }

  #difference({ application, releases }: ReleaseList, query: URLSearchParams): Served {
    const [from, to] = ['from', 'to'].map((side) => releaseAt(releases, query.get(side) ?? '', null));
    if (from === undefined || to === undefined) return notFound('Choose two releases on the first page');
    const [before, after] = [definitionOf(this.#repository, from.release), definitionOf(this.#repository, to.release)];
    const page = differencePage({
      application,
      from: nameOf(from),
      to: nameOf(to),
      // The sources of old releases may be gone.
      difference: differenceBetween(before, after, NOWHERE),
      definitions: { before, after },
      way: wayBack(application),
    });
    return { status: 200, page };
  }
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
