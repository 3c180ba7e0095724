/** `kiln diff`: what changes between two releases, revisions, images or work trees, for callers, data, access and cost. */
import { basename, resolve } from 'node:path';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { BuildRefusal } from '../bake/build-names.ts';
import { type Compiled, compiledOrRefused } from '../bake/build-release.ts';
import { passedBefore } from '../bake/compared-releases.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { differenceLines, differenceMarkdown } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { NOWHERE, type PlaceOf, placesIn } from '../difference/subject-place.ts';
import { areHere } from '../git/objects.ts';
import { isTaggedName } from '../git/project-settings.ts';
import { openRepository, type Repository, referenceId } from '../git/repository.ts';
import { commonAncestor, currentBranch, revisionOf } from '../git/revision.ts';
import { GitRefusal } from '../git/run-git.ts';
import { sourcesAt } from '../git/sources-at.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { chainOf, type Ledger, ledgerFor, readLedger, readReleaseText, releaseOf } from '../ledger/ledger.ts';
import type { RecordedRelease } from '../ledger/read-chain.ts';
import { recordedDefinition } from '../ledger/release-files.ts';
import { failedIn } from '../push/build-journal.ts';
import { sourceMapOf, startParser } from './project.ts';
import {
  EXIT,
  type ExitCode,
  hasColour,
  mustWrite,
  print,
  printJson,
  printPainted,
  printText,
  Refusal,
} from './terminal.ts';

interface DiffOptions {
  readonly dir: string;
  readonly branch?: string;
  /** The branch that the later side came from, in place of the earlier side. */
  readonly base?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  /** The file to write, or true where none is named. */
  readonly html?: string | true;
  readonly exitCode?: boolean;
}

const DEFAULT_PAGE = 'diff.html';

export async function diff(from: string | undefined, to: string | undefined, options: DiffOptions): Promise<ExitCode> {
  if (from !== undefined && options.base !== undefined)
    throw new Refusal('--base stands for the earlier side, so name none; the later side is the work tree');
  const sides = new Sides(options.dir, options.branch);
  const before = await earlierSide(sides, from, options.base);
  const after = await sides.named(to ?? WORK_TREE);
  const definitions = { after: after.definition(), before: before.definition() };
  const difference = await differenceOf(before, after, definitions);
  const names = { from: before.name, to: after.name };
  await show({ names, definitions, difference }, options);
  return options.exitCode && !isHarmless(difference) ? EXIT.errors : EXIT.ok;
}

function earlierSide(sides: Sides, from: string | undefined, base: string | undefined): Side | Promise<Side> {
  if (base !== undefined) return sides.leftFrom(base);
  return from === undefined ? sides.newest() : sides.named(from);
}

interface Definitions {
  readonly before: Definition;
  readonly after: Definition;
}

/** The later sources have the places; the earlier ones only where the later side has none. */
async function differenceOf(before: Side, after: Side, definitions: Definitions): Promise<PlacedDifference> {
  const places = (await after.places(definitions.before)) ?? (await before.places(definitions.after)) ?? NOWHERE;
  return differenceBetween(definitions.before, definitions.after, places);
}

interface Compared {
  readonly names: { readonly from: string; readonly to: string };
  readonly definitions: Definitions;
  readonly difference: PlacedDifference;
}

async function show(
  { names, definitions, difference }: Compared,
  { dir, json, markdown, html }: DiffOptions,
): Promise<void> {
  if (html !== undefined) {
    // Drawing the models takes a package that `kiln dev`, which also compares, need not load.
    const { differencePage } = await import('../page/difference-page.ts');
    const application = basename(resolve(dir));
    const file = html === true ? DEFAULT_PAGE : html;
    mustWrite(file, differencePage({ application, ...names, difference, definitions }));
    print(`Wrote ${file}`);
  } else if (json) printJson(JSON.stringify({ ...names, ...difference }, undefined, 2));
  else if (markdown) printText(differenceMarkdown(difference, titleOf(names)));
  else printPainted(textOf(names, difference));
}

function textOf(names: Compared['names'], difference: PlacedDifference): string {
  const lines = differenceLines(difference, { colour: hasColour(process.stdout) });
  return [titleOf(names), '', ...lines].join('\n');
}

function titleOf({ from, to }: Compared['names']): string {
  return `From ${from} to ${to}`;
}

