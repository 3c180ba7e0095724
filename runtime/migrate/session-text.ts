/** Those who are at the database beside the job, in words. */
import type { ConnectedRelease } from './connected-servers.ts';
import type { OtherSession } from './events.ts';

/** `"psql" (pid 4711, idle in transaction, for 310 s)` */
export function sessionText({ name, pid, state, seconds }: OtherSession): string {
  const about = [
    ...(pid > 0 ? [`pid ${pid}`] : []),
    ...(state ? [state] : []),
    ...(seconds === null ? [] : [`for ${Math.round(seconds)} s`]),
  ];
  return `"${name}"${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}

/** `"kiln 7 3f9a1c5b2d4e": 12 connections, the oldest for 310 s` */
export function connectedText({ name, connections, seconds }: ConnectedRelease): string {
  const count = connections === 1 ? '1 connection' : `${connections} connections`;
  return `"${name}": ${count}${seconds === null ? '' : `, the oldest for ${Math.round(seconds)} s`}`;
}
