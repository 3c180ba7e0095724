import { readFileSync } from 'node:fs';

/** A process, also after its number has been given to another one. */
export interface ProcessName {
  readonly pid: number;
  /** When it began, as the system counts; null where the system does not tell. */
  readonly began: string | null;
}

export function ownProcess(): ProcessName {
  return processName(process.pid);
}

export function processName(pid: number): ProcessName {
  return { pid, began: statusOf(pid)?.began ?? null };
}

export function isRunning({ pid, began }: ProcessName): boolean {
  if (!exists(pid)) return false;
  const now = statusOf(pid);
  // Where a system hides the processes of others, there being one is all that is known.
  return now === undefined || (!now.isOver && (began === null || now.began === began));
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

interface ProcessStatus {
  readonly isOver: boolean;
  readonly began: string | null;
}

/** The 22nd word of `/proc/<pid>/stat`; the second one is a name in brackets that may hold anything. */
function statusOf(pid: number): ProcessStatus | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...words] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { isOver: state === 'Z', began: words[18] ?? null };
  } catch {
    return undefined;
  }
}
