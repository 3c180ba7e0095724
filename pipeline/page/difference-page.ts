/** A difference as parts of a page: first what nobody may overlook, then each of its parts in full. */

import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type {
  AccessChange,
  ApiChange,
  DataStep,
  SettingChange,
  WorkChange,
} from '../../compiler/difference/difference.ts';
import { hazardWords } from '../../compiler/difference/hazard-words.ts';
import type { ReleaseReport } from '../bake/build-record.ts';
import type { CostChange } from '../difference/cost-changes.ts';
import type { Place, Placed, PlacedDifference, UndecidedData } from '../difference/placed-difference.ts';
import { framed, type Html, html, type Part, sentence } from './frame.ts';
import { modelsPart } from './models-part.ts';

export type Weight = 'bad' | 'warned' | 'good' | 'plain';

export function tag(text: string, weight: Weight): Html {
  return html`<span class="tag ${weight}">${text}</span>`;
}

/** Shows the breaking and weakened parts, with the reasons for which they were accepted. */
export function loudParts(
  difference: PlacedDifference,
  { breaking: agreed = [], reviewed = [] }: Pick<ReleaseReport, 'breaking' | 'reviewed'> = {},
): readonly Html[] {
  const weaker = difference.access.filter(({ direction }) => direction === 'weaker');
  const breaking = difference.api.filter(({ level }) => level === 'breaking');
  const losses = [...difference.data.steps, ...difference.data.later].filter(losesData);
  const { undecided = [] } = difference.data;
  const required = difference.settings?.filter(({ level }) => level === 'required') ?? [];
  return [
    ...loud('bad', `${plural(weaker.length, 'access rule')} became weaker`, withReasons(weaker, reviewed)),
    ...loud('bad', plural(breaking.length, 'breaking change'), withReasons(breaking, agreed)),
    ...loud(
      'bad',
      `${plural(losses.length, 'step')} of the migration ${losses.length === 1 ? 'deletes' : 'delete'} data`,
      losses.map(stepText),
    ),
    ...loud(
      'warned',
      `${plural(required.length, 'setting')} must be set before servers start`,
      required.map(undecidedText),
    ),
    ...loud('bad', 'The change does not say what happens to data', undecided.map(undecidedText)),
  ];
}

export function loud(weight: 'bad' | 'warned', title: string, lines: readonly Part[]): readonly Html[] {
  if (lines.length === 0) return [];
  return [
    html`<div class="loud ${weight}"><h3>${title}</h3><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>\n`,
  ];
}

/** A sentence about an endpoint. Most name it already, at their beginning. */
function endpointText({ endpoint, says }: { readonly endpoint: string | null; readonly says: string }): Html {
  if (endpoint === null || says.startsWith(`\`${endpoint}\``)) return sentence(says);
  const rest = says.startsWith(endpoint) ? says.slice(endpoint.length) : `: ${says}`;
  return html`<code>${endpoint}</code>${sentence(rest)}`;
}

function changeText(change: Placed<AccessChange> | Placed<ApiChange>): Html {
  return html`${endpointText(change)}${placeText(change.place)}`;
}

/** A reason that is given for nothing is not shown. */
function withReasons(
  changes: readonly (Placed<AccessChange> | Placed<ApiChange>)[],
  reasons: readonly string[],
): readonly Html[] {
  const agreed = reasons.map((reason) => html`<b>Agreed to:</b> ${sentence(reason)}`);
  return changes.length === 0 ? [] : [...changes.map(changeText), ...agreed];
}

function stepText({ says, hazards, place }: Placed<DataStep>): Html {
  const what = hazards.flatMap((hazard) => (hazard.kind === 'data-loss' ? [hazard.what] : []));
  return html`${sentence(says)}: ${what.join(', ')}${placeText(place)}`;
}

function undecidedText({ says, place }: Placed<UndecidedData | SettingChange>): Html {
  return html`${sentence(says)}${placeText(place)}`;
}

