/** How a release was built and tested, as parts of a page. */
import type { BuildRecord, BuiltImage } from '../bake/build-record.ts';
import type { FinishedStep } from '../bake/steps.ts';
import type { Verdict } from '../smoke/verdict.ts';
import { line, tag, type Weight } from './difference-parts.ts';
import { type Html, html, sentence } from './html.ts';

/** What a list says of a release in one word. */
export function outcomeTag(outcome: BuildRecord['outcome'] | null): Html {
  return outcome === null ? tag('not built', 'plain') : tag(outcome, OUTCOMES[outcome]);
}

const OUTCOMES: Readonly<Record<BuildRecord['outcome'], Weight>> = { tested: 'good', failed: 'bad', built: 'plain' };

/** The worst first. */
const VERDICTS: Readonly<Record<Verdict['outcome'], Weight>> = {
  failed: 'bad',
  warned: 'warned',
  passed: 'good',
  skipped: 'plain',
};

export function verdictsPart(build: BuildRecord | null): Html {
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

export function buildPart({ image, steps, finished }: BuildRecord): Html {
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

/** Each bar begins where the one before it ends. */
function stepsTable(steps: readonly FinishedStep[]): Html {
  const total = steps.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  let begin = 0;
  const rows = steps.map((step) => {
    const row = stepRow(step, begin, total);
    begin += step.milliseconds;
    return row;
  });
  return html`<table class="stacked steps"><thead><tr><th>Step</th><th>Time</th><th>${secondsText(total)} in all</th><th>Result</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

function stepRow({ name, milliseconds, detail }: FinishedStep, begin: number, total: number): Html {
  const share = (time: number): number => (total === 0 ? 0 : Math.round((time / total) * 1000) / 10);
  return html`<tr><td>${name}</td><td class="number">${milliseconds} ms</td><td class="timeline"><svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" width="100" height="6"/><rect x="${Math.min(share(begin), 99.5)}" width="${Math.max(share(milliseconds), 0.5)}" height="6"/></svg></td><td>${detail}</td></tr>
`;
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** In UTC, to the minute. What is no time is shown as it is. */
export function timeText(time: string): string {
  const [, date, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time) ?? [];
  return date === undefined ? time : `${date} ${minute} UTC`;
}
