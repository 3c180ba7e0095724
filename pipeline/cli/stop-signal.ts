/** Ctrl-C, a closed terminal, and what process managers send. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Fires at the first of them. Whoever is impatient sends a second one, which ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Until the work is over, it fires instead of ending the process; then the process ends as it would have. */
export async function endedAfter<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let came: NodeJS.Signals | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    if (came !== undefined) process.exit(1);
    came = signal;
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, hear);
    if (came !== undefined) process.kill(process.pid, came);
  }
}

/** Resolves when the signal fires, or has fired. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
