/** Where the links of a Markdown file lead, and what can be linked to in it. */
import { partsFromText } from './document-parts.ts';

const FENCED = /^(`{3,})[^\n`]*\n.*?^\1$/gms;

/** The text without blocks and code, in which nothing is a link. */
function proseOf(text: string): string {
  return text.replace(FENCED, '').replace(/`[^`\n]*`/g, '``');
}

/** Targets of `[text](target)` and of `[name]: target`. */
export function linksIn(text: string): readonly string[] {
  const prose = proseOf(text);
  const inline = [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)];
  const named = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...named].map(([, target = '']) => target);
}

/** The anchors that GitHub makes of headings; a second one of the same name has a number. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const part of partsFromText(text))
    if (part.kind === 'heading') anchors.add(freeName(slugOf(part.text), anchors));
  for (const [, name = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

function slugOf(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 1;
  while (taken.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}
