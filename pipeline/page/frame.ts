/** The frame of all pages. Each is one file without scripts: nothing is fetched, and nothing can be run. */
import { createHash } from 'node:crypto';
import { escaped } from '../../compiler/definition/escaped.ts';
import styles from './styles.json' with { type: 'json' };

interface Frame {
  readonly title: string;
  readonly body: Part;
  /** Whether it has forms, which lead to where the page came from. */
  readonly hasForms?: true;
}

export function framed({ title, body, hasForms }: Frame): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(hasForms === true)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLES)}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return text;
}

/** The policy allows styles by their hash, so that no text of a page could bring its own. */
export function policy(hasForms: boolean): string {
  return [
    "default-src 'none'",
    `style-src '${STYLES_HASH}'`,
    'img-src data:',
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
  ].join('; ');
}

// ── Html ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** HTML that is put together from parts. A text becomes part of it only escaped, so no page has to remember to do it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A part of a page. Null is shown as nothing. */
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

// ── Styles ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The styles of all pages, which begin with the colours and the drawing of the console (`npm run embed`). */
const STYLES = `${styles.console}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 16px/1.55 var(--sans);
  overflow-wrap: anywhere;
}
main, .top, .foot { max-width: 62rem; margin: 0 auto; padding: 0 1.5rem; }
main { padding-bottom: 4rem; }
h1, h2, h3 { line-height: 1.25; font-weight: 650; text-wrap: balance; margin: 0; }
h1 { font-size: 1.9rem; letter-spacing: -0.015em; }
h2 { font-size: 1.3rem; letter-spacing: -0.01em; }
h3 { font-size: 1rem; }
p { margin: 0; }
a { color: inherit; text-decoration-color: var(--line-strong); text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
code, .mono { font-family: var(--mono); font-size: 0.875em; }
.soft { color: var(--text-soft); }
.small { font-size: 0.875rem; }
.top { padding-top: 3rem; }
.top .kind { color: var(--text-soft); margin-bottom: 0.4rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.4rem 1.5rem; margin: 1rem 0 0; color: var(--text-soft); font-size: 0.9375rem; }
.facts b { font-weight: 500; color: var(--text); }
section { margin-top: 3.25rem; }
section > h2 { padding-bottom: 0.6rem; border-bottom: 1px solid var(--line); }
section > .lead { margin-top: 0.75rem; color: var(--text-soft); }
.part { margin-top: 1.75rem; }
.part > .soft { margin-top: 0.35rem; }
.tag {
  display: inline-block;
  padding: 0.05rem 0.55rem;
  border-radius: 1rem;
  background: var(--raised);
  color: var(--text-soft);
  font-size: 0.8125rem;
  font-weight: 550;
  line-height: 1.5;
  white-space: nowrap;
}
.tag.bad { background: var(--delete-ground); color: var(--danger); }
.tag.warned { background: var(--put-ground); color: var(--put); }
.tag.good { background: var(--post-ground); color: var(--post); }
.loud { margin-top: 1.75rem; padding: 1.1rem 1.35rem; border-radius: 10px; border-left: 4px solid var(--danger); background: var(--delete-ground); }
.loud h3 { color: var(--danger); font-size: 1.0625rem; }
.loud.warned { border-left-color: var(--put); background: var(--put-ground); }
.loud.warned h3 { color: var(--put); }
.loud ul { margin: 0.6rem 0 0; padding: 0; list-style: none; }
.loud li + li { margin-top: 0.5rem; }
.lines { margin: 0.75rem 0 0; padding: 0; list-style: none; }
.lines > li { display: grid; grid-template-columns: 7.25rem minmax(0, 1fr); gap: 0.15rem 1rem; padding: 0.65rem 0; border-bottom: 1px solid var(--line); }
.lines > li:last-child { border-bottom: 0; }
.lines .says { min-width: 0; }
.lines .more { color: var(--text-soft); font-size: 0.875rem; }
.lines .more { margin: 0.25rem 0 0; padding: 0; list-style: none; }
.arrow { color: var(--text-soft); }
.wide { margin-top: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.55rem 0.9rem 0.55rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 550; color: var(--text-soft); font-size: 0.875rem; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.timeline { vertical-align: middle; width: 26%; }
.bar { display: block; width: 100%; height: 0.6rem; }
.bar rect { fill: var(--line-strong); }
.bar .rest { fill: var(--raised); }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0.5rem 1rem; margin: 1rem 0 0; }
dt { color: var(--text-soft); }
dd { margin: 0; }
.diagram { display: block; max-width: none; height: auto; margin: 0 auto; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; margin-top: 1.25rem; }
label { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.2rem; font-size: 0.875rem; color: var(--text-soft); min-width: 0; max-width: 100%; }
input, select, button {
  font: inherit;
  font-size: 1rem;
  line-height: 1.4;
  height: 2.5rem;
  max-width: 100%;
  padding: 0 0.75rem;
  border: 1px solid var(--line-strong);
  border-radius: 8px;
  background: var(--surface);
  color: var(--text);
}
button { cursor: pointer; font-weight: 550; }
.phone { display: none; }
.bare { margin: 0; padding: 0; list-style: none; }
.foot { padding-top: 1.5rem; padding-bottom: 3rem; color: var(--text-soft); font-size: 0.875rem; }
nav.back { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; margin-bottom: 1.5rem; font-size: 0.9375rem; }
h3 .soft { font-weight: 400; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--text-soft); }
@media (max-width: 40rem) {
  main, .top, .foot { padding-left: 1.1rem; padding-right: 1.1rem; }
  .top { padding-top: 1.75rem; }
  h1 { font-size: 1.5rem; }
  section { margin-top: 2.5rem; }
  .lines > li { grid-template-columns: minmax(0, 1fr); }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0.1rem; }
  dd { margin-bottom: 0.6rem; }
  .phone { display: inline; color: var(--text-soft); }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  .stacked td { display: block; padding: 0.1rem 0; border: 0; text-align: left; }
  .stacked td.number { text-align: left; }
  .stacked td.timeline { width: auto; padding: 0.35rem 0; }
  .stacked td:empty { display: none; }
}
@media print {
  :root { --ground: #fff; color-scheme: light; }
  body { font-size: 11pt; }
  main, .top, .foot { max-width: none; padding-left: 0; padding-right: 0; }
  section, .loud, .lines > li, tr { break-inside: avoid; }
  section:has(.diagram), section:has(table), section:has(.lines) { break-inside: auto; }
  .wide { overflow: visible; border: 0; }
  .diagram { width: 100%; }
  nav, form { display: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

const STYLES_HASH = `sha256-${createHash('sha256').update(STYLES).digest('base64')}`;

// ── Message page ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The page of a message, where there is no other page. The text is a sentence without a full stop, as messages of
 * errors are.
 */
export function messagePage(title: string, text: string): string {
  const written = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  const body = html`<header class="top"><nav class="back"><a href="/">All releases</a></nav><h1>${title}</h1></header>
<main><p class="lead">${sentence(written)}</p></main>`;
  return framed({ title, body });
}
