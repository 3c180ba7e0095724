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
import { accessLines, apiLines, callerLines } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { placesIn } from '../difference/subject-place.ts';
import { commitOf } from '../git/commit.ts';
import { readSmallBlobs, treeAt } from '../git/objects.ts';
import { applicationName, applicationTitle, type GateName, gatesOf, sourceAddress } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import { sourcesAt } from '../git/sources-at.ts';
import { bundleHooks, type HookBundle } from '../hooks/bundle-hooks.ts';
import type { BundledPackage } from '../hooks/bundled-packages.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import { sourceHooks } from '../hooks/source-hooks.ts';
import type { Layer } from '../image/layer.ts';
import { appendRelease } from '../ledger/append-release.ts';
import { type Ledger, ledgerFor, readLedger } from '../ledger/ledger.ts';
import type { Steps, Verdict } from '../smoke/steps.ts';
import type { BakeInput } from './bake.ts';
import { ACCESS, BREAKING, BuildRefusal } from './build-names.ts';
import { type HasFailed, liveText, migrationWords } from './compared-releases.ts';
import {
  applicationLayer,
  type ComparedRelease,
  type PreparedRelease,
  preparedRelease,
  releaseInLedger,
} from './release-of-revision.ts';

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

// ── Gates ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Gates that a trailer opens: changes that break callers of the API, and rules of access that let more callers in. They are
// told in any case; where the gate is on, a commit has to give the reason.

interface Revision {
  readonly repository: Repository;
  readonly revision: string;
  readonly folder: string;
}

interface TrailerGate {
  readonly name: GateName;
  /** The subject of the verdict. */
  readonly of: string;
  readonly trailer: string;
  readonly reasons: (release: ComparedRelease) => readonly string[];
  /** How many changes need a reason, in words, and a line for each. */
  readonly found: (difference: PlacedDifference) => Omit<Found, 'reasons'>;
  readonly none: string;
}

/** The number of lines that are shown; the rest is counted. */
const MOST_LINES = 20;
const PLAIN = { colour: false };

const CONTRACT_GATE: TrailerGate = {
  name: 'contract',
  of: 'contract',
  trailer: BREAKING,
  reasons: ({ breaking }) => breaking,
  found: ({ api }) => {
    const broken = api.filter(({ level }) => level === 'breaking');
    const count = broken.length;
    const says = `${plural(count, 'change')} ${count === 1 ? 'breaks' : 'break'} callers of the API`;
    return { count, says, lines: apiLines(broken, MOST_LINES, PLAIN) };
  },
  none: 'no change breaks callers of the API',
};

/** A rule that cannot be compared with what it was may let others in. */
const ACCESS_GATE: TrailerGate = {
  name: 'access',
  of: 'rules of access',
  trailer: ACCESS,
  reasons: ({ reviewed }) => reviewed,
  found: ({ access }) => {
    const weaker = access.filter(({ direction }) => direction === 'weaker');
    const others = access.filter(({ direction }) => direction === 'other');
    const found = [...weaker, ...others];
    const says = weakerText(weaker.length, others.length);
    return { count: found.length, says, lines: accessLines(found, MOST_LINES, PLAIN) };
  },
  none: 'no rule of access is weaker',
};

function weakerText(weaker: number, others: number): string {
  const rules = (count: number) => `${plural(count, 'rule')} of access`;
  return [
    ...(weaker === 0 ? [] : [`${rules(weaker)} ${weaker === 1 ? 'is' : 'are'} weaker`]),
    ...(others === 0 ? [] : [`${rules(others)} cannot be compared with what ${others === 1 ? 'it was' : 'they were'}`]),
  ].join(', and ');
}

const TRAILER_GATES: readonly TrailerGate[] = [CONTRACT_GATE, ACCESS_GATE];

/**
 * Collects the verdict of each gate on a release, for its report. A release is compared with the newest one that
 * passed, and with each live one: there must be a reason for each comparison. A release that is recorded already is
 * never rejected later.
 */
export function reasonVerdicts(
  { repository, revision, folder }: Revision,
  release: PreparedRelease,
): readonly Verdict[] {
  const gates = gatesOf(repository, revision, folder);
  const compared = comparedWith(release);
  return TRAILER_GATES.map((gate) => {
    const found = compared.map((each) => foundBy(gate, each)).filter(({ count }) => count > 0);
    const why = release.isRecorded ? undefined : gates.get(gate.name);
    const unexplained = found.find(({ reasons }) => reasons.length === 0);
    if (why !== undefined && unexplained !== undefined) throw refusalOf(gate, unexplained, why);
    return verdictOf(gate, found, compared.length === 0);
  });
}

/** `since` is empty for the release that it follows. */
interface Compared extends ComparedRelease {
  readonly since: string;
}

function comparedWith({ difference, breaking, reviewed, live }: PreparedRelease): readonly Compared[] {
  return [
    ...(difference === null ? [] : [{ difference, breaking, reviewed, since: '' }]),
    ...live.map((each) => ({ ...each, since: `since ${liveText(each)}, ` })),
  ];
}

interface Found {
  readonly count: number;
  readonly says: string;
  readonly lines: readonly string[];
  readonly reasons: readonly string[];
}

function foundBy(gate: TrailerGate, compared: Compared): Found {
  const { count, says, lines } = gate.found(compared.difference);
  return { count, says: `${compared.since}${says}`, lines, reasons: gate.reasons(compared) };
}

function refusalOf({ trailer }: TrailerGate, { count, says, lines }: Found, why: string): BuildRefusal {
  const ways = `undo ${count === 1 ? 'it' : 'them'}, or give the reason: end a commit message with the line \`${trailer}: <reason>\``;
  return new BuildRefusal(`${says}, and ${why}; ${ways} (\`git commit --amend\`)`, lines.join('\n'));
}

function verdictOf({ of, none }: TrailerGate, found: readonly Found[], isFirst: boolean): Verdict {
  if (isFirst) return { of, outcome: 'skipped', says: 'there is no release to compare with', details: [] };
  if (found.length === 0) return { of, outcome: 'passed', says: none, details: [] };
  const reasons = [...new Set(found.flatMap((each) => each.reasons))].map((reason) => `reason: ${reason}`);
  const details = [...reasons, ...new Set(found.flatMap(({ lines }) => lines))];
  return { of, outcome: 'warned', says: found.map(({ says }) => says).join(', and '), details };
}
