/** All releases of a repository, and the history of what is in them. */
import { createHash } from 'node:crypto';
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { buildRecordFromText, type ReleaseReport } from '../bake/build-record.ts';
import { readBlobs } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { readBuildFiles } from '../ledger/build-files.ts';
import { type Deployment, readDeployments } from '../ledger/deployments.ts';
import { type Ledger, ledgerBranches, readLedger, readReleaseText } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import type { FoundThing, ListedRelease } from '../page/releases-page.ts';
import { buildOf, type Journal, readJournal } from '../push/build-journal.ts';

/** A release on one of its branches. */
export interface KnownRelease {
  readonly listed: ListedRelease;
  readonly ledger: Ledger;
  readonly release: RecordedRelease;
}

export interface ReleaseList {
  readonly application: string;
  /** The newest first, by the time of their commits. */
  readonly releases: readonly KnownRelease[];
  readonly deployments: readonly Deployment[];
}

export function readReleases(repository: Repository): ReleaseList {
  const deployments = readDeployments(repository);
  const ledgers = ledgerBranches(repository).map((branch) => readLedger(repository, branch));
  const releases = ledgers.flatMap((ledger) => releasesOf(repository, ledger, deployments)).toSorted(byTime);
  const [newest] = releases;
  const application = newest ? reportOf(repository, newest.release).application : 'No releases yet';
  return { application, releases, deployments };
}

function reportOf(repository: Repository, release: RecordedRelease): ReleaseReport {
  return JSON.parse(readReleaseText(repository, release, 'report.json')) as ReleaseReport;
}

function releasesOf(
  repository: Repository,
  ledger: Ledger,
  deployments: readonly Deployment[],
): readonly KnownRelease[] {
  const { branch, releases } = ledger;
  const revisions = releases.map(({ release }) => release.revision);
  const records = readBuildFiles(repository, branch, revisions, 'build.json');
  const journal = readJournal(repository, branch);
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
      // Builds of an earlier Kiln are only in its journal.
      outcome: record?.outcome ?? outcomeIn(journal, revision),
      live: deployments.filter((each) => each.revision === revision).map(({ environment }) => environment),
    };
    return { listed, ledger, release };
  });
}

/** What was tested and did not get into its registry is tested. */
function outcomeIn(journal: Journal, revision: string): ListedRelease['outcome'] {
  const outcome = buildOf(journal, revision)?.outcome ?? null;
  return outcome === 'unpushed' ? 'tested' : outcome;
}

function byTime({ listed: a }: KnownRelease, { listed: b }: KnownRelease): number {
  return b.committed.localeCompare(a.committed) || a.branch.localeCompare(b.branch) || b.number - a.number;
}

// ── Search ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The history of models and endpoints: in which releases they were added, changed and removed.

type Kind = FoundThing['kind'];

/** `model Post` and `endpoint GET /api/post` to digests. */
type Things = ReadonlyMap<string, string>;

/** A large application has definitions of megabytes, so not all of them are read at once. */
const AT_ONCE = 16;
const MOST_FOUND = 40;

export class ReleaseSearch {
  readonly #repository: Repository;
  /** By the object of the definition: releases that change no definition share it. */
  readonly #things = new Map<string, Things>();

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** `releases` is the newest first. The same letters in another case are found too. */
  find(
    words: string,
    releases: readonly KnownRelease[],
  ): { readonly found: readonly FoundThing[]; readonly more: number } {
    this.#read(releases.map(({ release }) => release.files['definition.json']));
    const wanted = words.toLowerCase();
    const names = new Set(releases.flatMap((release) => [...this.#thingsOf(release).keys()]));
    const matching = [...names].filter((thing) => nameOf(thing).toLowerCase().includes(wanted)).toSorted(shortestFirst);
    const pairs = pairsOf(releases);
    const found = matching.slice(0, MOST_FOUND).map((thing) => ({
      kind: kindOf(thing),
      name: nameOf(thing),
      events: pairs.flatMap((pair) => this.#eventOf(thing, pair)),
    }));
    return { found, more: matching.length - found.length };
  }

  #eventOf(thing: string, { before, release }: Pair): FoundThing['events'] {
    const [earlier, now] = [before && this.#thingsOf(before).get(thing), this.#thingsOf(release).get(thing)];
    if (earlier === now) return [];
    const change = earlier === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ release: release.listed, change }];
  }

  #thingsOf({ release }: KnownRelease): Things {
    return this.#things.get(release.files['definition.json']) ?? new Map();
  }

  #read(ids: readonly string[]): void {
    const unknown = [...new Set(ids)].filter((id) => !this.#things.has(id));
    for (let at = 0; at < unknown.length; at += AT_ONCE) {
      for (const [id, bytes] of readBlobs(this.#repository, unknown.slice(at, at + AT_ONCE)))
        this.#things.set(id, thingsIn(JSON.parse(bytes.toString('utf8')) as Definition));
    }
  }
}

interface Pair {
  readonly release: KnownRelease;
  /** On the same branch. */
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
  const all: readonly (readonly [Kind, string, unknown])[] = [
    ...models.map((model) => ['model', model.name, model] as const),
    ...endpoints.map(
      (endpoint) => ['endpoint', `${endpoint.method} ${pathTemplate(endpoint.path)}`, endpoint] as const,
    ),
  ];
  return new Map(all.map(([kind, name, value]) => [`${kind} ${name}`, digestOf(value)]));
}

function digestOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64');
}

function kindOf(thing: string): Kind {
  return thing.startsWith('model ') ? 'model' : 'endpoint';
}

function nameOf(thing: string): string {
  return thing.slice(thing.indexOf(' ') + 1);
}

/** What was typed in full comes before what only contains it. */
function shortestFirst(a: string, b: string): number {
  return a.length - b.length || a.localeCompare(b);
}
