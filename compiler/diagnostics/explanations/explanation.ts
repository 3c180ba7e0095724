/**
 * What `kiln explain` says about a code: a few sentences, sources that bring it about, and what fixes them. Tests
 * compile both, so an explanation is true of the compiler as it is.
 */
export type Explanation = Example | Unexampled;

export interface Example {
  /** What it means, and why Kiln insists. */
  readonly text: string;
  readonly source: string;
  /** The code of hooks, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** The source of the release before, where the code is about a change. */
  readonly before?: string;
  /** Each names a text that is there exactly once, and what to write in its place. */
  readonly fix: readonly Replacement[];
}

/** No source is known to bring the code about. */
interface Unexampled extends Pick<Example, 'text'> {
  readonly source: null;
}

type Replacement = readonly [from: string, to: string];

/** A source, written with the indentation of the lines around it, and with its backslashes as they are. */
export function kiln(texts: TemplateStringsArray, ...values: readonly string[]): string {
  const lines = texts.raw.join('\0').split('\n').slice(1, -1);
  const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...indents);
  const source = lines.map((line) => `${line.slice(margin)}\n`).join('');
  return values.reduce((whole, value) => whole.replace('\0', () => value), source);
}

/** Declarations with an empty line between them. */
export function declarations(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('\n');
}

/** The API of an example has one entrypoint. */
export function api(entrypoint: string, ...lines: readonly string[]): string {
  return block('api', ...block(`entrypoint ${entrypoint}`, ...lines).split('\n'));
}

export function block(head: string, ...lines: readonly string[]): string {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), '}'].join('\n');
}

/** The example as it should be. */
export function fixed(example: Example): Example {
  const fix = (text: string) => example.fix.reduce((whole, [from, to]) => whole.replace(from, () => to), text);
  const files = Object.entries(example.files ?? {}).map(([path, text]) => [path, fix(text)] as const);
  return { ...example, source: fix(example.source), files: Object.fromEntries(files), fix: [] };
}
