/** The report of a release: one page that can be kept, sent and printed. The same input gives the same bytes. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { type AccessRow, accessMatrix } from '../../compiler/difference/access-matrix.ts';
import type { Access } from '../../compiler/difference/difference.ts';
import type { BuildRecord } from '../bake/build-record.ts';
import type { ReleaseReport } from '../bake/report.ts';
import { buildPart, outcomeTag, timeText, verdictsPart } from './build-parts.ts';
import { differenceParts, line, loud, loudParts, part, tag } from './difference-parts.ts';
import { framed } from './frame.ts';
import { type Html, html, sentence } from './html.ts';
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
  /** Before all else, on a page that is served. */
  readonly way?: Html;
}

/** The parts that say nothing of the build, and take longest. */
export interface ReleaseParts {
  readonly changes: Html;
  readonly access: Html;
  readonly models: Html;
}

export function releaseParts(input: Omit<ReportPageInput, 'build'>): ReleaseParts {
  const { definition, previous } = input;
  return {
    changes: changesPart(input),
    access: accessPart(accessMatrix(definition)),
    models: modelsPart(previous?.definition ?? null, definition),
  };
}

export function reportPage(input: ReportPageInput, parts: ReleaseParts = releaseParts(input)): string {
  const { report, build, way = null } = input;
  const body = html`<header class="top">
${way}${heading(input)}
</header>
<main>
${failure(build)}${gates(build)}${report.difference === undefined ? null : loudParts(report.difference, report)}
${verdictsPart(build)}
${parts.changes}
${parts.access}
<section id="models"><h2>Models</h2>${parts.models}</section>
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

function failure(build: BuildRecord | null): Html | null {
  if (build?.outcome !== 'failed') return null;
  return html`<div class="loud bad"><h3>This release failed its test</h3><ul><li>${sentence(build.why ?? '')}</li></ul></div>
`;
}

/** Who turns a gate off lets through what it would have caught, from then on. */
function gates(build: BuildRecord | null): readonly Html[] {
  const changed = build?.verdicts.filter(({ of }) => of === 'gates') ?? [];
  return changed.flatMap(({ details }) => loud('warned', 'Gates were turned on or off', details.map(sentence)));
}

function changesPart({ report, previous }: Omit<ReportPageInput, 'build'>): Html {
  const content = () => {
    if (previous === null)
      return html`<p class="lead">This is the first release: all tables are new, and so are all endpoints.</p>`;
    return report.difference === undefined ? recordedChanges(report) : differenceParts(report.difference);
  };
  return html`<section id="difference"><h2>What changes</h2>${content()}</section>`;
}

/** What a release says that an earlier Kiln has made. */
function recordedChanges({ api, database }: ReleaseReport): Html {
  const routes = [
    ...api.removed.map((route) => line({ mark: tag('removed', 'bad'), says: html`<code>${route}</code>` })),
    ...api.changed.map((route) => line({ mark: tag('changed', 'plain'), says: html`<code>${route}</code>` })),
    ...api.added.map((route) => line({ mark: tag('added', 'plain'), says: html`<code>${route}</code>` })),
  ];
  const steps = database.map((says) => line({ mark: tag('now', 'plain'), says }));
  return html`${part('API', 'Endpoints that are not as they were.', routes)}
${part('Data', 'What the migration does, in this order.', steps)}`;
}

// ── Access part ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Who may call which endpoint, as a table.

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

/** On a phone the head of the table is not there, so each cell says what it is about. */
function answer(of: string, given: AccessRow['anonymous']): Html {
  const says = given === 'condition' ? 'by the rule' : given;
  return html`<span class="phone">${of}: </span>${given === 'no' ? html`<span class="soft">no</span>` : says}`;
}
