/** What the server has sent: status, time, size, body and headers. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signInWanted } from '../state/session.ts';
import { StatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { ApiResponse, ResponseBody } from './send.ts';

type Tab = 'body' | 'headers';

export function ResponsePanel({ response }: { readonly response: ApiResponse }): JSX.Element {
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
