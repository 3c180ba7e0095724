/**
 * Turns a revision into a recorded release and its layer: compile, compare, bundle, record. Obstacles are thrown as a
 * `BuildRefusal`, with all that is to be shown to the author.
 */
import { problemsText } from '../../compiler/change/problem-place.ts';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { stepsFrom } from '../../compiler/definition/migration.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { Program } from '../../compiler/program/program.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { LARGEST_FILE } from '../../files/source-rules.ts';
import { findingText, indexFindings } from '../../runtime/query/index-advice.ts';
import { callerLines } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { placesIn } from '../difference/subject-place.ts';
import { commitOf } from '../git/commit.ts';
import { readSmallBlobs, treeAt } from '../git/objects.ts';
import { applicationName, applicationTitle, gatesOf, sourceAddress } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import { sourcesAt } from '../git/sources-at.ts';
import { bundleHooks, type HookBundle } from '../hooks/bundle-hooks.ts';
import type { BundledPackage } from '../hooks/bundled-packages.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import { sourceHooks } from '../hooks/source-hooks.ts';
import type { Layer } from '../image/layer.ts';
import { appendRelease } from '../ledger/append-release.ts';
import { type Ledger, ledgerFor, readLedger } from '../ledger/ledger.ts';
import type { Steps } from '../smoke/steps.ts';
import type { BakeInput } from './bake.ts';
import { BuildRefusal } from './build-names.ts';
import { type HasFailed, liveText, migrationWords } from './compared-releases.ts';
import { applicationLayer, type PreparedRelease, preparedRelease, releaseInLedger } from './release-of-revision.ts';
import { MOST_LINES, reasonVerdicts } from './trailer-gates.ts';

export interface BuildInput {
  readonly repository: Repository;
  readonly revision: string;
  readonly branch: string;
  /** The folder of the project in the repository's tree. */
  readonly folder: string;
  /** The ledger to compare with, instead of the one that the branch has now. */
  readonly ledger?: Ledger;
  /** Missing where no test has failed that counts. */
  readonly hasFailed?: HasFailed;
  /** The gates that its report names, in place of those that are on here. */
  readonly reportedGates?: readonly string[];
}

export interface BuiltRelease extends BakeInput {
  /** The packages that the code of hooks contains. */
  readonly packages: readonly BundledPackage[];
}

/** A release that is recorded in the ledger. */
export interface RecordedBuild extends BuiltRelease {
  /** The commit of the release there. */
  readonly recorded: string;
}

export async function buildRelease(input: BuildInput, steps: Steps): Promise<RecordedBuild> {
  return recordRelease(input, await prepareRelease(input, steps), steps);
}

/** Runs all checks of the revision. Nothing is written. */
export async function prepareRelease(input: BuildInput, steps: Steps): Promise<BuiltRelease> {
  const { repository, revision, folder } = input;
  const named = namesOf(input);
  const source = sourceAddress(repository, revision, folder);
  const compiled = await steps.run('compile', () => compiledOrRefused(input), modelsText);
  const release = await steps.run('compare', () => releaseOrRefused(input, named, compiled), changesText);
  const verdicts = reasonVerdicts(input, release);
  mustHaveIndexes(input, release);
  steps.note([
    ...migrationWords(release.chain.releases, release.from),
    ...release.notes,
    ...release.gateChanges,
    ...changeWords(release),
  ]);
  for (const verdict of verdicts) steps.judge(verdict);
  if (release.gateChanges.length > 0)
    steps.judge({ of: 'gates', outcome: 'warned', says: 'turned on or off', details: release.gateChanges });
  const hooks = await hooksOrRefused(input, release);
  const layer = await steps.run('layer', () => applicationLayer(release, hooks?.text), sizeText);
  return { ...named, source, release, layers: [layer], packages: hooks?.packages ?? [] };
}

function namesOf({ repository, revision, folder }: BuildInput): Pick<BuiltRelease, 'application' | 'title' | 'commit'> {
  return {
    application: applicationName(repository, revision, folder),
    title: applicationTitle(repository, revision, folder),
    commit: commitOf(repository, revision),
  };
}

/**
 * Appends the release to the ledger that it was compared with. A ledger that has grown since is rejected, because the
 * steps would begin elsewhere.
 */
export async function recordRelease(
  { repository, revision }: BuildInput,
  built: BuiltRelease,
  steps: Steps,
): Promise<RecordedBuild> {
  const { ledger, texts } = built.release;
  const { release } = await steps.run('record', () => appendRelease(repository, ledger, revision, texts));
  return { ...built, recorded: release.commit };
}

/** Lists what callers notice, and the reasons given for it, for the person who pushes. */
function changeWords({ difference, breaking, reviewed, live }: PreparedRelease): readonly string[] {
  const linesOf = (each: PlacedDifference) => callerLines(each, MOST_LINES, { colour: false });
  return [
    ...(difference === null ? [] : linesOf(difference)),
    ...breaking.map((reason) => `reason for breaking changes: ${reason}`),
    ...reviewed.map((reason) => `reason for rules of access: ${reason}`),
    ...live.flatMap((each) => {
      const lines = linesOf(each.difference);
      const none = lines.length === 0 ? 'no change for callers' : '';
      return [`since ${liveText(each)}: ${none}`.trim(), ...lines.map((line) => `  ${line}`)];
    }),
  ];
}

