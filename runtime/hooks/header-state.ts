/** The status and the headers of a response, to go back to when what a hook has made of them must not be sent. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface HeaderState {
  readonly headers: OutgoingHttpHeaders;
  readonly status: number;
  readonly message: string;
}

export function stateOf(response: ServerResponse): HeaderState {
  return { headers: response.getHeaders(), status: response.statusCode, message: response.statusMessage };
}

export function restoreHeaders(response: ServerResponse, { headers, status, message }: HeaderState): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.statusCode = status;
  response.statusMessage = message;
}
