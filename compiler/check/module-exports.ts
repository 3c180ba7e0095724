/**
 * The names that a JavaScript or TypeScript module exports, read from its tokens. Types are not among them, because
 * they do not exist at run time. The bundler has the last word; this is enough to say early, and without running
 * anything, that a hook names a function that is not there.
 */
import { declaredNames } from './module-declarations.ts';
import { isName, isWord, nameFrom, type Token, Tokens, tokensOf } from './module-tokens.ts';

interface ModuleExports {
  readonly names: ReadonlySet<string>;
  /** True where names come from elsewhere: by `export * from`, `export =`, or assignments to `exports`. */
  readonly open: boolean;
}

/** A compiler that serves an editor reads the same modules at every keystroke. */
const known = new Map<string, ModuleExports>();
const MOST_KNOWN = 500;

export function exportsOf(text: string): ModuleExports {
  const found = known.get(text) ?? readExports(tokensOf(text));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, found);
  return found;
}

function readExports(tokens: readonly Token[]): ModuleExports {
  const names: string[] = [];
  const locals: Specifier[] = [];
  let open = false;
  for (const at of exportsAtTop(tokens)) {
    const found = readExport(new Tokens(tokens, at + 1));
    names.push(...found.names);
    locals.push(...found.locals);
    open ||= found.open;
  }
  const types = locals.length === 0 ? NO_NAMES : typesOf(tokens);
  const values = locals.filter(({ local }) => !types.has(local)).map(({ exported }) => exported);
  return { names: new Set([...names, ...values]), open: open || isCommonJs(tokens) };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The positions of the word `export` outside of all brackets, where it is not the name of a property. */
function exportsAtTop(tokens: readonly Token[]): readonly number[] {
  return tokens.flatMap((token, at) => {
    const before = tokens[at - 1]?.value;
    const isProperty = before === '.' || before === '?.';
    return token.depth === 0 && isWord(token, 'export') && !isProperty ? [at] : [];
  });
}

interface Specifier {
  readonly local: string;
  readonly exported: string;
}

interface Found {
  readonly names: readonly string[];
  /** Of `export { a as b }`, where `a` may turn out to be a type. */
  readonly locals: readonly Specifier[];
  readonly open: boolean;
}

const NOTHING: Found = { names: [], locals: [], open: false };
const OPEN: Found = { ...NOTHING, open: true };

const named = (...names: readonly string[]): Found => ({ ...NOTHING, names });

/** What stands behind the word `export`. */
function readExport(tokens: Tokens): Found {
  skipDecorators(tokens);
  if (tokens.takes('*')) return readStar(tokens);
  if (tokens.takes('{')) return readBraces(tokens);
  if (tokens.takes('=')) return OPEN;
  if (tokens.takes('default')) return isTypeDeclaration(tokens) ? NOTHING : named('default');
  if (tokens.takes('import')) return readImportAlias(tokens);
  return named(...declaredNames(tokens));
}

/** `@sealed`, `@route.get("/")`, `@(made())`. */
function skipDecorators(tokens: Tokens): void {
  while (tokens.takes('@')) {
    if (isName(tokens.current)) tokens.next();
    while (tokens.takes('.')) tokens.next();
    if (tokens.at('(')) tokens.skipBrackets();
  }
}

function readStar(tokens: Tokens): Found {
  if (!tokens.takes('as')) return OPEN;
  const name = nameFrom(tokens.current);
  return name === undefined ? NOTHING : named(name);
}

/** `export import Geo = shapes.Geo` of TypeScript; `export import type` is a type. */
function readImportAlias(tokens: Tokens): Found {
  const isType = tokens.at('type') && !tokens.isBefore('=');
  const name = nameFrom(tokens.current);
  return isType || name === undefined ? NOTHING : named(name);
}

/** `export default interface Options {}`, and not a variable that is called `interface`. */
function isTypeDeclaration(tokens: Tokens): boolean {
  return tokens.at('interface') && isName(tokens.following);
}

function readBraces(tokens: Tokens): Found {
  const specifiers: Specifier[] = [];
  while (tokens.current && !tokens.takes('}')) {
    const specifier = readSpecifier(tokens);
    if (specifier) specifiers.push(specifier);
    while (tokens.current && !tokens.at('}') && !tokens.takes(',')) tokens.next();
  }
  if (!tokens.at('from')) return { ...NOTHING, locals: specifiers };
  return named(...specifiers.map(({ exported }) => exported));
}

/** `a`, `a as b`, `a as "b c"`; nothing for `type A`. `type` and `as` may be names too. */
function readSpecifier(tokens: Tokens): Specifier | undefined {
  const words: Token[] = [];
  while (tokens.current && !tokens.at(',') && !tokens.at('}')) words.push(tokens.next() as Token);
  const names = words.map(nameFrom);
  const [first, second, third] = names;
  if (first === undefined) return undefined;
  if (words.length === 1) return { local: first, exported: first };
  if (words.length === 3 && second === 'as' && third !== undefined) return { local: first, exported: third };
  return undefined;
}

/** Names at the top of the module that are types and nothing else. */
function typesOf(tokens: readonly Token[]): ReadonlySet<string> {
  const types = new Set<string>();
  const values = new Set<string>();
  tokens.forEach((token, at) => {
    if (token.depth !== 0 || !isName(token)) return;
    for (const name of typeNames(tokens, at)) types.add(name);
    const isOnlyDeclared = [at - 1, at - 2].some((before) => isWord(tokens[before], 'declare'));
    if (!isOnlyDeclared) for (const name of declaredNames(new Tokens(tokens, at))) values.add(name);
  });
  return new Set([...types].filter((name) => !values.has(name)));
}

/** The types that a statement which begins here declares or imports. */
function typeNames(tokens: readonly Token[], at: number): readonly string[] {
  const statement = new Tokens(tokens, at);
  if (statement.takes('interface') || statement.takes('type')) return namesIn([statement.current]);
  if (statement.takes('declare')) return namesIn([statement.following]);
  return statement.takes('import') ? importedTypes(statement) : [];
}

function namesIn(tokens: readonly (Token | undefined)[]): readonly string[] {
  return tokens.flatMap((token) => (isName(token) ? [token.value] : []));
}

/** `import type { A, b as B } from`, `import { type A, f } from`. */
function importedTypes(tokens: Tokens): readonly string[] {
  const all = tokens.takes('type') && !tokens.at('from');
  if (all && !tokens.at('{')) return namesIn([tokens.current]);
  if (!tokens.takes('{')) return [];
  const types: string[] = [];
  while (tokens.current && !tokens.takes('}')) {
    const isType = all || (tokens.at('type') && isName(tokens.following) && !isWord(tokens.following, 'as'));
    let last: Token | undefined;
    while (tokens.current && !tokens.at('}') && !tokens.takes(',')) last = tokens.next();
    if (isType) types.push(...namesIn([last]));
  }
  return types;
}

/** Without `import` and `export`, names are given to `exports` while the module runs. */
function isCommonJs(tokens: readonly Token[]): boolean {
  const isModule = tokens.some((token) => token.depth === 0 && (isWord(token, 'export') || isWord(token, 'import')));
  return !isModule && tokens.some((token) => isWord(token, 'exports'));
}
