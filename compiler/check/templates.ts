/** Templates of mails: text with expressions in `{{ }}`, each of which is one value. */
import { expressionIn } from '../ast/template.ts';
import type { Expression } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import type { Scope } from './scope.ts';

/** `written` is for messages at run time. */
interface TemplateValue {
  readonly written: string;
  readonly value: Expression;
}

/** There is one text more than there are values. */
export interface Template {
  readonly texts: readonly string[];
  readonly values: readonly TemplateValue[];
}

/** An expression may have `}}` in a text in quotes. */
const EXPRESSION = /\{\{(?<inside>(?:"(?:[^"\\\n]|\\.)*"|(?!\}\})[^"])*)\}\}/g;

export function checkTemplate(context: Context, source: SourceFile, isHtml: boolean, scope: Scope): Template {
  const texts: string[] = [];
  const values: TemplateValue[] = [];
  const place = new HtmlPlace();
  let behind = 0;
  for (const { index, groups, 0: whole } of source.text.matchAll(EXPRESSION)) {
    const span = { file: source.path, start: index, end: index + whole.length };
    const before = source.text.slice(behind, index);
    const wrong = isHtml ? place.after(before) : undefined;
    if (wrong) context.report('bad-mail-value', span, { why: wrong });
    reportUnclosed(context, source, behind, index);
    texts.push(before);
    values.push(...checkedValue(context, source, span, groups?.inside ?? '', scope));
    behind = span.end;
  }
  texts.push(source.text.slice(behind));
  reportUnclosed(context, source, behind, source.text.length);
  return { texts, values };
}

function checkedValue(
  context: Context,
  source: SourceFile,
  span: Span,
  inside: string,
  scope: Scope,
): readonly TemplateValue[] {
  const start = span.start + 2 + inside.length - inside.trimStart().length;
  const end = start + inside.trim().length;
  if (start === end) return context.report('bad-mail-value', span, { why: 'empty' }) ?? [];
  const expression = expressionIn(source, { start, end }, context.report);
  // An input may be used in what cannot be read.
  if (!expression) return context.inputUse.readAll() ?? [];
  const value = context.checkExpression(context, expression, scope);
  const { base, many } = value.type;
  const isValue = !many && base.kind !== 'record' && base.kind !== 'json' && base.kind !== 'object';
  if (!isValue && !isAny(value.type)) context.report('not-a-mail-value', value.span, { type: typeName(value.type) });
  return [{ written: `{{ ${inside.trim()} }} in ${source.path}`, value }];
}

/** A `{{` between two expressions begins none. */
function reportUnclosed({ report }: Context, { path: file, text }: SourceFile, from: number, to: number): void {
  const start = text.slice(0, to).indexOf('{{', from);
  if (start >= 0) report('bad-mail-value', { file, start, end: start + 2 }, { why: 'unclosed' });
}

/** Where a place of an HTML file is: in which texts it may have values follows from it. */
class HtmlPlace {
  /** A quote, or what ends the part at hand: a tag, a comment, a script. Undefined in text. */
  #until: '"' | "'" | '>' | '-->' | 'script' | 'style' | undefined;
  /** The element whose tag is at hand. */
  #element = '';

  /** What is wrong with a value behind this text, which follows the one before. */
  after(text: string): 'script' | 'style' | 'tag' | 'element' | undefined {
    for (let at = 0; at < text.length; ) at = this.#next(text, at);
    if (this.#until === 'script' || this.#until === 'style') return this.#until;
    if (this.#until === undefined && /<[/!?]?$/.test(text)) {
      this.#until = '>';
      return 'element';
    }
    return this.#until === '>' ? 'tag' : undefined;
  }

  /** Reads on from an offset to the end of what is there, and gives the offset behind it. */
  #next(text: string, at: number): number {
    const [sought, found] = this.#seek(text, at);
    if (!found) return text.length;
    if (this.#until === undefined) this.#enter(found);
    else if (this.#until === '>') this.#inTag(found[0]);
    else this.#until = this.#until === '"' || this.#until === "'" ? '>' : undefined;
    return sought.lastIndex;
  }

  #seek(text: string, at: number): readonly [RegExp, RegExpExecArray | null] {
    const sought = new RegExp(ENDS[this.#until ?? 'text'], 'gi');
    sought.lastIndex = at;
    return [sought, sought.exec(text)];
  }

  #enter([found, element = '']: RegExpExecArray): void {
    this.#until = found === '<!--' ? '-->' : '>';
    this.#element = element.toLowerCase();
  }

  #inTag(found: string): void {
    if (found !== '>') this.#until = found as '"' | "'";
    else this.#until = this.#element === 'script' || this.#element === 'style' ? this.#element : undefined;
  }
}

/**
 * What ends each part, as a pattern. A quote inside a tag begins a value. What is in `<!--[if mso]>` is read by some
 * programs, and `<!-->` is a whole comment.
 */
const ENDS = {
  text: '<!--(?!\\[if|-?>)|</?([a-z][^\\s/>]*)',
  '>': '["\'>]',
  '"': '"',
  "'": "'",
  '-->': '-->',
  script: '</script\\s*>',
  style: '</style\\s*>',
} as const;
