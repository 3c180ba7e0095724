/** What the view of the data has read from the server. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { DataModel, DataOverview } from '../../runtime/console/data/data-forms.ts';
import { ConsoleApiError, consoleApi } from '../state/console-api.ts';
import { createStore } from '../state/store.ts';

export interface Loading<T> {
  /** What was read last, also while it is read again; null before the first time. */
  readonly value: T | null;
  readonly error: string | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** Reads `path` of the console's API, and again when it changes. An answer that comes too late is dropped. */
export function useLoaded<T>(path: string): Loading<T> {
  const [state, setState] = useState<{ path: string; value: T | null; error: string | null; isLoading: boolean }>({
    path,
    value: null,
    error: null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    setState((before) => ({ ...before, path, isLoading: true }));
    consoleApi.json<T>(path, { signal: aborting.signal }).then(
      (value) => setState({ path, value, error: null, isLoading: false }),
      (error: Error) => {
        if (!aborting.signal.aborted) setState({ path, value: null, error: error.message, isLoading: false });
      },
    );
    return () => aborting.abort();
  }, [path, turn]);
  return { ...state, reload: useCallback(() => setTurn((last) => last + 1), []) };
}

/** The models with their columns. Every part of the view needs them, and a change of a record their counts. */
export const overview = createStore<{ readonly value: DataOverview | null; readonly error: string | null }>({
  value: null,
  error: null,
});

export async function loadOverview(): Promise<void> {
  try {
    overview.set({ value: await consoleApi.json<DataOverview>('data'), error: null });
  } catch (error) {
    overview.set({ value: overview.get().value, error: (error as Error).message });
  }
}

export function modelNamed(name: string): DataModel | undefined {
  return overview.get().value?.models.find((model) => model.name === name);
}

/** What a form shows after the server has rejected it. */
interface Rejection {
  /** Null where every error has a column. */
  readonly message: string | null;
  readonly columns: Readonly<Record<string, string>>;
}

function rejectionFrom(error: unknown): Rejection {
  const errors = error instanceof ConsoleApiError ? (error.problem?.errors ?? []) : [];
  const columns = Object.fromEntries(errors.map(({ path, message }) => [path, message]));
  return { columns, message: errors.length > 0 ? null : (error as Error).message };
}

interface Sending {
  readonly isBusy: boolean;
  readonly rejection: Rejection | null;
  /** Runs `work` unless it runs already. */
  send(work: () => Promise<void>): Promise<void>;
}

export function useSending(): Sending {
  const [isBusy, setIsBusy] = useState(false);
  const [rejection, setRejection] = useState<Rejection | null>(null);
  const isOver = useRef(false);
  useEffect(() => {
    isOver.current = false;
    return () => {
      isOver.current = true;
    };
  }, []);
  const send = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setRejection(null);
    try {
      await work();
    } catch (error) {
      if (!isOver.current) setRejection(rejectionFrom(error));
    }
    if (!isOver.current) setIsBusy(false);
  };
  return { isBusy, rejection, send };
}
