/**
 * The names that a JavaScript or TypeScript module exports, read from its text. The bundler has the last word; this is
 * enough to say early, and without running anything, that a hook names a function that is not there.
 */
export interface ModuleExports {
  readonly names: ReadonlySet<string>;
  /** True where `export * from` brings names that the text does not show. */
  readonly open: boolean;
}

const DECLARATION =
  /\bexport\s+(?:declare\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?|const|let|var|class|abstract\s+class)\s+([A-Za-z_$][\w$]*)/g;
const DEFAULT = /\bexport\s+default\b/;
const STAR = /\bexport\s+\*\s+from\b/;
const STAR_AS = /\bexport\s+\*\s+as\s+([A-Za-z_$][\w$]*)/g;
const BRACES = /\bexport\s+(?:const|let|var)?\s*\{([^}]*)\}/g;

export function exportsOf(text: string): ModuleExports {
  const code = withoutCommentsAndTexts(text);
  const names = new Set<string>();
  for (const match of code.matchAll(DECLARATION)) names.add(match[1] as string);
  for (const match of code.matchAll(STAR_AS)) names.add(match[1] as string);
  for (const match of code.matchAll(BRACES)) for (const name of bracedNames(match[1] as string)) names.add(name);
  if (DEFAULT.test(code)) names.add('default');
  return { names, open: STAR.test(code) };
}

function bracedNames(list: string): readonly string[] {
  return list
    .split(',')
    .map(
      (entry) =>
        entry
          .trim()
          .split(/\s+as\s+|\s*:\s*/)
          .at(-1) ?? '',
    )
    .map((name) => name.replace(/^type\s+/, '').trim())
    .filter((name) => name !== '');
}

/** Comments and quoted texts become blanks, so that an `export` in them is none. */
function withoutCommentsAndTexts(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, ' ');
}