/** Whether callers go on as before, nobody may do more than before, and no data is undecided. */
function isHarmless({ api, access, data }: PlacedDifference): boolean {
  const isBreaking = api.some(({ level }) => level === 'breaking');
  const isWeaker = access.some(({ direction }) => direction === 'weaker');
  return !isBreaking && !isWeaker && data.undecided === undefined;
}

// ── Diff side ────────────────────────────────────────────────────────────────────────────────────────────────────────

// One side of `kiln diff`: the work tree, a release, a revision or an image, in this order of trying. A release is read
// from its ledger; only sources that are not released are compiled. Where a side has sources, places are found in them.

export interface Side {
  /** The name for people. */
  readonly name: string;
  /** A recorded one is read here. */
  readonly definition: () => Definition;
  /** Undefined where there are no sources to look into. */
  readonly places: (other: Definition) => Promise<PlaceOf | undefined>;
}

/** The place to look up the sides. Nothing is opened before it is needed: an image needs no repository. */
export class Sides {
  readonly #dir: string;
  readonly #repository: () => Repository;
  readonly #ledger: () => Ledger;

  constructor(dir: string, branch: string | undefined) {
    this.#dir = dir;
    this.#repository = once(() => openRepository(dir));
    this.#ledger = once(() => ledgerOf(this.#repository(), branch));
  }

  async named(text: string): Promise<Side> {
    if (text === WORK_TREE) return this.#workTree();
    const [, position] = RELEASE.exec(text) ?? [];
    if (position !== undefined) return this.#release(Number(position));
    const revision = this.#revision(text);
    return revision === undefined ? this.#image(text) : this.#atRevision(text, revision);
  }

  /** Finds the release that the next one will be compared with. */
  newest(): Side {
    const { releases } = this.#ledger();
    if (releases.length === 0) throw this.#nothingReleased();
    return this.#release(passedBefore(chainOf(this.#ledger()), failedIn(this.#repository())) || releases.length);
  }

  /** The commit where the one that is checked out left another branch: what came there since is none of its changes. */
  async leftFrom(branch: string): Promise<Side> {
    const revision = commonAncestor(this.#repository(), branch, 'HEAD');
    return this.#hasNoSources(revision) ? this.#nothing(branch, revision) : this.#atRevision(branch, revision);
  }

  /** A branch may bring the first sources. */
  #hasNoSources(revision: string): boolean {
    const { problems } = sourcesAt(this.#repository(), revision);
    return problems.some(({ kind }) => kind === 'missing' || kind === 'nothing-to-read');
  }

  async #nothing(text: string, revision: string): Promise<Side> {
    await startParser();
    const definition = compile([], () => undefined).definition as Definition;
    const name = `${text} (${revision.slice(0, 12)}), which has no sources,`;
    return { name, definition: () => definition, places: async () => undefined };
  }

