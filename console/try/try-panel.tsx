/** An operation that is tried: the form on the left; the request as code, the response and the history on the right. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { type Api, type ApiOperation, accessOf } from '../state/operations.ts';
import { SERVER } from '../state/page.ts';
import { realPath, withRealValues } from '../state/records.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { account, token } from '../state/session.ts';
import { BROWSER, createStore, storedText, useStore } from '../state/store.ts';
import { Code } from '../ui/code.tsx';
import { Button, CheckBox } from '../ui/controls.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { MethodBadge, Notice, StatusBadge } from '../ui/text.tsx';
import { Uploads, useUploads } from '../ui/value-control.tsx';
import { canBeLive, liveResponses } from './live-list.ts';
import { type Draft, firstDraft, givenDraft, type HttpRequest, httpRequestOf } from './request.ts';
import { type ApiResponse, type FieldErrors, fieldErrorsIn, ResponsePanel, send } from './response.tsx';
import { samplesOf } from './samples.ts';
import { TryForm } from './try-form.tsx';

interface TryPanelProps {
  readonly api: Api;
  readonly operation: ApiOperation;
  /** The values of the address. */
  readonly given: URLSearchParams;
}

type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'response'; readonly response: ApiResponse; readonly sent: Draft };

export function TryPanel({ api, operation, given }: TryPanelProps): JSX.Element {
  const [draft, setDraft] = useDraft(api, operation, given);
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const [uploads, countUploads] = useUploads();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (uploads > 0) return;
    const notJson = (event.currentTarget as HTMLFormElement).querySelector<HTMLElement>('.json-body:invalid');
    if (notJson) {
      notJson.focus();
      return;
    }
    await run(async (request, signal) => {
      const response = await send(request, signal);
      const { status, milliseconds } = response;
      remember({ operation, draft, target: request.target, status, milliseconds, at: new Date() });
      setOutcome({ kind: 'response', response, sent: draft });
    });
  };
  const [isLive, setIsLive] = useState(false);
  const run = async (work: (request: HttpRequest, signal: AbortSignal) => Promise<void>, isList = false) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setIsLive(isList);
    setOutcome({ kind: 'sending' });
    const failure = await work(httpRequestOf(operation, draft), abort.signal).then(
      () => null,
      (error: Error) => error,
    );
    // Another request, or the list again, may have taken its place.
    if (running.current !== abort) return;
    setIsLive(false);
    if (failure && failure.name !== 'AbortError') setOutcome({ kind: 'failed', message: failure.message });
    else setOutcome((last) => (last.kind === 'sending' ? { kind: 'none' } : last));
  };
  const follow = (isOn: boolean): void => {
    const list = async ({ target }: HttpRequest, signal: AbortSignal): Promise<void> => {
      for await (const response of liveResponses(target, signal))
        setOutcome({ kind: 'response', response, sent: draft });
    };
    if (isOn) void run(list, true);
    else running.current?.abort();
  };
  const isSending = outcome.kind === 'sending';
  return (
    <div class="columns try">
      <form class="operation-text" onSubmit={(event) => void submit(event)} onKeyDown={sendWithEnter} noValidate>
        <Uploads.Provider value={countUploads}>
          <TryForm
            operation={operation}
            document={api.document}
            draft={draft}
            onDraft={setDraft}
            errors={outcome.kind === 'response' ? errorsLeft(fieldErrorsIn(outcome.response), outcome.sent, draft) : {}}
          />
        </Uploads.Provider>
        <div class="try-actions row small">
          <Button type="submit" look="primary" icon="send" isBusy={isSending || uploads > 0} class="send">
            Send
          </Button>
          {isSending && <Button onClick={() => running.current?.abort()}>Cancel</Button>}
          {canBeLive(operation) && <CheckBox label="Live" isOn={isLive} onChange={follow} />}
          <Caller operation={operation} />
        </div>
      </form>
      <div class="operation-code vertical">
        <SampleTabs api={api} operation={operation} draft={draft} />
        {outcome.kind === 'sending' && <p class="box padded soft medium">Waiting for the response …</p>}
        {outcome.kind === 'failed' && <Notice kind="error">{outcome.message}</Notice>}
        {outcome.kind === 'response' && <ResponsePanel response={outcome.response} />}
        <HistoryList onSame={(entry) => entry.operation.id === operation.id && setDraft(entry.draft)} />
      </div>
    </div>
  );
}

/** The errors of values that were not changed since. */
function errorsLeft(errors: FieldErrors, sent: Draft, now: Draft): FieldErrors {
  const isSame = (path: string): boolean => valueAt(sent, path) === valueAt(now, path);
  return Object.fromEntries(Object.entries(errors).filter(([path]) => isSame(path)));
}

