/** A difference as parts of a page: first what nobody may overlook, then each of its parts in full. */

import type { Definition } from '../../compiler/definition/definition.ts';
import type { ReleaseReport } from '../bake/build-record.ts';
import { NOTICED, partsOf, type Row } from '../difference/difference-text.ts';
import type { Place, PlacedDifference } from '../difference/placed-difference.ts';
import { framed, type Html, html, type Part, sentence } from './frame.ts';
import { modelsPart } from './models-part.ts';

export type Weight = 'bad' | 'warned' | 'good' | 'plain';

export function tag(text: string, weight: Weight): Html {
  return html`<span class="tag ${weight}">${text}</span>`;
}

/** Shows what nobody may overlook, with the reasons for which it was accepted. */
export function loudParts(
  difference: PlacedDifference,
  { breaking, reviewed }: Pick<ReleaseReport, 'breaking' | 'reviewed'> = { breaking: [], reviewed: [] },
): readonly Html[] {
  const rows = partsOf(difference).flatMap((each) => each.rows);
  const reasons: Readonly<Record<string, readonly string[]>> = { breaking, weaker: reviewed };
  return NOTICED.flatMap(({ heading, marks }) => {
    const found = rows.filter(({ mark }) => marks.includes(mark));
    // A reason that is given for nothing is not shown.
    const agreed = found.length === 0 ? [] : marks.flatMap((mark) => reasons[mark] ?? []);
    return loud(marks.includes('required') ? 'warned' : 'bad', heading, [
      ...found.map(({ says, place }) => html`${sentence(says)}${placeText(place)}`),
      ...agreed.map((reason) => html`<b>Agreed to:</b> ${sentence(reason)}`),
    ]);
  });
}

export function loud(weight: 'bad' | 'warned', title: string, lines: readonly Part[]): readonly Html[] {
  if (lines.length === 0) return [];
  return [
    html`<div class="loud ${weight}"><h3>${title}</h3><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>\n`,
  ];
}

/** Shows a place after a text, so it begins with a space. */
function placeText(place: Place | null): Part {
  return place === null ? null : html` <span class="soft small">${placeName(place)}</span>`;
}

function placeName({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

const LEADS: Readonly<Record<ReturnType<typeof partsOf>[number]['title'], string>> = {
  API: 'What callers of the API notice.',
  Data: 'What the migration does to a database in use, in this order.',
  Access: 'Who may call what.',
  Cost: 'What a request costs the database.',
  Settings: 'Which variables of the environment servers read.',
  Work: 'Which jobs are done beside requests, and what starts them.',
};

export function differenceParts(difference: PlacedDifference): Html {
  return html`${partsOf(difference).map(({ title, rows }) => html`${part(title, LEADS[title], rows.map(rowLine))}\n`)}`;
}

function rowLine({ mark, says, place, more = [], details = [] }: Row): Html {
  const below = [...more, ...details, ...(place === null ? [] : [placeName(place)])];
  return line({ mark: tag(mark, weightOf(mark)), says, more: below });
}

function weightOf(mark: string): Weight {
  if (mark === 'safe') return 'good';
  if (mark === 'required' || mark === 'other' || mark === 'more') return 'warned';
  return NOTICED.some(({ marks }) => marks.includes(mark)) ? 'bad' : 'plain';
}

function part(title: string, lead: string, lines: readonly Html[]): Html {
  const content =
    lines.length === 0
      ? html`<p class="soft">No change.</p>`
      : html`<p class="soft small">${lead}</p><ul class="lines">${lines}</ul>`;
  return html`<div class="part" id="${title.toLowerCase()}"><h3>${title}</h3>${content}</div>`;
}

interface ShownLine {
  readonly mark: Html;
  readonly says: string | Html;
  /** The smaller lines below it. */
  readonly more?: readonly (string | Html)[];
}

export function line({ mark, says, more = [] }: ShownLine): Html {
  const below =
    more.length === 0 ? null : html`<ul class="more">${more.map((each) => html`<li>${shown(each)}</li>`)}</ul>`;
  return html`<li><div>${mark}</div><div class="says">${shown(says)}${below}</div></li>\n`;
}

function shown(text: string | Html): Html {
  return typeof text === 'string' ? sentence(text) : text;
}

// ── Difference page ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface DifferencePageInput {
  readonly application: string;
  /** How each side is called: a release, a revision, an image or the work tree. */
  readonly from: string;
  readonly to: string;
  readonly difference: PlacedDifference;
  /** The definitions for a diagram of the models that shows the changes. */
  readonly definitions?: { readonly before: Definition; readonly after: Definition };
  /** The link at the top of a page that is served. */
  readonly back?: Html;
}

/** One self-contained page of HTML. */
export function differencePage(input: DifferencePageInput): string {
  const { application, from, to, difference, definitions, back = null } = input;
  const models =
    definitions &&
    html`<section id="models"><h2>Models</h2>${modelsPart(definitions.before, definitions.after)}</section>`;
  const body = html`<header class="top">
${back}<p class="kind">${application} · difference</p>
<h1>${from} <span class="arrow">→</span> ${to}</h1>
</header>
<main>
${loudParts(difference)}
<section id="difference"><h2>What changes</h2>
${differenceParts(difference)}
</section>
${models ?? null}
</main>`;
  return framed({ title: `${application}: ${from} → ${to}`, body });
}