  #release(position: number): Side {
    const { branch, releases } = this.#ledger();
    const release = releases[position - 1];
    if (release) return this.#recorded(release, `release ${position} of ${branch}`);
    if (releases.length === 0) throw this.#nothingReleased();
    const count = `\`${branch}\` has ${plural(releases.length, 'release')}`;
    throw new BuildRefusal(`there is no release ${position}: ${count}, and \`kiln pipeline log\` lists them`);
  }

  #nothingReleased(): BuildRefusal {
    const { branch } = this.#ledger();
    const ways = '`kiln diff HEAD` compares with the last commit, and `kiln build` makes a release';
    const elsewhere = "where releases are made elsewhere, `git fetch origin 'refs/kiln/*:refs/kiln/*'` fetches them";
    return new BuildRefusal(`nothing is released on \`${branch}\` yet; ${ways}; ${elsewhere}`);
  }

  #recorded(recorded: RecordedRelease, name: string): Side {
    const { revision } = recorded.release;
    const text = () => readReleaseText(this.#repository(), recorded, 'definition.json');
    return {
      name: `${name} (${revision.slice(0, 12)})`,
      definition: () => recordedDefinition(text(), name),
      places: (other) => this.#placesAt(revision, other),
    };
  }

  /** Sources of an older release may be gone, or be none of the language of today. */
  async #placesAt(revision: string, other: Definition): Promise<PlaceOf | undefined> {
    if (!areHere(this.#repository(), [`${revision}^{commit}`])[0]) return undefined;
    try {
      return this.#placesOf(await this.#compiled(revision), other);
    } catch (error) {
      if (error instanceof BuildRefusal) return undefined;
      throw error;
    }
  }

  #placesOf({ program, sources }: Pick<Compiled, 'program' | 'sources'>, other: Definition): PlaceOf {
    return placesIn(program, sourceMapOf({ folder: this.#dir, sources }), other);
  }

  #compiled(revision: string): Promise<Compiled> {
    const repository = this.#repository();
    return compiledOrRefused({ repository, revision, folder: repository.folder });
  }

  /** Resolves a revision; undefined where it is not a commit, so that it may be an image. */
  #revision(text: string): string | undefined {
    try {
      return revisionOf(this.#repository(), text);
    } catch (error) {
      if (error instanceof GitRefusal && NO_REVISION.has(error.kind)) return undefined;
      throw error;
    }
  }

  async #atRevision(text: string, revision: string): Promise<Side> {
    const short = revision.slice(0, 12);
    const name = revision.startsWith(text) ? short : `${text} (${short})`;
    const recorded = this.#releaseOf(revision);
    if (recorded) return { ...this.#recorded(recorded, text), name };
    const compiled = await this.#compiled(revision);
    const { definition } = compiled;
    return { name, definition: () => definition, places: async (other) => this.#placesOf(compiled, other) };
  }

  /** Finds a release in the ledger. There is no ledger where no branch is checked out. */
  #releaseOf(revision: string): RecordedRelease | undefined {
    try {
      return releaseOf(this.#ledger(), revision);
    } catch (error) {
      if (error instanceof GitRefusal) return undefined;
      throw error;
    }
  }

  async #workTree(): Promise<Side> {
    const read = readSources(this.#dir);
    if (read.problems.length > 0) throw new BuildRefusal(read.problems.map(({ message }) => message).join('\n'));
    await startParser();
    const { definition, program, diagnostics } = compile(read.sources, fileTextIn(read.folder));
    const sources = sourceMapOf(read);
    if (definition && program)
      return {
        name: 'the work tree',
        definition: () => definition,
        places: async (other) => placesIn(program, sources, other),
      };
    const shown = renderText(diagnostics, sources, { colour: hasColour(process.stderr) });
    throw new BuildRefusal('the work tree has errors', shown);
  }

  async #image(name: string): Promise<Side> {
    if (!isImage(name)) throw new BuildRefusal(`${noRevision(name)}, and no image can be called so`);
    const { DockerEngine, definitionInImage } = await import('../image/docker-engine.ts');
    const engine = await DockerEngine.connect().catch((cause) => {
      const why = 'and no Docker engine responds that could have such an image';
      throw cause instanceof ImageRefusal ? new BuildRefusal(`${noRevision(name)}, ${why}`) : cause;
    });
    const text = await definitionInImage(engine, name);
    if (text === null) throw new BuildRefusal(`${noRevision(name)}, and the Docker engine has no such image`);
    const what = `the image ${name}`;
    return { name: what, definition: () => recordedDefinition(text, what), places: async () => undefined };
  }
}

export const WORK_TREE = '.';
const RELEASE = /^@(\d{1,9})$/;

/** Reasons for which a text may still name an image. */
const NO_REVISION: ReadonlySet<string> = new Set(['unknown-revision', 'not-a-repository']);

function noRevision(name: string): string {
  return `\`${name}\` is neither a revision of this repository nor a release, as \`@3\` is`;
}

/** A name with or without a tag or a digest, or an id. */
function isImage(name: string): boolean {
  return ID.test(name) || isTaggedName(name.replace(DIGEST, ''));
}

const ID = /^sha256:[0-9a-f]{1,64}$/;
const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** A branch without releases begins with those of the branch that it comes from. */
function ledgerOf(repository: Repository, branch: string | undefined): Ledger {
  if (branch !== undefined) mustBeThere(repository, branch);
  return ledgerFor(repository, branch ?? currentBranch(repository), revisionOf(repository, 'HEAD'));
}

/** A branch may be gone, and its releases are still there. */
function mustBeThere(repository: Repository, branch: string): void {
  const isThere =
    readLedger(repository, branch).tip !== null || referenceId(repository, `refs/heads/${branch}`) !== null;
  if (!isThere) throw new BuildRefusal(`there is no branch \`${branch}\`, and no release of one`);
}
