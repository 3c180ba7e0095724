/** Custom code: its arguments, and whether the file and the export that it names are there. */
import type * as ast from '../ast/ast.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import type { HookArgument, HookCall, HookCode, Query, Selected } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { exportsOf } from './module-exports.ts';
import { checkQuery, queriedScope } from './queries.ts';
import { checkReturns } from './returns.ts';
import type { Scope } from './scope.ts';
import { checkSelection, directFields } from './selections.ts';
import { checkText } from './texts.ts';

export function checkHook(context: Context, hook: ast.Hook, scope: Scope): HookCall {
  const seen = new Map<string, Span>();
  const args = hook.args.flatMap((arg) => {
    const first = seen.get(arg.name.text);
    if (first) context.report('duplicate-argument', arg.name.span, { name: arg.name.text, first });
    seen.set(arg.name.text, arg.name.span);
    return checkArgument(context, arg, scope) ?? [];
  });
  return {
    arguments: args,
    code: checkCode(context, hook),
    returns: hook.returns && checkReturns(context, hook.returns),
  };
}

function checkArgument(context: Context, arg: ast.HookArg, scope: Scope): HookArgument | undefined {
  const { doc } = arg;
  const name = arg.name.text;
  if (arg.value.kind !== 'query') return { name, doc, value: context.checkExpression(context, arg.value, scope) };
  const written = arg.value.query;
  const query = checkQuery(context, written, scope, `the argument \`${name}\``);
  if (!query) return undefined;
  return { name, doc, query, select: checkSelect(context, written, query, scope) };
}

/** What is counted is not looked into. */
function checkSelect(
  context: Context,
  { select, cardinality, from }: ast.Query,
  { model }: Query,
  scope: Scope,
): readonly Selected[] {
  if (cardinality?.value === 'count') {
    if (select) context.report('two-deeds', select.span, { first: cardinality.span });
    return [];
  }
  return select ? checkSelection(context, select, model, queriedScope({ from }, model, scope)) : directFields(model);
}

const NO_CODE: HookCode = { kind: 'inline', expression: 'undefined' };

function checkCode(context: Context, hook: ast.Hook): HookCode {
  const { source, inline } = hook;
  if (source && inline) context.report('hook-with-two-codes', inline.span, { source: source.span });
  if (hook.runtime && inline && !source) {
    context.hookFolders.used.add(hook.runtime.text);
    context.report('runtime-of-inline', hook.runtime.span, { runtime: hook.runtime.text });
  }
  if (source) context.inputUse.readAll();
  if (source) return checkSource(context, source, hook.runtime);
  if (inline) return checkInline(context, inline);
  context.report('hook-without-code', hook.span, {});
  return NO_CODE;
}

function checkInline(context: Context, inline: ast.Text): HookCode {
  if (checkText(inline, context.report)) tryOut(context, inline);
  return { kind: 'inline', expression: inline.value };
}

/** The expression is compiled here and now, so that a slip is found before anything runs. Nothing of it is executed. */
function tryOut(context: Context, inline: ast.Text): void {
  try {
    new Function(`return async () => (${inline.value}\n)`);
    // `1)+(2` would get past our parentheses; nothing but an expression gets past two kinds of them.
    new Function(`return async () => [${inline.value}\n]`);
  } catch (error) {
    const { message } = error as Error;
    // The brace is ours: it ends the function that is tried out here.
    const isUnfinished = message === "Unexpected token '}'" && !inline.value.includes('}');
    const reason = isUnfinished ? 'something is not closed' : endsEarly(inline.value, message) ? ENDS_EARLY : message;
    context.report('bad-inline-code', inline.span, { reason });
  }
}

const ENDS_EARLY = 'the expression ends too early';

/** The parenthesis is ours too: with a bracket in its place, it is the bracket that comes too early. */
function endsEarly(expression: string, message: string): boolean {
  if (message !== "Unexpected token ')'") return false;
  try {
    new Function(`return async () => [${expression}\n]`);
    return true;
  } catch (error) {
    return (error as Error).message === "Unexpected token ']'";
  }
}

const EXTENSIONS = ['', '.ts', '.js', '.mts', '.mjs'];

function checkSource(context: Context, source: ast.HookSource, runtime: ast.Name | undefined): HookCode {
  const folder = folderOf(context, runtime);
  const file = source.file.value.replace(/^\.\//, '');
  const isInside = file !== '' && !file.startsWith('/') && !file.split('/').includes('..');
  const found = isInside ? fileIn(context, folder, file) : undefined;
  if (!isInside) context.report('hook-outside-folder', source.file.span, { file, folder });
  else if (!found) reportMissingFile(context, source.file.span, { file, folder, isNamed: runtime !== undefined });
  else checkExport(context, source, found);
  const path = found ?? `${folder}/${file}`;
  context.hookFolders.files.add(path);
  return { kind: 'source', file: path, export: source.export.text };
}

function fileIn(context: Context, folder: string, file: string): string | undefined {
  return EXTENSIONS.map((extension) => `${folder}/${file}${extension}`).find(isFile(context));
}

/** A hook that names no runtime may mean one that is not the default. */
function reportMissingFile(
  context: Context,
  span: Span,
  { file, folder, isNamed }: { readonly file: string; readonly folder: string; readonly isNamed: boolean },
): void {
  const others = [...context.hookFolders.byName].filter(([, other]) => fileIn(context, other, file) !== undefined);
  const [runtime] = isNamed ? [] : others.map(([name]) => name);
  if (runtime) context.hookFolders.used.add(runtime);
  context.report('hook-file-missing', span, { file, folder, runtime, span });
}

function isFile(context: Context) {
  return (path: string) => /\.[cm]?[jt]s$/.test(path) && context.fileText(path) !== undefined;
}

function folderOf(context: Context, runtime: ast.Name | undefined): string {
  if (!runtime) return context.hookFolders.default;
  const folder = context.hookFolders.byName.get(runtime.text);
  if (folder !== undefined) {
    context.witness?.meant(runtime.span, { kind: 'runtime', name: runtime.text });
    context.hookFolders.used.add(runtime.text);
    return folder;
  }
  const near = nearWord(runtime.text, context.hookFolders.byName.keys());
  if (near) context.hookFolders.used.add(near.name);
  context.report('unknown-runtime', runtime.span, { name: runtime.text, near });
  return context.hookFolders.default;
}

function checkExport(context: Context, source: ast.HookSource, file: string): void {
  const exported = exportsOf(context.fileText(file) ?? '');
  if (exported.open || exported.names.has(source.export.text)) return;
  const near = nearWord(source.export.text, exported.names);
  context.report('hook-export-missing', source.export.span, {
    export: source.export.text,
    file,
    near,
  });
}
