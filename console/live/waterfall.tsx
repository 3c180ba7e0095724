/** Where the time of a request went: a bar for each transaction and each statement, from its start to its end. */
import type { JSX } from 'preact';
import type { LiveDetails, StatementRun } from '../../runtime/console/live/live-request.ts';
import { counted, msText, SLOW_STATEMENT } from './amounts.ts';

/** More bars than these say nothing. */
const MOST_BARS = 100;

interface Bar {
  readonly key: string;
  readonly kind: 'request' | 'transaction' | 'statement' | 'slow' | 'failed';
  readonly label: string;
  readonly start: number;
  readonly ms: number;
}

export function Waterfall({ details }: { readonly details: LiveDetails }): JSX.Element {
  const bars = barsOf(details);
  const end = Math.max(details.ms, ...bars.map(({ start, ms }) => start + ms)) || 1;
  const more = details.runs.length - MOST_BARS + details.dropped;
  return (
    <>
      <ol class="waterfall">
        {bars.map(({ key, kind, label, start, ms }) => (
          <li key={key} class={`is-${kind}`}>
            <span class="waterfall-label">{label}</span>
            <span class="waterfall-track" aria-hidden="true">
              <span
                class="waterfall-bar"
                style={{ left: `${(start / end) * 100}%`, width: `${Math.max((ms / end) * 100, 0.4)}%` }}
              />
            </span>
            <span class="waterfall-ms">{msText(ms)}</span>
          </li>
        ))}
      </ol>
      {more > 0 && <p class="soft">{counted(more, 'more statement')}</p>}
    </>
  );
}

function barsOf(details: LiveDetails): readonly Bar[] {
  const { ms, runs, transactions } = details;
  const statements = (transaction: number | null): readonly Bar[] =>
    runs
      .slice(0, MOST_BARS)
      .flatMap((run, at) => (run.transaction === transaction ? [statementBar(run, at, details)] : []));
  const inTransactions = transactions.flatMap((span, at) => [
    { key: `t${at}`, kind: 'transaction' as const, label: transactionText(span), start: span.start, ms: span.ms },
    ...statements(at),
  ]);
  const all = [...statements(null), ...inTransactions];
  const whole: Bar = { key: 'request', kind: 'request', label: 'Request', start: 0, ms };
  return [whole, ...groupsInOrder(all)];
}

/** A transaction comes where it began, and its statements follow it. */
function groupsInOrder(bars: readonly Bar[]): readonly Bar[] {
  const groups: Bar[][] = [];
  for (const bar of bars) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === 'transaction' && bar.kind !== 'transaction') last.push(bar);
    else groups.push([bar]);
  }
  return groups.toSorted(([one], [other]) => (one?.start ?? 0) - (other?.start ?? 0)).flat();
}

function transactionText({ outcome, isolation, attempts }: LiveDetails['transactions'][number]): string {
  const parts = [
    'Transaction',
    isolation === 'read committed' ? '' : isolation,
    outcome === 'committed' ? '' : outcome,
    attempts > 1 ? `${attempts} attempts` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function statementBar({ text, start, ms, error, transaction }: StatementRun, at: number, { texts }: LiveDetails): Bar {
  const kind = error !== null ? 'failed' : ms >= SLOW_STATEMENT ? 'slow' : 'statement';
  const indent = transaction === null ? '' : '· ';
  return { key: `s${at}`, kind, label: `${indent}${shortSql(texts[text] ?? '')}`, start, ms };
}

/** `SELECT post`, `UPDATE order`: what it does, and to which table. */
function shortSql(text: string): string {
  const [verb = ''] = /\w+/.exec(text) ?? [];
  const [, table = ''] = /\b(?:from|into|update)\s+(?:only\s+)?(?:"?\w+"?\.)?"?(\w+)"?/i.exec(text) ?? [];
  return `${verb.toUpperCase()} ${table}`.trim();
}
