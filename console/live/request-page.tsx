/** One request: what it ended with, where its time went, its statements with their plans, and what was logged. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LiveDetails, LiveError, LogEntry } from '../../runtime/console/live/live-request.ts';
import { consoleApi } from '../state/console-api.ts';
import { hrefTo } from '../state/route.ts';
import { MethodBadge, StatusBadge } from '../ui/badges.tsx';
import { Notice, Spinner } from '../ui/notice.tsx';
import { withCode } from '../ui/text.tsx';
import { bytesText, clockText, counted, msText } from './amounts.ts';
import { OperationLink } from './operation-link.tsx';
import { Statements } from './statements.tsx';
import { Waterfall } from './waterfall.tsx';

type Loaded = { readonly details: LiveDetails } | { readonly error: string } | null;

export function RequestPage({ id }: { readonly id: string }): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>(null);
  useEffect(() => {
    consoleApi.json<LiveDetails>(`live/${encodeURIComponent(id)}`).then(
      (details) => setLoaded({ details }),
      ({ message }: Error) => setLoaded({ error: message }),
    );
  }, [id]);
  return (
    <>
      <a class="back" href={hrefTo('live')}>
        All requests
      </a>
      {loaded === null ? (
        <Spinner label="Loading the request …" />
      ) : 'error' in loaded ? (
        <Notice kind="error">{loaded.error}</Notice>
      ) : (
        <Request details={loaded.details} />
      )}
    </>
  );
}

function Request({ details }: { readonly details: LiveDetails }): JSX.Element {
  const { method, path, query, status, error, logs } = details;
  return (
    <article class="request">
      <h2 class="request-title">
        <MethodBadge method={method} />
        <span class="request-path">
          {path}
          {query !== '' && <span class="request-query">?{query}</span>}
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
  const { at, ms, databaseMs, statements, bytes, requestId, route } = details;
  return (
    <dl class="facts">
      <Fact name="Time">{msText(ms)}</Fact>
      <Fact name="Database">
        {statements === 0 ? 'not used' : `${counted(statements, 'statement')}, ${msText(databaseMs)}`}
      </Fact>
      <Fact name="Response">{bytes === null ? 'unknown size' : bytesText(bytes)}</Fact>
      <Fact name="Received">{clockText(at)}</Fact>
      <Fact name="Operation">
        {route === null ? 'no endpoint has this path' : <OperationLink details={details} route={route} />}
      </Fact>
      <Fact name="Request id">
        <code>{requestId}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Failure({ error, problem }: { readonly error: LiveError; readonly problem: string | null }): JSX.Element {
  return (
    <section class="request-failure" aria-label="Error">
      <p>
        {problem !== null && <code>{problem}</code>} {withCode(error.message)}
      </p>
      {error.inputs.length > 0 && (
        <ul>
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
    <ol class="log">
      {logs.map(({ at, level, message, data }, key) => (
        <li key={key}>
          <span class="log-at">{msText(at)}</span>
          <span class={`log-level is-${level}`}>{level}</span>
          <span class="log-message">
            {message}
            {data !== null && <code class="log-data">{data}</code>}
          </span>
        </li>
      ))}
    </ol>
  );
}
