/** One request: its outcome, its times, its statements with their plans, and its log lines. */
import type { ComponentChildren, JSX } from 'preact';
import type { LiveDetails, LiveError, LogEntry, StatementRun } from '../../runtime/console/live/live-event.ts';
import { useLoaded } from '../state/console-api.ts';
import { apiOf } from '../state/operations.ts';
import { hrefTo } from '../state/route.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { withTableNames } from '../ui/highlight.ts';
import { BackLink } from '../ui/sidebar.tsx';
import { bytesText, clockText, counted, Loaded, MethodBadge, msText, StatusBadge, withCode } from '../ui/text.tsx';
import { SLOW_STATEMENT } from './live-state.ts';
import { Statements } from './statements.tsx';

export function RequestPage({ id }: { readonly id: string }): JSX.Element {
  const details = useLoaded<LiveDetails>(`live/${encodeURIComponent(id)}`);
  return (
    <>
      <BackLink href={hrefTo('live')} to="All requests" />
      <Loaded of={details} label="Loading the request …">
        {(value) => <Request details={value} />}
      </Loaded>
    </>
  );
}

function Request({ details }: { readonly details: LiveDetails }): JSX.Element {
  const { method, path, query, status, error, logs } = details;
  return (
    <article class="request">
      <h2 class="request-title row spaced">
        <MethodBadge method={method} />
        <span class="request-path">
          {path}
          {query !== '' && <span class="soft">?{query}</span>}
        </span>
        <StatusBadge status={status} />
      </h2>
      <Facts details={details} />
      {error !== null && <Failure error={error} problem={details.problem} />}
      <Part title="Time">
        <Waterfall details={details} />
      </Part>
      {details.texts.length > 0 && (
        <Part title="Statements">
          <Statements details={details} />
        </Part>
      )}
      {logs.length > 0 && (
        <Part title="Log">
          <Log logs={logs} />
        </Part>
      )}
    </article>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="request-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Facts({ details }: { readonly details: LiveDetails }): JSX.Element {
  const { at, ms, databaseMs, statements, bytes, requestId, route, caller } = details;
  return (
    <dl class="facts box surface padded">
      <Fact name="Time">{msText(ms)}</Fact>
      <Fact name="Database">
        {statements === 0 ? 'not used' : `${counted(statements, 'statement')}, ${msText(databaseMs)}`}
      </Fact>
      <Fact name="Response">{bytes === null ? 'unknown size' : bytesText(bytes)}</Fact>
      <Fact name="Received">{clockText(at)}</Fact>
      <Fact name="Caller">{caller === null ? 'nobody is signed in' : <CallerLink caller={caller} />}</Fact>
      <Fact name="Operation">
        {route === null ? 'no endpoint has this path' : <OperationLink details={details} route={route} />}
      </Fact>
      <Fact name="Request id">
        <code>{requestId}</code>
      </Fact>
    </dl>
  );
}

/** `User 7` is a record. Without an id it is only known that somebody was signed in. */
function CallerLink({ caller }: { readonly caller: string }): JSX.Element {
  const [model = '', id] = caller.split(' ');
  return id === undefined ? <>signed in</> : <a href={hrefTo('data', [model, id])}>{caller}</a>;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt class="soft small">{name}</dt>
      <dd class="medium">{children}</dd>
    </div>
  );
}

function Failure({ error, problem }: { readonly error: LiveError; readonly problem: string | null }): JSX.Element {
  return (
    <section class="request-failure notice is-error box padded apart medium" aria-label="Error">
      <p>
        {problem !== null && <code>{problem}</code>} {withCode(error.message)}
      </p>
      {error.inputs.length > 0 && (
        <ul class="bullets apart">
          {error.inputs.map(({ path, code, message }) => (
            <li key={`${path} ${code}`}>
              <code>{path}</code> {withCode(message)} <span class="soft">({code})</span>
            </li>
          ))}
        </ul>
      )}
      {error.stack !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keys.
        <pre class="stack" tabIndex={0}>
          {error.stack}
        </pre>
      )}
    </section>
  );
}

function Log({ logs }: { readonly logs: readonly LogEntry[] }): JSX.Element {
  return (
    <ol class="log box surface padded small">
      {logs.map(({ at, level, message, data }, key) => (
        <li key={key}>
          <span class="soft numbers">{msText(at)}</span>
          <span class={`log-level pill is-${level}`}>{level}</span>
          <span class="log-message">
            {message}
            {data !== null && <code class="log-data soft">{data}</code>}
          </span>
        </li>
      ))}
    </ol>
  );
}

