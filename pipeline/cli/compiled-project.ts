import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { placedProblems, problemsText } from '../../compiler/change/problem-place.ts';
import { type Compilation, type KnownFiles, readSource } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { edited } from '../../compiler/diagnostics/apply-edits.ts';
import { type Diagnostic, wordsOf } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import { visibleLines } from '../../compiler/diagnostics/source-line.ts';
import type { ClientText } from '../../compiler/emit/client/client-from-definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile, Span } from '../../compiler/source/source-file.ts';
import { DOTENV } from '../../files/dotenv.ts';
import { fileTextFrom } from '../../files/file-text.ts';
import { type ReadSources, readSources } from '../../files/read-sources.ts';
import type { CompileProblem, CompileState } from '../../runtime/console/live/live-event.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { writeClients } from '../clients/write-clients.ts';
import { errorsIn, hookReports, problemFromSentence, problemsFromDiagnostics } from '../dev/compile-problems.ts';
import {
  answerTo,
  decideLoss,
  lossText,
  type ProblemsText,
  type Prompt,
  questionText,
  type Rename,
} from '../dev/decide-loss.ts';
import type { Project } from '../dev/dev-server.ts';
import type { Decision, Loss } from '../dev/sync.ts';
import { placesIn } from '../difference/subject-place.ts';
import { bundleHooks, loadHooks } from '../hooks/bundle-hooks.ts';
import { writeHookTypes } from '../hooks/write-types.ts';
import { projectSettings } from './local-database.ts';
import { compileSources, reportDiagnostics, reportHookProblems, reportProblems, sourceMapOf } from './project.ts';
import { complain, hasColour, note, pointToExplanation, print, tellPainted } from './terminal.ts';

export interface ProjectDefinition {
  readonly folder: string;
  readonly definition: Definition;
  /** Problems of a change, each with its line of the sources. */
  readonly problemsText: ProblemsText;
  readonly problemsShown: Project['problemsShown'];
  readonly placesAgainst: Project['placesAgainst'];
  readonly renames: Project['renames'];
}

/** Receives the reported problems, for readers other than those at the terminal. `fix` writes what mends one of them. */
export type TellProblems = (problems: readonly CompileProblem[], fix?: (at: number) => boolean) => void;

/** A project's definition; undefined where it is not right, which has been said then. */
export async function projectDefinition(
  dir: string,
  tell?: TellProblems,
  known?: KnownFiles,
): Promise<ProjectDefinition | undefined> {
  const read = readSources(dir);
  if (read.problems.length > 0) {
    reportProblems(read.problems);
    tell?.(read.problems.map(({ message }) => problemFromSentence(message)));
    return undefined;
  }
  const { definition, program, diagnostics, isComplete } = await compileSources(read, { known });
  reportDiagnostics(diagnostics, read, isComplete);
  const sources = sourceMapOf(read);
  if (definition === undefined || program === undefined) {
    tell?.(problemsFromDiagnostics(diagnostics, sources), (at) => fixed(read, errorsIn(diagnostics)[at]));
    return undefined;
  }
  const options = { colour: hasColour(process.stderr) };
  return {
    folder: read.folder,
    definition,
    problemsText: (problems) => problemsText(problems, program, sources, options),
    problemsShown: (problems) => problemsFromDiagnostics(placedProblems(problems, program), sources),
    placesAgainst: (other) => placesIn(program, sources, other),
    renames: renamesIn(read, program, sources),
  };
}

/** Compiles all that a server needs. */
export async function compiledProject(
  dir: string,
  tell: TellProblems,
  known: KnownFiles,
): Promise<Project | undefined> {
  const found = await projectDefinition(dir, tell, known);
  if (!found) return undefined;
  const { folder, ...project } = found;
  const hooks = await projectHooks(folder, project.definition, tell);
  const settings = await settingsOf(folder, project.definition, tell);
  return hooks && settings && { ...project, hooks, settings, openApi: () => documentOf(folder, project.definition) };
}

export async function settingsOf(folder: string, definition: Definition, tell?: TellProblems) {
  const read = await projectSettings(folder, definition);
  if ('settings' in read) return read.settings;
  for (const problem of read.problems) complain(problem);
  note(`Settings come from the environment and from ${DOTENV}.`);
  tell?.(read.problems.map(problemFromSentence));
  return undefined;
}

/** The text of `/openapi.json`. */
export function documentOf(folder: string, definition: Definition): string {
  return openApiText(openApiFromDefinition(definition, { title: basename(resolve(folder)), version: 'development' }));
}

// ── Write was ────────────────────────────────────────────────────────────────────────────────────────────────────────

// Writes `was` into the sources for a rename that somebody has picked in a prompt.

type Program = NonNullable<Compilation['program']>;

function renamesIn(read: ReadSources, program: Program, sources: SourceMap): Pick<Prompt, 'placeOf' | 'write'> {
  const editFor = (rename: Rename) => {
    const span = spanOf(rename, program);
    const source = span && read.sources.find(({ path }) => path === span.file);
    const next = source && textWithWas(source.text, span, rename);
    if (span === undefined || source === undefined || next === undefined) return undefined;
    const place = `${sources.name(span.file)}:${sources.lines(span.file).positionAt(span.start).line}`;
    return { place, write: () => written(read.folder, source, next) };
  };
  return {
    placeOf: (rename) => editFor(rename)?.place,
    write: (rename) => editFor(rename)?.write() ?? false,
  };
}

