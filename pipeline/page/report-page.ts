/** The report of a release: one page that can be kept, sent and printed. The same input gives the same bytes. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { type AccessRow, accessMatrix } from '../../compiler/difference/access-rules.ts';
import type { Access } from '../../compiler/difference/difference.ts';
import type { BuildRecord, BuiltImage, ReleaseReport } from '../bake/build-record.ts';
import type { FinishedStep, Verdict } from '../smoke/steps.ts';
import { differenceParts, line, loud, loudParts, tag, type Weight } from './difference-page.ts';
import { framed, type Html, html, sentence } from './frame.ts';
import { modelsPart } from './models-part.ts';

export interface ReportPageInput {
  readonly branch: string;
  readonly report: ReleaseReport;
  readonly definition: Definition;
  /** Null for the first release. */
  readonly previous: { readonly revision: string; readonly definition: Definition } | null;
  /** Null where nothing is recorded of a build. */
  readonly build: BuildRecord | null;
  /** The environments that run it. */
  readonly live?: readonly string[];
  /** The link at the top of a page that is served. */
  readonly back?: Html;
}

export function reportPage(input: ReportPageInput): string {
  const { report, build, definition, previous, back = null } = input;
  const body = html`<header class="top">
${back}${heading(input)}
</header>
<main>
${failure(build)}${gates(build)}${report.difference === null ? null : loudParts(report.difference, report)}
${verdictsPart(build)}
${changesPart(input)}
${accessPart(accessMatrix(definition))}
<section id="models"><h2>Models</h2>${modelsPart(previous?.definition ?? null, definition)}</section>
${build === null ? null : buildPart(build)}
</main>
<footer class="foot">${plural(report.models, 'model')}, ${plural(report.endpoints, 'endpoint')} · revision <code>${report.revision}</code></footer>`;
  const title = `${report.application} ${report.revision.slice(0, 12)}: ${report.subject}`;
  return framed({ title, body });
}

function heading({ branch, report, build, previous, live = [] }: ReportPageInput): Html {
  return html`<p class="kind">${report.application} · release of <b>${branch}</b></p>
<h1>${report.subject === '' ? report.revision.slice(0, 12) : report.subject}</h1>
<p class="facts"><span>${outcomeTag(build?.outcome ?? null)}</span>${live.map((environment) => html`<span>${tag(`live in ${environment}`, 'plain')}</span>`)}
<span>Revision <b><code>${report.revision.slice(0, 12)}</code></b></span>
<span>Committed <b>${timeText(report.committed)}</b></span>
<span>${previous === null ? 'The first release' : html`After <b><code>${previous.revision.slice(0, 12)}</code></b>`}</span></p>`;
}

function failure(build: BuildRecord | null): readonly Html[] {
  return build?.outcome === 'failed' ? loud('bad', 'This release failed its test', [sentence(build.why ?? '')]) : [];
}

/** Shows changed gates: turning a gate off lets through what it would have caught. */
function gates(build: BuildRecord | null): readonly Html[] {
  const changed = build?.verdicts.filter(({ of }) => of === 'gates') ?? [];
  return changed.flatMap(({ details }) => loud('warned', 'Gates were turned on or off', details.map(sentence)));
}

function changesPart({ report: { difference } }: ReportPageInput): Html {
  const first = 'This is the first release: all tables are new, and so are all endpoints.';
  const content = difference === null ? html`<p class="lead">${first}</p>` : differenceParts(difference);
  return html`<section id="difference"><h2>What changes</h2>${content}</section>`;
}

// ── Access part ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The table of who may call which endpoint.

function accessPart(rows: readonly AccessRow[]): Html {
  const open = rows.filter(({ anonymous }) => anonymous === 'yes').length;
  return html`<section id="access-matrix"><h2>Who may call what</h2>
<p class="lead">${plural(rows.length, 'endpoint')}, ${open} of them open to everybody.</p>
<table class="stacked"><thead><tr><th>Endpoint</th><th>Anonymous</th><th>Signed in</th><th>Rule</th></tr></thead><tbody>
${rows.map(rowOf)}</tbody></table></section>`;
}

function rowOf({ endpoint, anonymous, signedIn, access }: AccessRow): Html {
  return html`<tr><td><code>${endpoint}</code></td><td>${answer('Anonymous', anonymous)}</td><td>${answer('Signed in', signedIn)}</td><td>${ruleOf(access)}</td></tr>
`;
}

