/** An operation that is tried: the form on the left; the request as code, the response and the history on the right. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import type { Api, ApiOperation } from '../state/operations.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { fieldsOf } from '../state/schema.ts';
import { signInWanted, token } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge, StatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Notice } from '../ui/notice.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { type HistoryEntry, history, opened, remember } from './history.ts';
import { realPath, realValues } from './known-records.ts';
import { type Draft, firstDraft, givenDraft, httpRequestOf } from './request.ts';
import { SampleTabs } from './sample-tabs.tsx';
import { type ApiResponse, fieldErrorsIn, type ResponseBody, send } from './send.ts';
import { TryForm } from './try-form.tsx';

interface TryPanelProps {
  readonly api: Api;
  readonly operation: ApiOperation;
  /** Values of the address. */
  readonly given: URLSearchParams;
}

type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'response'; readonly response: ApiResponse };

export function TryPanel({ api, operation, given }: TryPanelProps): JSX.Element {
  const [draft, setDraft] = useDraft(api, operation, given);
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const notJson = (event.currentTarget as HTMLFormElement).querySelector<HTMLElement>('.json-body:invalid');
    if (notJson) {
      notJson.focus();
      return;
    }
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setOutcome({ kind: 'sending' });
    const request = httpRequestOf(operation, draft);
    try {
      const response = await send(request, abort.signal);
      const { status, milliseconds } = response;
      remember({ operation, draft, target: request.target, status, milliseconds, at: new Date() });
      setOutcome({ kind: 'response', response });
    } catch (error) {
      const { name, message } = error as Error;
      setOutcome(name === 'AbortError' ? { kind: 'none' } : { kind: 'failed', message });
    }
  };
  const isSending = outcome.kind === 'sending';
  return (
    <div class="operation-columns try">
      <form class="operation-text" onSubmit={(event) => void submit(event)} onKeyDown={sendWithEnter} noValidate>
        <TryForm
          operation={operation}
          document={api.document}
          draft={draft}
          onDraft={setDraft}
          errors={outcome.kind === 'response' ? fieldErrorsIn(outcome.response) : {}}
        />
        <div class="try-actions">
          <Button type="submit" look="primary" icon="send" isBusy={isSending} class="send">
            Send
          </Button>
          {isSending && <Button onClick={() => running.current?.abort()}>Cancel</Button>}
          <Caller operation={operation} />
        </div>
      </form>
      <div class="operation-code">
        <SampleTabs api={api} operation={operation} draft={draft} />
        {outcome.kind === 'sending' && <p class="no-body">Waiting for the response …</p>}
        {outcome.kind === 'failed' && <Notice kind="error">{outcome.message}</Notice>}
        {outcome.kind === 'response' && <ResponsePanel response={outcome.response} />}
        <HistoryList onSame={(entry) => entry.operation.id === operation.id && setDraft(entry.draft)} />
      </div>
    </div>
  );
}

/** Enter alone is a new line in long texts; with Ctrl or Cmd it sends from everywhere. */
function sendWithEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLFormElement).requestSubmit();
}

function Caller({ operation }: { readonly operation: ApiOperation }): JSX.Element | null {
  const current = useStore(token);
  if (operation.operation.security === undefined) return null;
  return <span class="quiet">{current === null ? 'Nobody is signed in.' : 'Sent with your token.'}</span>;
}

/** In development the first values are those of records that exist, unless something else has been chosen. */
function useDraft(api: Api, operation: ApiOperation, given: URLSearchParams): readonly [Draft, (draft: Draft) => void] {
  const [chosen] = useState(() => chosenDraft(api, operation, given));
  const [draft, setDraft] = useState<Draft>(() => chosen ?? firstDraft(operation, api.document));
  const isTouched = useRef(chosen !== null);
  useEffect(() => {
    opened.set(null);
    if (isTouched.current) return;
    // Without records the examples of the document stay.
    realDraft(draft, operation, api.document).then(
      (real) => !isTouched.current && setDraft(real),
      () => undefined,
    );
  }, [operation]);
  const change = (next: Draft): void => {
    isTouched.current = true;
    setDraft(next);
  };
  return [draft, change];
}