function spanOf({ model: name, member }: Rename, { models }: Program): Span | undefined {
  const model = models.find((each) => each.name === name);
  return member === undefined ? model?.span : model?.members.get(member)?.span;
}

/** Writes only over the text that was compiled: edits made in the meantime are not lost. */
function written(folder: string, { path, text }: SourceFile, next: string | undefined): boolean {
  const file = join(folder, path);
  if (next === undefined || readFileSync(file, 'utf8') !== text) return false;
  writeFileSync(file, next);
  return true;
}

/** Makes the edits that fix an error. False where there are none, or the sources have changed. */
function fixed({ folder, sources }: ReadSources, error: Diagnostic | undefined): boolean {
  const after = edited(sources, (error && wordsOf(error).edits) ?? []);
  const changed = sources.filter((source) => !after.includes(source));
  const textOf = (source: SourceFile): string | undefined => after[sources.indexOf(source)]?.text;
  return changed.length > 0 && changed.every((source) => written(folder, source, textOf(source)));
}

/**
 * `name` is where the new name is. A `was` of an earlier rename is replaced. Undefined where the block of a
 * member does not follow it.
 */
export function textWithWas(text: string, name: Pick<Span, 'end'>, { member, was }: Rename): string | undefined {
  const declarations = readSource({ path: '', text }, new Diagnostics())?.ast.declarations ?? [];
  const former = declarations
    .flatMap((each) => (each.kind === 'model' ? [each, ...each.members] : []))
    .flatMap((each) => ('was' in each && each.name.span.end === name.end ? (each.was?.span ?? []) : []))[0];
  if (former) return inserted(text, former.start, was, former.end);
  if (member === undefined) return inserted(text, name.end, ` was ${was}`);
  const head = /^\s*\{/.exec(text.slice(name.end))?.[0];
  if (head === undefined) return undefined;
  const open = name.end + head.length;
  const simple = /^[^{}"\n/]*[^{}"\n/\s,](?=,?[ \t]*\})/.exec(text.slice(open))?.[0];
  if (simple !== undefined) return inserted(text, open + simple.length, `, was ${was}`);
  const indent = /^[ \t]*\r?\n([ \t]*)/.exec(text.slice(open))?.[1];
  return inserted(text, open, indent === undefined ? ` was ${was},` : `\n${indent}was ${was}`);
}

function inserted(text: string, at: number, words: string, end = at): string {
  return text.slice(0, at) + words + text.slice(end);
}

// ── Project hooks ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The code of a project's hooks; undefined where it cannot be used, which has been said then. */
export async function projectHooks(
  folder: string,
  definition: Definition,
  tell?: TellProblems,
): Promise<HookModules | undefined> {
  const bundle = await bundleHooks(folder, definition);
  if (bundle === undefined) return {};
  if ('problems' in bundle) {
    reportHookProblems(bundle.problems, folder);
    const reports = hookReports(bundle.problems, fileTextFrom(folder));
    tell?.(problemsFromDiagnostics(reports, sourceMapOf({ folder, sources: [] })));
    return undefined;
  }
  const loaded = writeHookTypes(folder, definition) ?? (await loadHooks(folder, bundle.text));
  if (typeof loaded !== 'string') return loaded;
  complain(loaded);
  tell?.([problemFromSentence(loaded)]);
  return undefined;
}

// ── Generated clients ────────────────────────────────────────────────────────────────────────────────────────────────

// The clients that sources ask for with `generator client`, kept as the sources are.

/**
 * Writes the generated files; false where one could not be written, which has been reported then. `known` is the
 * client, where it has been made already.
 */
export async function writeGenerated(folder: string, definition: Definition, known?: ClientText): Promise<boolean> {
  const { written, refusals } = await writeClients(folder, definition, known);
  // The names can be opened from the current folder.
  for (const path of written) print(`Wrote ${relative(process.cwd(), join(folder, path))}`);
  for (const refusal of refusals) complain(refusal);
  return refusals.length === 0;
}

// ── Loss prompt ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The texts and questions of `kiln dev` and `kiln db sync` where data would be lost.

type Asked = Pick<Project, 'problemsText' | 'problemsShown' | 'renames'>;

export function showLoss(loss: Loss, { problemsText }: Asked): void {
  tellPainted(lossText(loss, problemsText));
  pointToExplanation(loss.problems[0]?.code);
}

/** The console of `kiln dev`, which shows questions too. */
interface Elsewhere {
  /** Its answers, by the question with its choices, as JSON: with other choices it is another one. */
  readonly given: ReadonlyMap<string, string>;
  tell(state: CompileState): void;
}

export function askAboutLoss(
  loss: Loss,
  project: Asked,
  signal?: AbortSignal,
  elsewhere?: Elsewhere,
): Promise<Decision> {
  showLoss(loss, project);
  const { placeOf, write } = project.renames;
  return decideLoss(loss, {
    ask: async (question) => {
      const given = elsewhere?.given.get(JSON.stringify(question));
      if (given !== undefined) return given;
      elsewhere?.tell({ problems: project.problemsShown(loss.problems), question });
      return answerTo(visibleLines(questionText(question)), signal);
    },
    placeOf,
    write: (rename) => {
      const isWritten = write(rename);
      note(
        isWritten ? `Wrote \`was ${rename.was}\` at ${placeOf(rename)}.` : 'The source has changed in the meantime.',
      );
      return isWritten;
    },
  });
}
