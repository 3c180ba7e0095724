import { escaped } from '../../runtime/console/escaped.ts';

/** HTML that is put together from parts. A text becomes part of it only escaped, so no page has to remember to do it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Null stands for nothing. */
export type Part = Html | string | number | null | readonly Part[];

export function html(written: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(written.map((text, at) => text + textOf(parts[at] ?? null)).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : shown(String(part));
}

/** A sentence in which code is between backticks, as Kiln's messages have it. */
export function sentence(text: string): Html {
  const parts = text.split('`');
  const isWhole = parts.length % 2 === 1;
  return isWhole ? html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}` : html`${text}`;
}

/** Characters that control a terminal or the direction of a text have no place in a page either. */
function shown(text: string): string {
  return escaped(
    text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'),
  );
}
