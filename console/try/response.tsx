/** Sends a request with the token of the session, measures it, and shows the response: status, time, size, body and headers. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import { HAS_CONSOLE_API, successOf } from '../state/console-api.ts';
import type { FileForm } from '../state/files.ts';
import { responseOf, SERVER } from '../state/page.ts';
import { quietly } from '../state/quietly.ts';
import { hrefTo } from '../state/route.ts';
import { authorization, signInWanted } from '../state/session.ts';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/controls.tsx';
import { FileView } from '../ui/file-view.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { bytesText, StatusBadge } from '../ui/text.tsx';
import type { HttpRequest } from './request.ts';

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ResponseBody;
}

type ResponseBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: FileForm; readonly load: () => Promise<Blob> };

/** Sends a request. Throws a sentence for readers, or an `AbortError`. */
export async function send({ method, target, body }: HttpRequest, signal: AbortSignal): Promise<ApiResponse> {
  const start = performance.now();
  const response = await responseOf(`${SERVER}${target}`, { method, headers: authorization(), body, signal });
  const blob = await response.blob();
  const milliseconds = performance.now() - start;
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds,
    bytes: blob.size,
    headers: [...response.headers],
    body: await bodyOf(blob, response.headers.get('content-type') ?? ''),
  };
}

async function bodyOf(blob: Blob, type: string): Promise<ResponseBody> {
  if (blob.size === 0) return { kind: 'none' };
  if (/[/+]json\b/.test(type)) return jsonOf(await blob.text());
  if (/^text\//.test(type)) return { kind: 'text', text: await blob.text() };
  return { kind: 'file', file: { name: 'response', type, size: blob.size }, load: async () => blob };
}

function jsonOf(text: string): ResponseBody {
  const value: unknown = quietly(() => JSON.parse(text));
  if (value === undefined) return { kind: 'text', text };
  // Formatting would change a number of many digits.
  return { kind: 'json', value, text: hasInexactNumbers(text) ? text : JSON.stringify(value, null, 2) };
}

/** The errors by the place of the input, with dots: `author.email`. */
export type FieldErrors = Readonly<Record<string, string>>;

interface ValidationProblem {
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export function fieldErrorsIn({ body }: ApiResponse): FieldErrors {
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null) return {};
  const { errors = [] } = body.value as ValidationProblem;
  // `labels[1]` is the second control of `labels`.
  return Object.fromEntries(errors.map(({ path, message }) => [path.replace(/\[(\d+)\]/g, '.$1'), message]));
}

// ── Response panel ───────────────────────────────────────────────────────────────────────────────────────────────────

export function ResponsePanel({ response }: { readonly response: ApiResponse }): JSX.Element {
  const [tab, setTab] = useState<'body' | 'headers'>('body');
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [response]);
  const { status, statusText, milliseconds, bytes, headers, body } = response;
  const requestId = headers.find(([name]) => name === 'x-request-id')?.[1];
  return (
    <section ref={panel} class="response box padded" aria-label="Response">
      <div class="response-head row medium spaced" role="status">
        <StatusBadge status={status} />
        <span>{statusText}</span>
        <span class="soft small numbers">{Math.round(milliseconds)} ms</span>
        <span class="soft small numbers">{bytesText(bytes)}</span>
        {HAS_CONSOLE_API && requestId !== undefined && (
          <a class="small" href={hrefTo('live', [requestId])}>
            Open in Live
          </a>
        )}
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
          <Code text={headers.map((each) => each.join(': ')).join('\n')} language="http" copyLabel="Copy the headers" />
        )}
      </Tabs>
    </section>
  );
}

function BodyView({ body }: { readonly body: ResponseBody }): JSX.Element {
  switch (body.kind) {
    case 'none':
      return <p class="box padded soft medium">The response has no body.</p>;
    case 'json':
      return (
        <>
          <Code text={body.text} language="json" copyLabel="Copy the response" />
          {filesIn(body.value).map((file) => (
            <FileView key={file.url} file={file} path={file.url} load={loadFile} />
          ))}
        </>
      );
    case 'text':
      return <Code text={body.text} copyLabel="Copy the response" />;
    case 'file':
      return <FileView {...body} path="" />;
  }
}

/** The files in a response: each has an address below its record. */
function filesIn(value: unknown): readonly (FileForm & { readonly url: string })[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, type, size, url } = value as Partial<FileForm> & { readonly url?: unknown };
  const isFile = typeof name === 'string' && typeof type === 'string' && typeof size === 'number';
  if (isFile && typeof url === 'string' && url.startsWith('/')) return [{ name, type, size, url }];
  return Object.values(value).flatMap(filesIn);
}

async function loadFile(path: string): Promise<Blob> {
  const response = await successOf(await responseOf(`${SERVER}${path}`, { headers: authorization() }));
  return response.blob();
}