function ruleOf({ says, shows }: Access): Html {
  const filter =
    shows === undefined ? null : html`<br><span class="soft small">shows where</span> <code>${shows}</code>`;
  return html`<code>${says}</code>${filter}`;
}

/** Shows an answer. A phone does not show the head of the table, so each cell has its own label. */
function answer(of: string, given: AccessRow['anonymous']): Html {
  const says = given === 'condition' ? 'by the rule' : given;
  return html`<span class="phone">${of}: </span>${given === 'no' ? html`<span class="soft">no</span>` : says}`;
}

// ── Build parts ──────────────────────────────────────────────────────────────────────────────────────────────────────

// How a release was built and tested, as parts of a page.

/** The outcome of a release in one word, for a list. */
export function outcomeTag(outcome: BuildRecord['outcome'] | null): Html {
  return outcome === null ? tag('not built', 'plain') : tag(outcome, OUTCOMES[outcome]);
}

const OUTCOMES: Readonly<Record<BuildRecord['outcome'], Weight>> = { tested: 'good', failed: 'bad', built: 'plain' };

/** The weights of verdicts, the worst first. */
const VERDICTS: Readonly<Record<Verdict['outcome'], Weight>> = {
  failed: 'bad',
  warned: 'warned',
  passed: 'good',
  skipped: 'plain',
};

function verdictsPart(build: BuildRecord | null): Html {
  const order = Object.keys(VERDICTS);
  const sorted = (build?.verdicts ?? []).toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  return html`<section id="verdicts"><h2>Verdicts</h2><ul class="lines">${[imageLine(build), ...sorted.map(verdictLine)]}</ul></section>`;
}

function imageLine(build: BuildRecord | null): Html {
  const mark = outcomeTag(build?.outcome ?? null);
  if (build === null) return line({ mark, says: 'Nothing is recorded about an image of this release' });
  if (build.outcome === 'failed') return line({ mark, says: 'The image failed its test, so no tag was moved' });
  const says =
    build.outcome === 'tested' ? 'The image passed its test on a real Postgres' : 'The image was built without a test';
  return line({ mark, says });
}

function verdictLine({ of, outcome, says, details }: Verdict): Html {
  return line({ mark: tag(outcome, VERDICTS[outcome]), says: html`<b>${of}</b>: ${sentence(says)}`, more: details });
}

function buildPart({ image, steps, finished }: BuildRecord): Html {
  return html`<section id="build"><h2>Build</h2>
${stepsTable(steps)}
<dl>${image === null ? null : imageFacts(image)}<dt>Finished</dt><dd>${timeText(finished)}</dd></dl>
</section>`;
}

function imageFacts({ id, names, digests, layer }: BuiltImage): Html {
  const pushed = Object.entries(digests).map(
    ([name, digest]) => html`<dt>Registry</dt><dd><code>${name}</code><br><code>${digest}</code></dd>`,
  );
  return html`<dt>Image</dt><dd><code>${id}</code></dd>
<dt>Names</dt><dd><ul class="bare">${names.map((name) => html`<li><code>${name}</code></li>`)}</ul></dd>
${pushed}<dt>Application layer</dt><dd>${sizeText(layer)}</dd>
`;
}

/** Draws the steps as bars; each begins where the previous one ends. */
function stepsTable(steps: readonly FinishedStep[]): Html {
  const total = steps.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  let begin = 0;
  const rows = steps.map((step) => {
    const row = stepRow(step, begin, total);
    begin += step.milliseconds;
    return row;
  });
  return html`<table class="stacked steps"><thead><tr><th>Step</th><th>Time</th><th>${(total / 1000).toFixed(1)} s in all</th><th>Result</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

function stepRow({ name, milliseconds, detail }: FinishedStep, begin: number, total: number): Html {
  const share = (time: number): number => (total === 0 ? 0 : Math.round((time / total) * 1000) / 10);
  return html`<tr><td>${name}</td><td class="number">${milliseconds} ms</td><td class="timeline"><svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" width="100" height="6"/><rect x="${Math.min(share(begin), 99.5)}" width="${Math.max(share(milliseconds), 0.5)}" height="6"/></svg></td><td>${detail}</td></tr>
`;
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Formats a time in UTC, to the minute. A text that is not a time is shown as it is. */
export function timeText(time: string): string {
  const [, date, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time) ?? [];
  return date === undefined ? time : `${date} ${minute} UTC`;
}
