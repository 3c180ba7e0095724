/** What is wrong with the files of hooks, as facts and words; how they are shown is up to the command. */
import type { Location, Message } from 'esbuild';

export interface HookProblem {
  readonly code: 'hook-import-missing' | 'hook-export-missing' | 'bad-hook-code' | 'hook-type-error';
  /** One sentence without a full stop. */
  readonly message: string;
  /** Null where the problem is in no line of the author. */
  readonly place: HookPlace | null;
  readonly label: string | null;
  readonly help: string | null;
}

export interface HookPlace {
  /** Relative to the project's folder. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** Offsets in the line, from 0. */
  readonly start: number;
  readonly end: number;
  readonly lineText: string;
}

export type BundleMessage = Pick<Message, 'text' | 'location'>;

/** The bundler's message about an import that leads out of its folder, whether there is a file or not. */
export const OUTSIDE = 'outside of the folder';

/** `entry` is the name of the module that Kiln writes itself. */
export function hookProblem({ text, location }: BundleMessage, entry: string): HookProblem {
  const place = location === null || location.file.endsWith(entry) ? null : placeOf(location);
  const missing = text === OUTSIDE ? writtenAt(place) : NOT_FOUND.exec(text)?.[1];
  if (missing !== undefined) return missingImport(missing, place);
  const [, file, name] = /^No matching export in "(.+)" for import "(.+)"$/.exec(text) ?? [];
  if (file !== undefined && name !== undefined) return missingExport(file, name, place);
  return { code: 'bad-hook-code', message: badCode(place, text), place, label: null, help: null };
}

/** An import with a pattern is `import("./a/*.js")` or `require("./a/*.js")` here. */
const NOT_FOUND = /^Could not resolve (?:\w+\()?"(.+)"\)?$/;

/** The text at the place, without quotes. */
function writtenAt(place: HookPlace | null): string {
  return place?.lineText.slice(place.start + 1, place.end - 1) ?? '../';
}

/** esbuild counts columns in bytes. */
function placeOf({ file, line, column, length, lineText }: Location): HookPlace {
  const bytes = Buffer.from(lineText);
  const start = bytes.toString('utf8', 0, column).length;
  return { file, line, start, end: bytes.toString('utf8', 0, column + length).length, lineText };
}

function missingImport(name: string, place: HookPlace | null): HookProblem {
  const isFile = /^[./]/.test(name);
  const who = place ? `\`${place.file}\` imports` : 'a hook imports';
  return {
    code: 'hook-import-missing',
    message: `${who} \`${name}\`, ${isFile ? 'but there is no such file' : 'which is not installed'}`,
    place,
    label: 'not found',
    help: isFile ? null : `run \`npm install ${packageOf(name)}\` in the project's folder`,
  };
}

/** The package of an import: `@scope/name/part` → `@scope/name`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function missingExport(file: string, name: string, place: HookPlace | null): HookProblem {
  const message = `\`${file}\` exports no \`${name}\``;
  return { code: 'hook-export-missing', message, place, label: place && 'not exported', help: null };
}

function badCode(place: HookPlace | null, text: string): string {
  return place ? `\`${place.file}\` cannot be bundled: ${text}` : `the hooks cannot be bundled: ${text}`;
}