/** The same with values of records that exist, in the path and in those inputs of the body that are required. */
async function realDraft(draft: Draft, { operation }: ApiOperation, document: OpenApiDocument): Promise<Draft> {
  const { parameters = [], requestBody } = operation;
  const schema = requestBody?.content['application/json']?.schema;
  const required = schema ? fieldsOf(schema, document).filter(({ isRequired }) => isRequired) : [];
  const [path, values] = await Promise.all([
    realPath(parameters.filter((each) => each.in === 'path')),
    realValues(required),
  ]);
  return {
    ...draft,
    path: path ?? draft.path,
    body: draft.body === undefined ? undefined : { ...(draft.body as object), ...values },
  };
}

/** A request of the history, what the address gives, or what was sent last. Null where nobody has chosen anything. */
function chosenDraft(api: Api, operation: ApiOperation, given: URLSearchParams): Draft | null {
  const wanted = opened.get();
  if (wanted?.id === operation.id) return wanted.draft;
  return givenDraft(operation, firstDraft(operation, api.document), given) ?? lastDraft(operation);
}

function lastDraft({ id }: ApiOperation): Draft | null {
  return history.get().find(({ operation }) => operation.id === id)?.draft ?? null;
}

// ── History list ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The requests of this tab. One that is chosen fills the form again.

function HistoryList({ onSame }: { readonly onSame: (entry: HistoryEntry) => void }): JSX.Element | null {
  const entries = useStore(history);
  if (entries.length === 0) return null;
  const open = (entry: HistoryEntry): void => {
    opened.set({ id: entry.operation.id, draft: entry.draft });
    onSame(entry);
    goTo(hrefTo('reference', [entry.operation.id], { try: '1' }));
  };
  return (
    <details class="history">
      <summary>History of this tab ({entries.length})</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.number}>
            <button type="button" class="history-entry" onClick={() => open(entry)}>
              <StatusBadge status={entry.status} />
              <MethodBadge method={entry.operation.method} />
              <span class="history-target">{entry.target}</span>
              <span class="response-fact">{Math.round(entry.milliseconds)} ms</span>
              <time class="response-fact">{entry.at.toLocaleTimeString()}</time>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

// ── Response panel ───────────────────────────────────────────────────────────────────────────────────────────────────

// What the server has sent: status, time, size, body and headers.

type Tab = 'body' | 'headers';

function ResponsePanel({ response }: { readonly response: ApiResponse }): JSX.Element {
  const [tab, setTab] = useState<Tab>('body');
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [response]);
  const { status, statusText, milliseconds, bytes, headers, body } = response;
  return (
    <section ref={panel} class="response" aria-label="Response">
      <div class="response-head" role="status">
        <StatusBadge status={status} />
        <span>{statusText}</span>
        <span class="response-fact">{Math.round(milliseconds)} ms</span>
        <span class="response-fact">{sizeText(bytes)}</span>
        {status === 401 && (
          <Button isSmall icon="lock" onClick={() => signInWanted.set(true)}>
            Sign in
          </Button>
        )}
      </div>
      <Tabs
        label="Response"
        tabs={[
          { name: 'body', label: 'Body' },
          { name: 'headers', label: `Headers ${headers.length}` },
        ]}
        selected={tab}
        onSelect={setTab}
      >
        {tab === 'body' ? (
          <BodyView body={body} />
        ) : (
          <Code text={headersText(headers)} language="http" copyLabel="Copy the headers" />
        )}
      </Tabs>
    </section>
  );
}

function BodyView({ body }: { readonly body: ResponseBody }): JSX.Element {
  switch (body.kind) {
    case 'none':
      return <p class="no-body">The response has no body.</p>;
    case 'json':
      return <Code text={body.text} language="json" copyLabel="Copy the response" />;
    case 'text':
      return <Code text={body.text} copyLabel="Copy the response" />;
    case 'image':
      return <img class="response-image" src={body.url} alt="What the server has sent" />;
    case 'file':
      return (
        <p>
          <a href={body.url} download>
            Save the file
          </a>
        </p>
      );
  }
}

function headersText(headers: ApiResponse['headers']): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
