import { readFileSync } from 'node:fs';

/** A process, also after its number has been given to another one. */
export interface ProcessName {
  readonly pid: number;
  /** When it began, as the system counts; null where the system does not tell. */
  readonly began: string | null;
}

export function ownProcess(): ProcessName {
  return { pid: process.pid, began: beganOf(process.pid) };
}

export function isRunning({ pid, began }: ProcessName): boolean {
  return exists(pid) && (began === null || beganOf(pid) === began);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, though it belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The 22nd word of `/proc/<pid>/stat`; the second one is a name in brackets that may hold anything. */
function beganOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...words] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : (words[18] ?? null);
  } catch {
    return null;
  }
}
