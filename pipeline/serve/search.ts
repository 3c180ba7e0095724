/** The history of models and endpoints: in which releases they were added, changed and removed. */
import { createHash } from 'node:crypto';
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { readBlobs } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { FoundThing } from '../page/releases-page.ts';
import type { KnownRelease } from './release-list.ts';

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