function valueAt({ path, query, body }: Draft, place: string): unknown {
  const texts = Object.entries(query).map(([name, { text }]) => [name, text]);
  const all: unknown = { ...path, ...Object.fromEntries(texts), ...(body as object | undefined) };
  return place
    .split('.')
    .reduce<unknown>((of, key) => (of as Readonly<Record<string, unknown>> | null | undefined)?.[key], all);
}

/** Sends the form with Ctrl or Cmd and Enter. Enter alone is a new line in long texts. */
function sendWithEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLFormElement).requestSubmit();
}

function Caller({ operation }: { readonly operation: ApiOperation }): JSX.Element | null {
  const current = useStore(token);
  const who = useStore(account);
  const access = accessOf(operation.operation);
  if (access === 'signed') return <span class="soft">Only the service can sign a request. This one gets a 401.</span>;
  if (operation.operation.security === undefined) return null;
  return (
    <span class="soft">
      {current === null ? 'Nobody is signed in.' : who === null ? 'Sent with your token.' : `Sent as ${who}.`}
    </span>
  );
}

/**
 * The draft of the form. In development its first values are those of existing records, unless something else has been
 * chosen.
 */
function useDraft(api: Api, operation: ApiOperation, given: URLSearchParams): readonly [Draft, (draft: Draft) => void] {
  const [chosen] = useState(() => chosenDraft(api, operation, given));
  const [draft, setDraft] = useState<Draft>(() => chosen ?? firstDraft(operation, api.document));
  const isTouched = useRef(chosen !== null);
  useEffect(() => {
    if (isTouched.current) return;
    // The examples of the document stay if there are no records.
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
  const [path, body] = await Promise.all([
    realPath(parameters.filter((each) => each.in === 'path')),
    schema ? withRealValues(draft.body, schema, document) : draft.body,
  ]);
  return { ...draft, path: path ?? draft.path, body };
}

/**
 * The values of the address, or the last request of the history. Null if nobody has chosen anything.
 */
function chosenDraft(api: Api, operation: ApiOperation, given: URLSearchParams): Draft | null {
  const sent = history.get().find((entry) => entry.operation.id === operation.id);
  return givenDraft(operation, firstDraft(operation, api.document), given) ?? sent?.draft ?? null;
}

// ── History list ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The requests that were sent from this tab. They are in memory only: bodies may contain passwords. A chosen one fills
// the form again.

interface HistoryEntry {
  readonly number: number;
  readonly operation: ApiOperation;
  readonly draft: Draft;
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly at: Date;
}

const MOST = 50;

const history = createStore<readonly HistoryEntry[]>([]);

let count = 0;

function remember(entry: Omit<HistoryEntry, 'number'>): void {
  count += 1;
  history.set([{ ...entry, number: count }, ...history.get()].slice(0, MOST));
}

function HistoryList({ onSame }: { readonly onSame: (entry: HistoryEntry) => void }): JSX.Element | null {
  const entries = useStore(history);
  if (entries.length === 0) return null;
  const open = (entry: HistoryEntry): void => {
    // A form begins with the last request of its operation.
    history.set([entry, ...entries.filter((each) => each !== entry)]);
    onSame(entry);
    goTo(hrefTo('reference', [entry.operation.id], { try: '1' }));
  };
  return (
    <details class="history">
      <summary>History of this tab ({entries.length})</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.number}>
            <button type="button" class="history-entry item" onClick={() => open(entry)}>
              <StatusBadge status={entry.status} />
              <MethodBadge method={entry.operation.method} />
              <code class="history-target grow small ellipsis">{entry.target}</code>
              <span class="soft small numbers">{Math.round(entry.milliseconds)} ms</span>
              <time class="soft small numbers">{entry.at.toLocaleTimeString()}</time>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

// ── Sample tabs ──────────────────────────────────────────────────────────────────────────────────────────────────────

// A request as code, in the language that the reader has chosen last.

const chosen = storedText(BROWSER, 'kiln-sample-language');

interface SampleTabsProps extends Omit<TryPanelProps, 'given'> {
  readonly draft: Draft;
}

export function SampleTabs({ api, operation, draft }: SampleTabsProps): JSX.Element | null {
  const name = useStore(chosen);
  const samples = samplesOf({ api, operation, draft, server: SERVER });
  const sample = samples.find((each) => each.name === name) ?? samples[0];
  if (!sample) return null;
  return (
    <Tabs label="Request as code" tabs={samples} selected={sample.name} onSelect={chosen.set}>
      <Code text={sample.text} language={sample.language} copyLabel={`Copy the request as ${sample.label}`} />
    </Tabs>
  );
}
