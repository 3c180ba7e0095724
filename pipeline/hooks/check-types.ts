/** Checks the types of hooks with the TypeScript of the project, with the same declarations as an editor has. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { fileTextFrom } from '../../files/file-text.ts';
import { kilnFolderOf, writeWhole } from '../../files/write-file.ts';
import type { HookProblem } from './hook-problem.ts';
import { sourceHooks } from './source-hooks.ts';
import { writeHookTypes } from './write-types.ts';

/**
 * The type errors; none where no hook is written in TypeScript, where the project has no TypeScript, or where its folder
 * cannot be written.
 */
export async function hookTypeProblems(projectFolder: string, definition: Definition): Promise<readonly HookProblem[]> {
  const files = new Set(sourceHooks(definition).map(({ file }) => file));
  const typed = [...files].filter((file) => /\.m?ts$/.test(file));
  const compiler = typed.length === 0 ? undefined : installed('typescript', projectFolder);
  if (compiler === undefined) return [];
  const settings = join(kilnFolderOf(projectFolder), 'tsconfig.json');
  const refusal = writeHookTypes(projectFolder, definition) ?? writeWhole(settings, settingsText(projectFolder, typed));
  if (refusal !== undefined) return [];
  const words = [join(compiler, 'bin/tsc'), '--project', resolve(settings), '--pretty', 'false'];
  const { output, failure } = await outputOf(words, projectFolder);
  const problems = problemsIn(output, fileTextFrom(projectFolder));
  if (failure === null || problems.length > 0) return problems;
  return [{ code: 'hook-type-error', message: `TypeScript has failed: ${failure}`, ...NOWHERE }];
}

const NOWHERE = { place: null, label: null, help: null };

/** The folder of a package that code of the project can import. */
function installed(name: string, projectFolder: string): string | undefined {
  try {
    return dirname(createRequire(join(resolve(projectFolder), 'package.json')).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** The options of the project's own `tsconfig.json`; without one, those that editors use then. */
function settingsText(projectFolder: string, files: readonly string[]): string {
  const own = '../tsconfig.json';
  const hasOwn = existsSync(join(kilnFolderOf(projectFolder), own));
  const node = installed('@types/node', projectFolder);
  const usual = {
    target: 'esnext',
    module: 'preserve',
    strict: true,
    noImplicitAny: false,
    skipLibCheck: true,
    ...(node && { typeRoots: [dirname(node)], types: ['node'] }),
  };
  const needed = { noEmit: true, allowImportingTsExtensions: true, composite: false, incremental: false };
  return JSON.stringify({
    ...(hasOwn && { extends: own }),
    compilerOptions: { ...(hasOwn ? {} : usual), ...needed },
    files: files.map((file) => join('..', file)),
    include: [],
  });
}

const MOST_BYTES = 16 * 1024 * 1024;

function outputOf(words: readonly string[], cwd: string): Promise<{ output: string; failure: string | null }> {
  return new Promise((done) => {
    execFile(process.execPath, words, { cwd, maxBuffer: MOST_BYTES }, (error, output) =>
      done({ output, failure: error && (error.signal ?? `exit code ${error.code}`) }),
    );
  });
}

/** `hooks/a.ts(3,7): error TS2322: …`, or without a place where the settings are wrong. Further lines are indented. */
const ERROR = /^(?:(.+)\((\d+),(\d+)\): )?error (TS\d+): (.+(?:\n +.+)*)/gm;

function problemsIn(output: string, textOf: (path: string) => string | undefined): readonly HookProblem[] {
  return [...output.matchAll(ERROR)].map(([, file, line, column, number = '', text = '']) => ({
    code: 'hook-type-error',
    message: `${text.replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '')} (${number})`,
    place: file === undefined ? null : placeAt(file, Number(line), Number(column) - 1, textOf(file) ?? ''),
    label: null,
    help: null,
  }));
}

/** TypeScript tells where it begins: the word there is marked. */
function placeAt(file: string, line: number, start: number, text: string) {
  const lineText = text.split('\n')[line - 1] ?? '';
  const word = /^(?:[\w$]+|.)/.exec(lineText.slice(start))?.[0] ?? '';
  return { file, line, start, end: start + word.length, lineText };
}
