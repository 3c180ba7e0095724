/** The stored jobs, newest first, and the page of one of them. Filters and place are in the address. */
import type { ComponentChildren, JSX } from 'preact';
import {
  JOB_STATES,
  type JobPage,
  type JobState,
  type StoredJob,
  type WorkKind,
} from '../../runtime/console/work/work-forms.ts';
import { momentText } from '../data/cell.tsx';
import { useLoaded } from '../state/console-api.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';
import { type Asked, discard, jobName, kindName, runAgain, STATE_WORDS } from './work-actions.ts';

interface JobsProps {
  readonly kinds: readonly WorkKind[];
  readonly ask: (asked: Asked) => void;
}

export function JobTable({ kinds, query, ask }: JobsProps & { readonly query: URLSearchParams }): JSX.Element {
  const wish = Object.fromEntries(query);
  const loaded = useLoaded<JobPage>(`work/jobs?${query}`);
  const show = (part: Readonly<Record<string, string>>): void => {
    const { before: _, ...rest } = wish;
    goTo(
      hrefTo('work', [], Object.fromEntries(Object.entries({ ...rest, ...part }).filter(([, value]) => value !== ''))),
    );
  };
  const names = kinds.map((each) => [each.kind, kindName(each)] as const);
  return (
    <>
      <search class="data-filters buttons spaced" aria-label="Filter the jobs">
        <Select
          aria-label="Job"
          value={wish.kind ?? ''}
          options={[['', 'All jobs'], ...names]}
          onChange={(kind) => show({ kind })}
        />
        <Select
          aria-label="State"
          value={wish.state ?? ''}
          options={[['', 'Any state'], ...JOB_STATES.map((state) => [state, STATE_WORDS[state]] as const)]}
          onChange={(state) => show({ state })}
        />
      </search>
      <Loaded of={loaded}>
        {({ jobs, hasMore }) => (
          <>
            {jobs.length === 0 ? (
              <Notice kind="empty">There are no such jobs. Those that are done are removed.</Notice>
            ) : (
              <Rows jobs={jobs} kinds={kinds} ask={ask} />
            )}
            <nav class="buttons apart" aria-label="Pages">
              <Button isSmall disabled={wish.before === undefined} onClick={() => show({})}>
                Newest
              </Button>
              <Button isSmall disabled={!hasMore} onClick={() => show({ before: jobs.at(-1)?.id ?? '' })}>
                Older
              </Button>
            </nav>
          </>
        )}
      </Loaded>
    </>
  );
}

function Rows({ jobs, kinds, ask }: JobsProps & { readonly jobs: readonly StoredJob[] }): JSX.Element {
  return (
    <section class="data-table box surface" aria-label="Jobs">
      <table>
        <thead>
          <Heads texts={['id', 'Job', 'State', 'Due', 'Tries', 'Error', 'Inputs', 'Actions']} />
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <a class="cell-id link" href={hrefTo('work', [job.id])} title={`Open the job ${job.id}`}>
                  {job.id}
                </a>
              </td>
              <td>{jobName(kinds, job)}</td>
              <td>
                <State state={job.state} />
              </td>
              <td class="cell-number">{job.dueAt === null ? '' : momentText(job.dueAt)}</td>
              <td class="cell-number">{triesText(kinds, job)}</td>
              <td title={job.error ?? undefined}>{job.error}</td>
              <td title={job.input}>
                <code class="cell-code">{job.input}</code>
              </td>
              <td>
                <JobButtons job={job} name={jobName(kinds, job)} ask={ask} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Heads({ texts }: { readonly texts: readonly string[] }): JSX.Element {
  return (
    <tr>
      {texts.map((text) => (
        <th key={text} scope="col">
          <span class="data-unsorted line">{text}</span>
        </th>
      ))}
    </tr>
  );
}

function State({ state }: { readonly state: JobState }): JSX.Element {
  return <span class={state === 'failed' ? 'pill is-removed' : 'pill'}>{STATE_WORDS[state]}</span>;
}

function triesText(kinds: readonly WorkKind[], { kind, attempt }: StoredJob): string {
  const tries = kinds.find((each) => each.kind === kind)?.job?.tries;
  return tries === undefined ? String(attempt) : `${attempt} of ${tries}`;
}

interface JobButtonsProps {
  readonly job: StoredJob;
  readonly name: string;
  readonly ask: (asked: Asked) => void;
}

/** The buttons of a job. One that runs has none, and one that waits runs anyway. */
function JobButtons({ job: { id, state }, name, ask }: JobButtonsProps): JSX.Element {
  const what = `${name} ${id}`;
  return (
    <div class="buttons">
      {(state === 'failed' || state === 'later') && (
        <Button isSmall onClick={() => ask(runAgain({ id }, what))}>
          {state === 'failed' ? 'Run again …' : 'Run now …'}
        </Button>
      )}
      {state !== 'running' && (
        <Button isSmall look="danger" onClick={() => ask(discard({ id }, what))}>
          Discard …
        </Button>
      )}
    </div>
  );
}

// ── Page of a job ────────────────────────────────────────────────────────────────────────────────────────────────────

export function JobPageView({ id, kinds, ask }: JobsProps & { readonly id: string }): JSX.Element {
  const loaded = useLoaded<StoredJob>(`work/jobs/${encodeURIComponent(id)}`);
  return (
    <>
      <nav class="data-trail" aria-label="Breadcrumb">
        <ol class="soft small">
          <li>
            <a class="link is-quiet" href={hrefTo('work')}>
              Work
            </a>
          </li>
          <li aria-current="page">{id}</li>
        </ol>
      </nav>
      <Loaded of={loaded}>
        {(job) => (
          <>
            <div class="data-head row spaced">
              <h2>
                {jobName(kinds, job)} {id}
              </h2>
              <State state={job.state} />
              <div class="end">
                <JobButtons job={job} name={jobName(kinds, job)} ask={ask} />
              </div>
            </div>
            <dl class="data-record box surface lined spaced">
              {factsOf(job, kinds).map(([title, text]) => (
                <div key={title}>
                  <dt class="medium">{title}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Loaded>
    </>
  );
}

function factsOf(job: StoredJob, kinds: readonly WorkKind[]): readonly (readonly [string, ComponentChildren])[] {
  const facts = [
    ['Stored as', job.kind],
    ['Stored', momentText(job.createdAt)],
    ['Due', job.dueAt && momentText(job.dueAt)],
    ['Tries', triesText(kinds, job)],
    ['Server', job.runningOn],
    ['Line', job.line],
    ['Failed', job.failedAt && momentText(job.failedAt)],
    ['Error', job.error],
    ['Inputs', <code class="cell-code">{JSON.stringify(JSON.parse(job.input), undefined, 2)}</code>],
  ] as const;
  return facts.filter(([, text]) => text !== null);
}
