/** Writes `was` into the sources for a rename that somebody has picked in a prompt. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compilation } from '../../compiler/compile.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile, Span } from '../../compiler/source/source-file.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import type { Prompt, Rename } from '../dev/decide-loss.ts';

type Program = NonNullable<Compilation['program']>;

export function renamesIn(read: ReadSources, program: Program, sources: SourceMap): Pick<Prompt, 'placeOf' | 'write'> {
  const sourceOf = ({ file }: Span) => read.sources.find(({ path }) => path === file);
  const nameOf = (rename: Rename): Span | undefined => {
    const span = spanOf(rename, program);
    const source = span && sourceOf(span);
    return source && textWithWas(source.text, span, rename) !== undefined ? span : undefined;
  };
  return {
    placeOf: (rename) => {
      const span = nameOf(rename);
      return span && `${sources.name(span.file)}:${sources.lines(span.file).positionAt(span.start).line}`;
    },
    write: (rename) => {
      const span = nameOf(rename);
      const source = span && sourceOf(span);
      return source !== undefined && written(read.folder, source, textWithWas(source.text, span as Span, rename));
    },
  };
}

function spanOf({ model: name, member }: Rename, { models }: Program): Span | undefined {
  const model = models.find((each) => each.name === name);
  return member === undefined ? model?.span : model?.members.get(member)?.span;
}

/** Only over the text that was compiled: whoever has edited the file in the meantime loses nothing. */
function written(folder: string, { path, text }: SourceFile, withWas: string | undefined): boolean {
  const file = join(folder, path);
  if (withWas === undefined || readFileSync(file, 'utf8') !== text) return false;
  writeFileSync(file, withWas);
  return true;
}

/** `name` is where the new name is. Undefined where the block of a member does not follow it. */
export function textWithWas(text: string, name: Pick<Span, 'end'>, { member, was }: Rename): string | undefined {
  if (member === undefined) return inserted(text, name.end, ` was ${was}`);
  const head = /^\s*\{/.exec(text.slice(name.end))?.[0];
  if (head === undefined) return undefined;
  const open = name.end + head.length;
  const simple = /^[^{}"\n/]*[^{}"\n/\s,](?=,?[ \t]*\})/.exec(text.slice(open))?.[0];
  if (simple !== undefined) return inserted(text, open + simple.length, `, was ${was}`);
  const indent = /^[ \t]*\r?\n([ \t]*)/.exec(text.slice(open))?.[1];
  return inserted(text, open, indent === undefined ? ` was ${was},` : `\n${indent}was ${was}`);
}

function inserted(text: string, at: number, words: string): string {
  return text.slice(0, at) + words + text.slice(at);
}
