/** What changed since the last release: what callers notice, and what is done to the data. */
import type { JSX } from 'preact';
import type { ReleaseChanges } from '../../runtime/console/api/release-changes.ts';
import { withCode } from '../ui/text.tsx';

export function ChangesNote({ changes }: { readonly changes: ReleaseChanges }): JSX.Element {
  const { since, api, data, models } = changes;
  const breaking = api.filter(({ level }) => level === 'breaking');
  const compatible = api.filter(({ level }) => level !== 'breaking');
  if (api.length + data.length + Object.keys(models).length === 0)
    return <p class="since">Nothing has changed since {since}.</p>;
  return (
    <details class="since">
      <summary>
        Changes since {since}: {summaryOf(changes)}
      </summary>
      <Lines title="Breaking for callers" lines={breaking.map(({ says }) => says)} />
      <Lines title="Compatible for callers" lines={compatible.map(({ says }) => says)} />
      <Lines title="Data" lines={data} />
    </details>
  );
}

function summaryOf({ models, api }: ReleaseChanges): string {
  const count = (change: string): number => Object.values(models).filter((each) => each.change === change).length;
  const breaking = api.filter(({ level }) => level === 'breaking').length;
  const parts = (['added', 'changed', 'removed'] as const)
    .map((change) => ({ change, number: count(change) }))
    .filter(({ number }) => number > 0)
    .map(({ change, number }) => `${number} ${number === 1 ? 'model' : 'models'} ${change}`);
  const rest = breaking === 0 ? 'nothing that breaks callers' : `${breaking} breaking for callers`;
  return [...parts, rest].join(', ');
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{withCode(line)}</li>
        ))}
      </ul>
    </>
  );
}
