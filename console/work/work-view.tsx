/** The jobs that wait, run or have failed: how many of each, a table of them, and a page for each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { JOB_STATES, type JobState, type WorkKind } from '../../runtime/console/work/work-forms.ts';
import { countText, momentText } from '../data/cell.tsx';
import { consoleApi, useLoaded, useSending } from '../state/console-api.ts';
import { hrefTo, type ViewProps } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';
import { Heads, JobPageView, JobTable } from './job-table.tsx';
import { type Asked, discard, kindName, runAgain, STATE_WORDS } from './work-actions.ts';

export function WorkView({ path: [id], query }: ViewProps): JSX.Element {
  const kinds = useLoaded<readonly WorkKind[]>('work');
  const [asked, setAsked] = useState<Asked | null>(null);
  // A number, so that the table reads its jobs again after something was done.
  const [turn, setTurn] = useState(0);
  const refresh = (): void => {
    kinds.reload();
    setTurn(turn + 1);
  };
  const done = (): void => {
    setAsked(null);
    refresh();
  };
  return (
    <main id="content" class="content work" tabIndex={-1}>
      <Loaded of={kinds}>
        {(all) =>
          id === undefined ? (
            <>
              <div class="data-head row spaced">
                <h2>Work</h2>
                <div class="buttons end">
                  <Button isSmall isBusy={kinds.isLoading} onClick={refresh}>
                    Refresh
                  </Button>
                </div>
              </div>
              <Kinds kinds={all} ask={setAsked} />
              <JobTable key={turn} kinds={all} query={query} ask={setAsked} />
            </>
          ) : (
            <JobPageView key={`${id} ${turn}`} id={id} kinds={all} ask={setAsked} />
          )
        }
      </Loaded>
      <AskDialog asked={asked} onClose={() => setAsked(null)} onDone={done} />
    </main>
  );
}

interface KindsProps {
  readonly kinds: readonly WorkKind[];
  readonly ask: (asked: Asked) => void;
}

function Kinds({ kinds, ask }: KindsProps): JSX.Element {
  return (
    <section class="data-table box surface spaced" aria-label="Jobs by state">
      <table>
        <thead>
          <Heads texts={['Job', ...JOB_STATES.map((state) => STATE_WORDS[state]), 'Oldest waiting', 'Actions']} />
        </thead>
        <tbody>
          {kinds.map((each) => (
            <Kind key={each.kind} kind={each} ask={ask} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Kind({ kind: each, ask }: { readonly kind: WorkKind } & Pick<KindsProps, 'ask'>): JSX.Element {
  const { kind, job, counts, oldest } = each;
  return (
    <tr>
      <th scope="row" title={kind}>
        <a class="link" href={hrefTo('work', [], { kind })}>
          {kindName(each)}
        </a>
        <span class="data-type">{guaranteeText(job)}</span>
      </th>
      {JOB_STATES.map((state) => (
        <td key={state} class="numbers">
          <CountLink kind={each} state={state} />
        </td>
      ))}
      <td class="cell-number">{oldest === null ? '' : <time dateTime={oldest}>{momentText(oldest)}</time>}</td>
      <td>
        {counts.failed.count > 0 && (
          <div class="buttons">
            <Button isSmall onClick={() => ask(runAgain({ kind }, `all failed jobs of ${kindName(each)}`))}>
              Run all again …
            </Button>
            <Button
              isSmall
              look="danger"
              onClick={() => ask(discard({ kind }, `all failed jobs of ${kindName(each)}`))}
            >
              Discard all …
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}

function guaranteeText(job: WorkKind['job']): string {
  if (job === null) return 'of another release';
  return job.isExactlyOnce ? 'exactly once' : 'at least once';
}

function CountLink({ kind: { kind, counts }, state }: { readonly kind: WorkKind; readonly state: JobState }) {
  const text = countText(counts[state], false);
  if (counts[state].count === 0) return <span class="soft">{text}</span>;
  return (
    <a class={state === 'failed' ? 'link work-failed' : 'link'} href={hrefTo('work', [], { kind, state })}>
      {text}
    </a>
  );
}

// ── Ask dialog ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface AskDialogProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function AskDialog({ asked, onClose, onDone }: AskDialogProps): JSX.Element {
  const { isBusy, rejection, send } = useSending();
  const act = ({ path, jobs }: Asked): void =>
    void send(async () => {
      await consoleApi.send(path, { method: 'POST', body: jobs });
      onDone();
    });
  return (
    <Dialog title={asked?.title ?? ''} isOpen={asked !== null} onClose={onClose}>
      {asked && (
        <>
          <p class="soft small spaced">{asked.note}</p>
          {rejection && <Notice kind="error">{rejection.message}</Notice>}
          <div class="buttons">
            <Button look={asked.look} isBusy={isBusy} onClick={() => act(asked)}>
              {asked.action}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
