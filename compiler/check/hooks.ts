/** Custom code: its arguments, and whether the file and the export that it names are there. */

import jsTokens, { type Token } from 'js-tokens';
import type * as ast from '../ast/ast.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import { directFields } from '../program/parts.ts';
import type { HookArgument, HookCall, HookCode, MemberType, Query, Selected, Type } from '../program/program.ts';
import { nullable } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, checkText } from './context.ts';
import { orFile } from './files.ts';
import { fieldType } from './members.ts';
import { checkQuery, queriedScope } from './queries.ts';
import type { Scope } from './scope.ts';
import { checkSelection } from './selections.ts';

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
  if (arg.value.kind !== 'query')
    return { name, doc, value: context.checkExpression(context, arg.value, scope, orFile(arg.value)) };
  const written = arg.value.query;
  const query = checkQuery(context, written, scope, `the argument \`${name}\``);
  if (!query) return undefined;
  return { name, doc, query, select: checkSelect(context, written, query, scope) };
}

/** Checks the selection of a hook's argument. A count has none. */
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
  if (source) return checkSource(context, source, hook.runtime);
  if (!inline) return context.report('hook-without-code', hook.span, {}) ?? NO_CODE;
  if (checkText(inline, context.report)) tryOut(context, inline);
  return { kind: 'inline', expression: inline.value };
}

/**
 * Compiles the expression here, so that a mistake is found before anything runs. Nothing of it is executed. `1)+(2` would
 * get past our parentheses; nothing but an expression gets past two kinds of them.
 */
function tryOut(context: Context, { value, span }: ast.Text): void {
  const [problem, inBrackets] = [problemOf(`(${value}\n)`), problemOf(`[${value}\n]`)];
  const reason = problem ?? inBrackets;
  if (reason === undefined) return;
  // The last parenthesis, bracket or brace is ours.
  const isEarly =
    problem === "Unexpected token ')'" && (inBrackets ?? "Unexpected token ']'") === "Unexpected token ']'";
  const isUnfinished = reason === "Unexpected token '}'" && !value.includes('}');
  const words = isUnfinished ? 'something is not closed' : isEarly ? 'the expression ends too early' : reason;
  context.report('bad-inline-code', span, { reason: words });
}

