/**
 * What hooks find at the request and the response before they run. A hook may write the answer by itself, so the headers
 * that every answer has are there already, and text beyond Latin-1 in a header is encoded instead of refused.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parameterNames } from '../../compiler/definition/contract/routes.ts';
import { type HeaderState, stateOf } from '../hooks/header-state.ts';
import type { Route } from '../request/exchange.ts';
import { headerText } from '../values/header-text.ts';

/** The headers as they were before, to go back to when the request fails. */
export function prepareForHooks(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  params: readonly string[],
  common: readonly string[],
): HeaderState {
  const before = stateOf(response);
  encodeHeaders(response);
  for (let at = 0; at + 1 < common.length; at += 2) response.setHeader(common[at] ?? '', common[at + 1] ?? '');
  const names = parameterNames(route.path);
  Object.assign(request, { params: Object.fromEntries(names.map((name, at) => [name, params[at]])) });
  return before;
}

/** A hook may write its answer at any time, and Node calls `writeHead` where it does not. */
export function beforeHead(response: ServerResponse, act: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...head: readonly unknown[]) => ServerResponse;
  response.writeHead = (...head: readonly unknown[]) => {
    act();
    return writeHead(...head);
  };
}

/** Express and `writeHead` set headers through these two. */
function encodeHeaders(response: ServerResponse): void {
  const { setHeader, appendHeader } = response;
  response.setHeader = (name, value) => setHeader.call(response, name, encoded(name, value));
  response.appendHeader = (name, value) => appendHeader.call(response, name, encoded(name, value) as string);
}

type HeaderValue = number | string | readonly string[];

function encoded<T extends HeaderValue>(name: string, value: T): T {
  if (Array.isArray(value)) return value.map((item) => encoded(name, item)) as readonly string[] as T;
  return typeof value === 'string' ? (headerText(name, value) as T) : value;
}
