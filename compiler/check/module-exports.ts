/**
 * The names that a JavaScript or TypeScript module exports, read from its tokens: enough to say early, and without running
 * anything, that a hook names a function that is not there. Whatever is unusual leaves the names open, and a type that is
 * exported among values counts as one: the bundler has the last word.
 */
import jsTokens, { type Token } from 'js-tokens';

interface ModuleExports {
  readonly names: ReadonlySet<string>;
  /** True where there may be more names. */
  readonly open: boolean;
}

/** A compiler that serves an editor reads the same modules at every keystroke. */
const known = new Map<string, ModuleExports>();
const MOST_KNOWN = 500;

export function exportsOf(text: string): ModuleExports {
  const found = known.get(text) ?? readExports(text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, found);
  return found;
}

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
/** In the words outside of all brackets, with the lists of `export { … }`. */
const EXPORT = /(?<=^|[^.] )export(?= )(?! :)(?<rest>(?: import)?.*?)(?= ;| export | import |$)/gu;
const DECLARATION = new RegExp(
  `^ (?:(?:async )?function(?: \\*)?|(?:abstract )?class|(?:const )?enum|namespace|module|\\* as) (${NAME})`,
  'u',
);
const VARIABLE = new RegExp(`^ (?:const|let|var) (${NAME})(?! ,)(?!.* , )`, 'u');
const LIST = /^ \{ (?<names>.*?) ?\}/u;
const ITEM = new RegExp(`^(?:${NAME} as )?(${NAME})$`, 'u');
/** Types, which do not exist at run time, and what is not written yet. */
const NOTHING = /^(?: (?:type|interface|declare)\b.*| default interface .*| ?)$/u;

function readExports(text: string): ModuleExports {
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

/** What stands behind the word `export`. Undefined where that is unusual. */
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