function problemOf(code: string): string | undefined {
  try {
    new Function(`return async () => ${code}`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const EXTENSIONS = ['', '.ts', '.js', '.mts', '.mjs'];

function checkSource(context: Context, source: ast.HookSource, runtime: ast.Name | undefined): HookCode {
  if (source.isOwn) return { kind: 'source', file: source.file.value, export: source.export.text };
  context.inputUse.readAll();
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
  const isFile = (path: string) => /\.[cm]?[jt]s$/.test(path) && context.fileText(path) !== undefined;
  return EXTENSIONS.map((extension) => `${folder}/${file}${extension}`).find(isFile);
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
  context.report('hook-export-missing', source.export.span, { export: source.export.text, file, near });
}

// ── Returns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The result that a hook declares: a value, a list of values, or an object of them.

function checkReturns(context: Context, returns: ast.Returns): Type {
  const { type } = returns;
  const name = { text: 'returns', span: returns.span };
  const result = type ? fieldType(context, { name, type }, name.text, 'result') : objectType(context, returns);
  return returns.nullable ? nullable(result) : result;
}

function objectType(context: Context, { members = [], span }: ast.Returns): Type {
  if (members.length === 0) context.report('empty-result', span, {});
  const types = new Map<string, MemberType>();
  for (const { name, type: written, nullable: isNullable, doc } of members) {
    const type = fieldType(context, { name, type: written }, name.text, 'result');
    const first = types.get(name.text)?.span;
    context.witness?.meant(name.span, { kind: 'local', name: name.text, noun: 'member', type, declared: name.span });
    if (first) context.report('duplicate-key', name.span, { name: name.text, first });
    else types.set(name.text, { type: isNullable ? nullable(type) : type, span: name.span, doc });
  }
  return { base: { kind: 'object', members: types }, nullable: false, many: false };
}

// ── Module exports ───────────────────────────────────────────────────────────────────────────────────────────────────

// The names that a JavaScript or TypeScript module exports, read from its tokens: enough to report early, and without
// running anything, that a hook names a function that does not exist. Unusual forms leave the names open, and a type
// that is exported among values counts as one: the bundler decides in the end.

interface ModuleExports {
  readonly names: ReadonlySet<string>;
  /** True if there may be more names. */
  readonly open: boolean;
}

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
/** Finds exports in the words outside of all brackets and in the lists of `export { … }`. */
const EXPORT = /(?<=^|[^.] )export(?= )(?! :)(?<rest>(?: import)?.*?)(?= ;| export | import |$)/gu;
const DECLARATION = new RegExp(
  `^ (?:(?:async )?function(?: \\*)?|(?:abstract )?class|(?:const )?enum|namespace|module|\\* as) (${NAME})`,
  'u',
);
const VARIABLE = new RegExp(`^ (?:const|let|var) (${NAME})(?! ,)(?!.* , )`, 'u');
const LIST = /^ \{ (?<names>.*?) ?\}/u;
const ITEM = new RegExp(`^(?:${NAME} as )?(${NAME})$`, 'u');
/** Types, which do not exist at run time, and unfinished exports. */
const NOTHING = /^(?: (?:type|interface|declare)\b.*| default interface .*| ?)$/u;

export function exportsOf(text: string): ModuleExports {
  const words = outerWords(text);
  const names = new Set<string>();
  let open = !/(?:^| )(?:export|import) /.test(words) && /\bexports\b/.test(text);
  for (const { groups } of words.matchAll(EXPORT)) {
    const found = namesIn(groups?.rest ?? '');
    for (const name of found ?? []) names.add(name);
    open ||= found === undefined;
  }
  return { names, open };
}

/** The names after the word `export`; undefined if the form is unusual. */
function namesIn(rest: string): readonly string[] | undefined {
  if (NOTHING.test(rest)) return [];
  if (rest.startsWith(' default ')) return ['default'];
  const name = (DECLARATION.exec(rest) ?? VARIABLE.exec(rest))?.[1];
  if (name !== undefined) return [name];
  const items = LIST.exec(rest)
    ?.groups?.names?.split(' ,')
    .map((item) => item.trim());
  const exported = items
    ?.filter((item) => item !== '' && !/^type (?!as )/.test(item))
    .map((item) => ITEM.exec(item)?.[1]);
  return exported?.every((item) => item !== undefined) ? exported : undefined;
}

/** The tokens outside of all brackets, and those in the brackets right behind `export`, with a blank behind each. */
function outerWords(text: string): string {
  let words = '';
  let depth = 0;
  let isList = false;
  for (const token of jsTokens(text)) {
    if (isTrivia(token)) continue;
    if (closes(token)) depth = Math.max(0, depth - 1);
    if (depth === 0 && opens(token)) isList = words.endsWith('export ');
    if (depth === 0 || (depth === 1 && isList)) words += `${isText(token) ? '""' : token.value} `;
    if (opens(token)) depth += 1;
  }
  return words;
}

function isText({ type }: Token): boolean {
  return /String|Template|Regular/.test(type);
}

function isTrivia({ type }: Token): boolean {
  return type.endsWith('Comment') || type === 'WhiteSpace' || type === 'LineTerminatorSequence';
}

function opens({ type, value }: Token): boolean {
  return type === 'TemplateHead' || type === 'TemplateMiddle' || (type === 'Punctuator' && /^[([{]$/.test(value));
}

function closes({ type, value }: Token): boolean {
  return type === 'TemplateMiddle' || type === 'TemplateTail' || (type === 'Punctuator' && /^[)\]}]$/.test(value));
}
