/** A list that is live, as it changes. */
import { LiveStreams } from '../../compiler/emit/client/runtime/live-runtime.ts';
import { successOf } from '../state/console-api.ts';
import type { ApiOperation } from '../state/operations.ts';
import { responseOf, SERVER } from '../state/page.ts';
import { authorization } from '../state/session.ts';
import type { ApiResponse } from './response.tsx';

export function canBeLive({ operation: { responses } }: ApiOperation): boolean {
  const { content = {} } = (responses['200'] ?? {}) as { readonly content?: object };
  return 'text/event-stream' in content;
}

/** A lost connection is opened again. A list ends when that is refused. */
const streams = new LiveStreams({
  open: async (lists, headers, signal) => {
    const url = `${SERVER}/api/live?${new URLSearchParams(lists.map((list) => ['list', list]))}`;
    return successOf(await responseOf(url, { headers: Object.fromEntries(headers), signal }));
  },
  errorFrom: (_, problem) => new Error((problem as { readonly detail: string }).detail),
  waitAfter: () => undefined,
});

/** The response after each change. */
export async function* liveResponses(target: string, signal: AbortSignal): AsyncGenerator<ApiResponse> {
  for await (const value of streams.follow(target, new Headers(authorization()), signal)) {
    const text = JSON.stringify(value, null, 2);
    const body = { kind: 'json', value, text } as const;
    yield { status: 200, statusText: 'live', milliseconds: 0, bytes: text.length, headers: [], body };
  }
}
