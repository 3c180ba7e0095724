/** The jobs that wait, run or have failed: how many of each kind, and a table of them. Its filters are in the address. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { JOB_STATES, type JobPage, type StoredJob, type WorkKind } from '../../runtime/console/work/work-forms.ts';
import { countText, momentText } from '../data/cell.tsx';
import { consoleApi, useLoaded } from '../state/console-api.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';

export function WorkView({ query }: ViewProps): JSX.Element {
  const kinds = useLoaded<readonly WorkKind[]>('work');
  const jobs = useLoaded<JobPage>(`work/jobs?${query}`);
  const [asked, setAsked] = useState<Asked | null>(null);
  const refresh = (): void => {
    kinds.reload();
    jobs.reload();
  };
  const done = (): void => {
    setAsked(null);
    refresh();
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
              rows={all.map((each) => [each.kind, kindCells(each, setAsked)])}
            />
            <Filters kinds={all} query={query} />
            <Loaded of={jobs}>{(page) => <Jobs page={page} kinds={all} query={query} ask={setAsked} />}</Loaded>
          </>
        )}
      </Loaded>
      <AskDialog asked={asked} onClose={() => setAsked(null)} onDone={done} />
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

type Ask = (asked: Asked) => void;

function kindCells(each: WorkKind, ask: Ask): readonly ComponentChildren[] {
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
    counts.failed.count > 0 && <Actions run="Run all again" jobs={{ kind }} what={all} ask={ask} />,
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

function Jobs({ page, kinds, query, ask }: FiltersProps & { readonly page: JobPage; readonly ask: Ask }): JSX.Element {
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
          rows={jobs.map((job) => [job.id, jobCells(job, kindOf.get(job.kind), ask)])}
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

function jobCells(stored: StoredJob, of: WorkKind | undefined, ask: Ask): readonly ComponentChildren[] {
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
    state !== 'running' && <Actions run={run} jobs={{ id }} what={`${name} ${id}`} ask={ask} />,
  ];
}

// ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ActionsProps {
  /** The text of the button; null for a job that runs without it. */
  readonly run: string | null;
  /** The body of the request: one job, or all of a kind that have failed. */
  readonly jobs: { readonly id: string } | { readonly kind: string };
  readonly what: string;
  readonly ask: Ask;
}

/** An action that somebody has to confirm. */
interface Asked extends Pick<ActionsProps, 'jobs' | 'what'> {
  readonly action: 'run' | 'discard';
}

function Actions({ run, jobs, what, ask }: ActionsProps): JSX.Element {
  return (
    <div class="buttons">
      {run !== null && (
        <Button isSmall onClick={() => ask({ action: 'run', jobs, what })}>
          {run} …
        </Button>
      )}
      <Button isSmall look="danger" onClick={() => ask({ action: 'discard', jobs, what })}>
        Discard …
      </Button>
    </div>
  );
}

const WORDS = {
  run: [
    'Run',
    'Due at once, with all tries. What earlier tries did outside of the database may happen again.',
    'primary',
  ],
  discard: ['Discard', 'A discarded job never runs. This cannot be undone.', 'danger'],
} as const;

interface AskDialogProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function AskDialog({ asked, onClose, onDone }: AskDialogProps): JSX.Element {
  const { action, jobs, what } = asked ?? { action: 'run', what: '' };
  const [verb, note, look] = WORDS[action];
  const act = async (): Promise<void> => {
    await consoleApi.send(`work/${action}`, { method: 'POST', body: jobs });
    onDone();
  };
  return (
    <Confirm
      title={`${verb} ${what}?`}
      action={verb}
      look={look}
      isOpen={asked !== null}
      onClose={onClose}
      onConfirm={act}
    >
      <p class="soft small">{note}</p>
    </Confirm>
  );
}
