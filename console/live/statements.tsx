/** The different statements of a request: how often and how long each ran, its values, and its plan. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LiveDetails, StatementPlan, StatementRun } from '../../runtime/console/live/live-event.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { CONSOLE_KEY } from '../state/page.ts';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/controls.tsx';
import { formattedSql, withTableNames } from '../ui/highlight.ts';
import { counted, msText, Notice } from '../ui/text.tsx';
import { MANY_REPEATS, SLOW_STATEMENT } from './live-state.ts';

/** Whether there are plans: only in development, where the page brings its key. */
const HAS_PLANS = Boolean(CONSOLE_KEY);

export function Statements({ details }: { readonly details: LiveDetails }): JSX.Element {
  const { id, texts, runs } = details;
  const [plans, setPlans] = useState<readonly StatementPlan[] | null>(null);
  const { isBusy, rejection, send } = useSending();
  const explain = (): void =>
    void send(async () => setPlans(await consoleApi.json<readonly StatementPlan[]>(`live/${id}/plans`)));
  return (
    <>
      {HAS_PLANS && (
        <Button isSmall isBusy={isBusy} disabled={plans !== null} onClick={explain}>
          Show the plans
        </Button>
      )}
      {rejection && <Notice kind="error">{rejection.message}</Notice>}
      <ol class="vertical apart">
        {texts.map((text, at) => (
          <StatementItem
            key={text}
            text={text}
            runs={runs.filter((run) => run.text === at)}
            plan={plans?.find((plan) => plan.text === at)}
          />
        ))}
      </ol>
    </>
  );
}

interface StatementProps {
  readonly text: string;
  readonly runs: readonly StatementRun[];
  readonly plan: StatementPlan | undefined;
}

function StatementItem({ text, runs, plan }: StatementProps): JSX.Element {
  const total = runs.reduce((sum, { ms }) => sum + ms, 0);
  const slowest = Math.max(...runs.map(({ ms }) => ms));
  const rows = runs.reduce((sum, run) => sum + (run.rows ?? 0), 0);
  const error = runs.find((run) => run.error !== null)?.error;
  return (
    <li class="statement">
      <p class="row soft medium spaced">
        <span>{runs.length === 1 ? 'Ran once' : `Ran ${runs.length} times`}</span>
        <span>{msText(total)}</span>
        <span>{counted(rows, 'row')}</span>
        <span>
          {runs.some(({ transaction }) => transaction !== null) ? 'in a transaction' : 'outside of a transaction'}
        </span>
        {slowest >= SLOW_STATEMENT && <span class="pill is-warning">slow</span>}
      </p>
      {runs.length >= MANY_REPEATS && (
        <Notice>
          This request runs one statement {runs.length} times. A hook that queries in a loop is the usual cause: query
          once for all ids instead.
        </Notice>
      )}
      {error && <Notice kind="error">{error}</Notice>}
      <Code text={formattedSql(withTableNames(text))} language="sql" copyLabel="Copy the statement" />
      <Values runs={runs} />
      {plan && <Plan plan={plan} />}
    </li>
  );
}

/** The number of runs whose values are shown. The runs of a loop differ in little. */
const MOST_RUNS = 5;

function Values({ runs }: { readonly runs: readonly StatementRun[] }): JSX.Element | null {
  const [first] = runs;
  if (first?.values === null)
    return <p class="field-help soft">Its values are not kept, because some of them may be secret.</p>;
  if (!first || first.values.length === 0) return null;
  return (
    <ul class="values small apart" aria-label="Values">
      {runs.slice(0, MOST_RUNS).map(({ values, start }) => (
        <li key={start} class="row">
          {(values ?? []).map((value, at) => (
            <span key={at}>
              <span class="soft">${at + 1}</span> <code>{value ?? 'null'}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Plan({ plan: { plan, problem } }: { readonly plan: StatementPlan }): JSX.Element {
  if (plan === null) return <p class="field-help soft">{problem}</p>;
  return (
    <div class="plan apart">
      {plan.some((line) => line.includes('Seq Scan')) && (
        <p class="field-help soft">
          <code>Seq Scan</code> reads a whole table. On a small table that is the fastest way; on a large one an index
          helps. <code>kiln check --plans</code> says which index is missing.
        </p>
      )}
      <Code text={plan.join('\n')} copyLabel="Copy the plan" />
    </div>
  );
}