function sizeText({ tar }: Layer): string {
  return `${Math.ceil(tar.length / 1024)} KB`;
}

export interface Compiled {
  readonly definition: Definition;
  readonly program: Program;
  readonly sources: readonly SourceFile[];
}

function modelsText({ definition }: Compiled): string {
  return `${plural(definition.models.length, 'model')}, ${plural(definition.endpoints.length, 'endpoint')}`;
}

function changesText({ isRecorded, chain, from }: PreparedRelease): string {
  if (isRecorded) return 'released before';
  const steps = stepsFrom(chain.releases, from).now.length;
  if (chain.releases.length === 1) return 'the first release';
  return steps === 0 ? 'no change of the database' : `${plural(steps, 'step')} of migration`;
}

/** The layers that an image of a recorded release has; nothing where it was not recorded. */
export async function recordedLayers(input: BuildInput): Promise<Pick<BuiltRelease, 'release' | 'layers'> | undefined> {
  const { repository, revision, branch } = input;
  const release = releaseInLedger(repository, readLedger(repository, branch), revision);
  if (release === undefined) return undefined;
  const hooks = await hooksOrRefused(input, release);
  return { release, layers: [await applicationLayer(release, hooks?.text)] };
}

/** Checks whether this would be a release. Nothing is written. */
export async function checkRelease(input: BuildInput): Promise<PreparedRelease> {
  const compiled = await compiledOrRefused(input);
  return releaseOrRefused(input, namesOf(input), compiled);
}

/** Compiles the sources of the revision, whatever the work tree looks like. */
export async function compiledOrRefused({
  repository,
  revision,
  folder,
}: Omit<BuildInput, 'branch'>): Promise<Compiled> {
  await loadGrammar();
  const { sources, problems, fileText } = sourcesAt(repository, revision, folder);
  if (problems.length > 0) throw new BuildRefusal(problems.map(({ message }) => message).join('\n'));
  const { definition, program, diagnostics } = compile(sources, fileText);
  if (definition && program) return { definition, program, sources };
  throw new BuildRefusal(
    'the sources have errors',
    renderText(diagnostics, new SourceMap(sources, '', fileText), { colour: false }),
  );
}

function releaseOrRefused(
  {
    repository,
    revision,
    branch,
    folder,
    ledger = ledgerFor(repository, branch, revision),
    hasFailed = () => false,
    reportedGates,
  }: BuildInput,
  named: ReturnType<typeof namesOf>,
  { definition, program, sources }: Compiled,
): PreparedRelease {
  const placesAgainst = (other: Definition) => placesIn(program, new SourceMap(sources), other);
  const prepared = preparedRelease(repository, {
    ...{ ...named, folder, definition, ledger, hasFailed, placesAgainst, reportedGates },
  });
  if ('length' in prepared)
    throw new BuildRefusal(
      'the change does not say what happens to data',
      problemsText(prepared, program, new SourceMap(sources), { colour: false }),
    );
  return prepared;
}

/** The code of hooks, bundled from the files of the revision and nothing else. Nothing where no hook has a source. */
async function hooksOrRefused(
  { repository, revision, folder }: BuildInput,
  { definition }: PreparedRelease,
): Promise<Extract<HookBundle, { readonly text: string }> | undefined> {
  if (sourceHooks(definition).length === 0) return undefined;
  const bundle = await bundleHooks(modulesAt(repository, revision, folder), definition);
  if (bundle === undefined || 'text' in bundle) return bundle;
  throw new BuildRefusal('the code of hooks cannot be bundled', bundle.problems.map(hookProblemText).join('\n'));
}

function hookProblemText({ code, message, place, help }: HookProblem): string {
  const where = place ? `\n  --> ${visible(place.file)}:${place.line}:${place.start + 1}` : '';
  return `error[${code}]: ${visible(message)}${where}${help === null ? '' : `\n  = help: ${visible(help)}`}`;
}

// ── Plan gate ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The gate for plans: where it is on, a release without the indexes that its endpoints need is rejected before anything
// is recorded.

/** Rejects a release that lacks indexes. A release that is recorded already is never rejected later. */
function mustHaveIndexes({ repository, revision, folder }: BuildInput, release: PreparedRelease): void {
  const why = gatesOf(repository, revision, folder).get('plans');
  if (release.isRecorded || why === undefined) return;
  const lines = indexFindings(release.definition).map(findingText);
  if (lines.length === 0) return;
  throw new BuildRefusal(`endpoints of this release lack an index, and ${why}; add the indexes`, lines.join('\n'));
}

// ── Revision hooks ───────────────────────────────────────────────────────────────────────────────────────────────────

const MODULE = /\.([cm]?[jt]sx?|json)$/;

/** Reads every file that could be imported; links and files too large to be code are left out. */
function modulesAt(repository: Repository, revision: string, folder: string): ReadonlyMap<string, Buffer> {
  const files = treeAt(repository, revision, folder) ?? [];
  const modules = files.filter(({ kind, path }) => kind === 'file' && MODULE.test(path));
  const { contents } = readSmallBlobs(repository, modules, LARGEST_FILE);
  return new Map(
    modules.flatMap(({ path, id }) => {
      const content = contents.get(id);
      return content ? [[path, content] as const] : [];
    }),
  );
}
