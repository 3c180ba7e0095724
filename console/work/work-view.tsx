/** The jobs that wait, run or have failed: how many of each kind, and a table of them. Its filters are in the address. */
import type { ComponentChildren, JSX } from 'preact';
import { JOB_STATES, type JobPage, type StoredJob, type WorkKind } from '../../runtime/console/work/work-forms.ts';
import { countText, momentText } from '../data/cell.tsx';
import { consoleApi, useLoaded } from '../state/console-api.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { Button, Select } from '../ui/controls.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { Loaded, Notice } from '../ui/text.tsx';

export function WorkView({ query }: ViewProps): JSX.Element {
  const kinds = useLoaded<readonly WorkKind[]>('work');
  const jobs = useLoaded<JobPage>(`work/jobs?${query}`);
  const refresh = (): void => {
    kinds.reload();
    jobs.reload();
  };
  return (
    <main id="content" class="content work" tabIndex={-1}>
      <div class="data-head row spaced">
        <h2>Work</h2>
        <div class="buttons end">
          <Button isSmall isBusy={jobs.isLoading} onClick={refresh}>
            Refresh
          </Button>
        </div>
      </div>
      <Loaded of={kinds}>
        {(all) => (
          <>
            <Table
              label="Jobs by state"
              heads={['job', 'guarantee', ...JOB_STATES, 'oldest waiting', 'failed jobs']}
              rows={all.map((each) => [each.kind, kindCells(each, refresh)])}
            />
            <Filters kinds={all} query={query} />
            <Loaded of={jobs}>{(page) => <Jobs page={page} kinds={all} query={query} onDone={refresh} />}</Loaded>
          </>
        )}
      </Loaded>
    </main>
  );
}

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly [key: string, cells: readonly ComponentChildren[]])[];
}

function Table({ label, heads, rows }: TableProps): JSX.Element {
  return (
    <section class="data-table box surface spaced" aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                <span class="data-unsorted line">{head}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([key, cells]) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function kindCells(each: WorkKind, onDone: () => void): readonly ComponentChildren[] {
  const { kind, job, counts, oldest } = each;
  const all = `all failed jobs of ${nameOf(each)}`;
  return [
    <a class="link" href={hrefTo('work', [], { kind })}>
      {nameOf(each)}
    </a>,
    job === null ? 'runs in another release' : job.isExactlyOnce ? 'exactly once' : 'at least once',
    ...JOB_STATES.map((state) =>
      counts[state].count === 0 ? (
        <span class="soft">0</span>
      ) : (
        <a class="link" href={hrefTo('work', [], { kind, state })}>
          {countText(counts[state], false)}
        </a>
      ),
    ),
    <Moment at={oldest} />,
    counts.failed.count > 0 && <Actions run="Run all again" jobs={{ kind }} what={all} onDone={onDone} />,
  ];
}

/** The name of the job; a kind that this release cannot read is shown whole. */
function nameOf({ kind, job }: WorkKind): string {
  return job?.name ?? kind;
}

function Moment({ at }: { readonly at: string | null }): JSX.Element | null {
  return at === null ? null : <time class="cell-number">{momentText(at)}</time>;
}

// ── Jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FiltersProps {
  readonly kinds: readonly WorkKind[];
  readonly query: URLSearchParams;
}

/** The address of the first page with another filter. */
function hrefWith(query: URLSearchParams, part: Readonly<Record<string, string>>): string {
  return hrefTo('work', [], { ...Object.fromEntries(query), before: '', ...part });
}

function Filters({ kinds, query }: FiltersProps): JSX.Element {
  return (
    <search class="data-filters buttons spaced" aria-label="Filter the jobs">
      <Select
        aria-label="Job"
        value={query.get('kind') ?? ''}
        options={[['', 'all jobs'], ...kinds.map((each) => [each.kind, nameOf(each)] as const)]}
        onChange={(kind) => goTo(hrefWith(query, { kind }))}
      />
      <Select
        aria-label="State"
        value={query.get('state') ?? ''}
        options={[['', 'any state'], ...JOB_STATES]}
        onChange={(state) => goTo(hrefWith(query, { state }))}
      />
    </search>
  );
}

interface JobsProps extends FiltersProps {
  readonly page: JobPage;
  readonly onDone: () => void;
}

function Jobs({ page, kinds, query, onDone }: JobsProps): JSX.Element {
  const { jobs, hasMore } = page;
  const kindOf = new Map(kinds.map((each) => [each.kind, each]));
  return (
    <>
      {jobs.length === 0 ? (
        <Notice kind="empty">There are no such jobs. A job is removed when it is done.</Notice>
      ) : (
        <Table
          label="Jobs"
          heads={['id', 'job', 'state', 'due', 'tries', 'error', 'inputs', 'actions']}
          rows={jobs.map((job) => [job.id, jobCells(job, kindOf.get(job.kind), onDone)])}
        />
      )}
      <nav class="buttons" aria-label="Pages">
        <Button isSmall disabled={!query.has('before')} onClick={() => goTo(hrefWith(query, {}))}>
          Newest
        </Button>
        <Button isSmall disabled={!hasMore} onClick={() => goTo(hrefWith(query, { before: jobs.at(-1)?.id ?? '' }))}>
          Older
        </Button>
      </nav>
    </>
  );
}

function jobCells(stored: StoredJob, of: WorkKind | undefined, onDone: () => void): readonly ComponentChildren[] {
  const { id, kind, state, dueAt, attempt, error, input } = stored;
  const name = of?.job?.name ?? kind.replace(/\(.*/, '');
  const run = { waiting: null, running: null, later: 'Run now', failed: 'Run again' }[state];
  return [
    <span class="cell-id">{id}</span>,
    name,
    <span class={state === 'failed' ? 'pill is-removed' : 'pill'}>{state}</span>,
    <Moment at={dueAt} />,
    <span class="cell-number">{of?.job ? `${attempt} of ${Math.max(attempt, of.job.tries)}` : attempt}</span>,
    <span class="work-text">{error}</span>,
    <code class="work-text cell-code">{input}</code>,
    state !== 'running' && <Actions run={run} jobs={{ id }} what={`${name} ${id}`} onDone={onDone} />,
  ];
}

// ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ActionsProps {
  /** The text of the button; null for a job that runs without it. */
  readonly run: string | null;
  /** The body of the request: one job, or all of a kind that have failed. */
  readonly jobs: { readonly id: string } | { readonly kind: string };
  readonly what: string;
  readonly onDone: () => void;
}

function Actions({ run, jobs, what, onDone }: ActionsProps): JSX.Element {
  const act = async (action: 'run' | 'discard'): Promise<void> => {
    await consoleApi.send(`work/${action}`, { method: 'POST', body: jobs });
    onDone();
  };
  return (
    <div class="buttons">
      {run !== null && (
        <ConfirmButton text={run} title={`Run ${what}?`} action="Run" look="primary" onConfirm={() => act('run')}>
          <p class="soft small">
            Due at once, with all tries. What earlier tries did outside of the database may happen again.
          </p>
        </ConfirmButton>
      )}
      <ConfirmButton text="Discard" title={`Discard ${what}?`} action="Discard" onConfirm={() => act('discard')}>
        <p class="soft small">A discarded job never runs. This cannot be undone.</p>
      </ConfirmButton>
    </div>
  );
}