// ── Operation link ───────────────────────────────────────────────────────────────────────────────────────────────────

// The link from a request to its operation in the reference.

interface OperationLinkProps {
  readonly details: LiveDetails;
  /** `/api/post/:post_slug` */
  readonly route: string;
}

function OperationLink({ details: { method }, route }: OperationLinkProps): JSX.Element {
  const { value } = useStore(apiDocument);
  const path = route.replace(/:(\w+)/g, '{$1}');
  const operations = value ? [...apiOf(value).byId.values()] : [];
  const id = operations.find((each) => each.path === path && each.method === method.toLowerCase())?.id;
  return id === undefined ? <code>{route}</code> : <a href={hrefTo('reference', [id])}>{id}</a>;
}

// ── Waterfall ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The times of a request: a bar for each transaction, statement, hook and call, from its start to its end.

/** The largest number of bars. More tell nothing. */
const MOST_BARS = 100;

interface Bar {
  readonly kind: 'request' | 'transaction' | 'statement' | 'slow' | 'failed' | 'hook' | 'call';
  readonly label: string;
  readonly start: number;
  readonly ms: number;
}

function Waterfall({ details }: { readonly details: LiveDetails }): JSX.Element {
  const bars = barsOf(details);
  const end = Math.max(details.ms, ...bars.map(({ start, ms }) => start + ms)) || 1;
  const more = bars.length - MOST_BARS + details.dropped;
  return (
    <>
      <ol class="waterfall box surface padded small">
        {bars.slice(0, MOST_BARS).map(({ kind, label, start, ms }, key) => (
          <li key={key} class={`is-${kind}`}>
            <span class="ellipsis" title={label}>
              {label}
            </span>
            <span class="waterfall-track" aria-hidden="true">
              <span
                class="waterfall-bar"
                style={{ left: `${(start / end) * 100}%`, width: `${Math.max((ms / end) * 100, 0.4)}%` }}
              />
            </span>
            <span class="waterfall-ms numbers">{msText(ms)}</span>
          </li>
        ))}
      </ol>
      {more > 0 && <p class="field-help soft">{more} more</p>}
    </>
  );
}

/** The request, and below it what it did, by the start of each. A transaction is before its statements. */
function barsOf(details: LiveDetails): readonly Bar[] {
  const { ms, runs, transactions, hooks } = details;
  const parts: readonly Bar[] = [
    ...transactions.map((span) => ({ ...span, kind: 'transaction' as const, label: transactionText(span) })),
    ...hooks.map((run) => ({
      ...run,
      label: `${run.kind === 'call' ? 'Call' : 'Hook'} ${run.name.replaceAll('`', '')}`,
    })),
    ...runs.map((run) => statementBar(run, details)),
  ];
  return [
    { kind: 'request', label: 'Request', start: 0, ms },
    ...parts.toSorted((one, other) => one.start - other.start),
  ];
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

function statementBar({ text, start, ms, error, transaction }: StatementRun, { texts }: LiveDetails): Bar {
  const kind = error !== null ? 'failed' : ms >= SLOW_STATEMENT ? 'slow' : 'statement';
  const indent = transaction === null ? '' : '· ';
  return { kind, label: `${indent}${shortSql(texts[text] ?? '')}`, start, ms };
}

/** A short form of the statement, `SELECT post`, `UPDATE order`: its verb and its own table, not that of an inner query. */
function shortSql(text: string): string {
  const outer = withoutInner(withTableNames(text));
  const [verb = ''] = /\b(?:select|insert|update|delete)\b/i.exec(outer) ?? /\w+/.exec(text) ?? [];
  const [, table = ''] = TABLE.exec(outer) ?? ANY_TABLE.exec(text) ?? [];
  return `${verb.toUpperCase()} ${table}`.trim();
}

/** A table of Kiln, which is in quotes. The names of inner queries that are none, such as `counted`, are not. */
const TABLE = /\b(?:from|join|into|update|lateral)\s+(?:as\s+)?(?:"\w+"\.)?"(\w+?)(?:_\d+)?"/i;
/** The table of a statement that an author has written. */
const ANY_TABLE = /\b(?:from|into|update)\s+(?:only\s+)?(?:"?\w+"?\.)?"?(\w+)/i;

function withoutInner(text: string): string {
  const outer = text.replace(/\([^()]*\)/g, '');
  return outer === text ? text : withoutInner(outer);
}
