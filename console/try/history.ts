/** The requests that were sent from this tab. They are kept in memory alone: bodies may have passwords in them. */
import type { ApiOperation } from '../state/operations.ts';
import { createStore } from '../state/store.ts';
import type { Draft } from './request.ts';

export interface HistoryEntry {
  readonly number: number;
  readonly operation: ApiOperation;
  readonly draft: Draft;
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly at: Date;
}

const MOST = 50;

export const history = createStore<readonly HistoryEntry[]>([]);

let count = 0;

export function remember(entry: Omit<HistoryEntry, 'number'>): void {
  count += 1;
  history.set([{ ...entry, number: count }, ...history.get()].slice(0, MOST));
}

/** A draft that the form of the operation starts with when it is opened next. */
export const opened = createStore<{ readonly id: string; readonly draft: Draft } | null>(null);
