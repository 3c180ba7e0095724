/** A request for a live list: who asks, and what the list is for them, whenever it is read. */
import type { Buffer } from 'node:buffer';
import type { Exchange } from './exchange.ts';

export interface LiveRequest {
  /** Whether there is a token, which may end. */
  readonly hasToken: boolean;
  /** The tables that decide which values the caller has, beside that of accounts. */
  readonly callerTables: ReadonlySet<string>;
  caller(): Promise<LiveCaller>;
}

export interface LiveCaller {
  /** The same for all who see the same list. */
  readonly key: string;
  /** The topic of the account; null for nobody. */
  readonly account: string | null;
  read(): Promise<LiveReading>;
}

export interface LiveReading {
  /** What a GET answers. */
  readonly body: Buffer;
  /** The topics of the changes after which the list may be another one. */
  readonly topics: readonly string[];
}

/** A topic is a table, or one value of a column of it. */
export function topicOf(table: string, key = ''): string {
  return `${table} ${key}`;
}

export function asksForEvents({ request }: Exchange): boolean {
  return /text\/event-stream(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.accept ?? '');
}