function losesData({ hazards }: Pick<DataStep, 'hazards'>): boolean {
  return hazards.some(({ kind }) => kind === 'data-loss');
}

/** Shows a place after a text, so it begins with a space. */
function placeText(place: Place | null): Part {
  return place === null ? null : html` <span class="soft small">${placeName(place)}</span>`;
}

function placeName({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

export function differenceParts(difference: PlacedDifference): Html {
  const { api, data, access, cost, settings = [], work = [] } = difference;
  return html`${part('API', 'What callers of the API notice.', api.map(apiLine))}
${part('Data', 'What the migration does to a database in use, in this order.', dataLines(data))}
${part('Access', 'Who may call what.', access.map(accessLine))}
${part('Cost', 'What a request costs the database.', cost.map(costLine))}${settings.length === 0 ? '' : part('Settings', 'Which variables of the environment servers read.', settings.map(settingLine))}${work.length === 0 ? '' : part('Work', 'Which jobs are done beside requests, and what starts them.', work.map(workLine))}`;
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

function apiLine(change: Placed<ApiChange>): Html {
  const { level, rule, place } = change;
  const mark = tag(level, level === 'breaking' ? 'bad' : 'plain');
  const more = html`${place === null ? null : `${placeName(place)} · `}rule <code>${rule}</code>`;
  return line({ mark, says: endpointText(change), more: [more] });
}

function dataLines({ steps, later, undecided = [] }: PlacedDifference['data']): readonly Html[] {
  if (undecided.length > 0) return undecided.map(undecidedLine);
  const lines = [...steps.map((step) => dataLine(step, 'now')), ...later.map((step) => dataLine(step, 'later'))];
  return lines.length === 0 ? [] : [...lines, besideLine(later.length > 0)];
}

function undecidedLine({ says, help, place }: Placed<UndecidedData>): Html {
  const more = [...(help === null ? [] : [help]), ...placesBelow(place)];
  return line({ mark: tag('undecided', 'bad'), says, more });
}

function besideLine(isLater: boolean): Html {
  const more = isLater ? ['Steps marked later run when it is no longer served'] : [];
  return line({ mark: tag('safe', 'good'), says: 'The previous release can be served in the meantime', more });
}

function dataLine({ says, hazards, place }: Placed<DataStep>, when: 'now' | 'later'): Html {
  const isLoss = losesData({ hazards });
  const mark = isLoss ? tag(when === 'later' ? 'deletes later' : 'deletes', 'bad') : tag(when, 'plain');
  return line({ mark, says, more: [...hazards.map(hazardWords), ...placesBelow(place)] });
}

const DIRECTIONS: Readonly<Record<AccessChange['direction'], Weight>> = {
  weaker: 'bad',
  other: 'warned',
  stricter: 'plain',
  new: 'plain',
  removed: 'plain',
};

function accessLine(change: Placed<AccessChange>): Html {
  const { direction, place } = change;
  const mark = tag(direction === 'other' ? 'changed' : direction, DIRECTIONS[direction]);
  return line({ mark, says: endpointText(change), more: placesBelow(place) });
}

function costLine(change: Placed<CostChange>): Html {
  const { kind, direction, place } = change;
  const isWorse = direction === 'more';
  const mark = tag(kind === 'index' ? (isWorse ? 'no index' : 'index') : direction, isWorse ? 'warned' : 'plain');
  return line({ mark, says: endpointText(change), more: placesBelow(place) });
}

function settingLine({ level, says, place }: Placed<SettingChange>): Html {
  return line({ mark: tag(level, level === 'required' ? 'warned' : 'plain'), says, more: placesBelow(place) });
}

function workLine({ change, says, place }: Placed<WorkChange>): Html {
  return line({ mark: tag(change, 'plain'), says, more: placesBelow(place) });
}

function placesBelow(place: Place | null): readonly string[] {
  return place === null ? [] : [placeName(place)];
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
