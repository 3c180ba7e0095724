/** Each address that is served, and its page. Nothing is written. */
import { differenceBetween } from '../difference/difference-between.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import type { Repository } from '../git/repository.ts';
import { differencePage } from '../page/difference-page.ts';
import { messagePage } from '../page/message-page.ts';
import { releasesPage, wayBack } from '../page/releases-page.ts';
import { reportPage } from '../page/report-page.ts';
import { definitionOf, releasePage } from '../push/release-page.ts';
import { type KnownRelease, type ReleaseList, ReleaseReader } from './release-list.ts';
import { ReleaseSearch } from './search.ts';

export interface Served {
  readonly status: 200 | 404;
  readonly page: string;
}

export class ReleasePages {
  readonly #repository: Repository;
  readonly #reader: ReleaseReader;
  readonly #search: ReleaseSearch;

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#reader = new ReleaseReader(repository);
    this.#search = new ReleaseSearch(repository);
  }

  /** Of an address without its host. */
  serve(path: string, query: URLSearchParams): Served {
    const list = this.#reader.list();
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
