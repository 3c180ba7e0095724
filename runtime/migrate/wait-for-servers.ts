/** Waits for servers to be gone that would stop working. Who is still there is told again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectedRelease } from './connected-servers.ts';
import type { WaitingForServersEvent } from './events.ts';
import type { Job } from './job.ts';
import { Refusal } from './refusal.ts';
import { connectedText } from './session-text.ts';

export interface Leaving extends Pick<WaitingForServersEvent, 'position' | 'revision' | 'next'> {
  readonly servers: () => Promise<readonly ConnectedRelease[]>;
  /** What cannot be done, and what to do about it, when the time is over. */
  readonly message: string;
  readonly remedy: string;
}

const PAUSE = 250;
const BETWEEN_REPORTS = 10_000;
/** In milliseconds: a server whose connection was closed by a proxy has opened another one by then. */
const SURELY_GONE = 1000;

/** `end` is a time of `performance.now()`. */
export async function untilGone({ report, signal }: Job, leaving: Leaving, end: number): Promise<void> {
  const { position, revision, next } = leaving;
  const start = performance.now();
  let reported = Number.NEGATIVE_INFINITY;
  let seen = Number.NEGATIVE_INFINITY;
  for (;;) {
    const servers = await leaving.servers();
    const now = performance.now();
    const isAnyThere = servers.length > 0;
    if (isAnyThere) seen = now;
    if (now - seen >= SURELY_GONE) return;
    if (isAnyThere && now >= end) throw stillConnected(leaving, servers);
    if (isAnyThere && now - reported >= BETWEEN_REPORTS) {
      reported = now;
      const [waited, left] = [Math.round(now - start), Math.round(end - now)];
      report({ kind: 'waiting-for-servers', next, position, revision, servers, milliseconds: waited, left });
    }
    await sleep(isAnyThere ? Math.min(PAUSE, end - now) : PAUSE, undefined, signal && { signal });
  }
}

const HIDDEN =
  'Connections of another role count also where a pooler keeps them open for nobody. A role with `GRANT pg_read_all_stats` sees when they were used last.';

function stillConnected({ message, remedy }: Leaving, servers: readonly ConnectedRelease[]): Refusal {
  const hidden = servers.some(({ seconds }) => seconds === null) ? [HIDDEN] : [];
  return new Refusal('blocked', message, { details: [...servers.map(connectedText), remedy, ...hidden] });
}
