/**
 * The migration as a program: lines out, exit code back. A pipeline can tell from the code what to do:
 *
 * | code | means | what helps |
 * |---|---|---|
 * | 0 | the database is at the release, or ahead and works with this image too | |
 * | 1 | `failed`: Postgres refused a statement; or `stopped`: the job was called off | read why; a second run goes on |
 * | 2 | kept for mistakes on the command line | |
 * | 3 | `ahead`, `diverged`, `drifted`, `not-ours`, `unsuited`: this database and this image do not go together | a person |
 * | 4 | `blocked`: others hold locks, servers of an older release are connected, or its jobs still wait | run it again later |
 * | 5 | `unavailable`: no Postgres, or lost on the way | run it again when it is back |
 */
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import { type MigrateEvent, nowAndThen } from './events.ts';
import { type MigrateOptions, type MigrateResult, migrate } from './migrate.ts';
import type { RefusalReason } from './refusal.ts';
import { textFromEvent } from './text-from-event.ts';

/** How long to wait for a database that was started together with the job, in milliseconds. */
export const START_WAIT = 30_000;

interface RunMigrateOptions extends Omit<MigrateOptions, 'report'> {
  /** One JSON object a line, each with its time. */
  readonly json?: boolean;
  readonly write: (line: string) => void;
  /** Draws a line over the previous one, on a terminal; an empty line removes it. */
  readonly redraw?: (line: string) => void;
  /** Writes refusals and warnings, where they are written for people. */
  readonly writeError: (line: string) => void;
}

export async function runMigrate(chain: ReleaseChain, options: RunMigrateOptions): Promise<number> {
  const { json, write, redraw, writeError, ...rest } = options;
  const linesOf = (event: MigrateEvent): readonly string[] =>
    json ? [jsonFromEvent(event, new Date())] : textFromEvent(event);
  const writeAll = (event: MigrateEvent): void => {
    const isTrouble = event.kind === 'refused' || event.kind === 'warning';
    for (const line of linesOf(event)) (isTrouble && !json ? writeError : write)(line);
  };
  const draw = json ? undefined : redraw;
  const drawProgress = draw && ((event: MigrateEvent): void => linesOf(event).forEach(draw));
  const isLineDue = nowAndThen(BETWEEN_LINES);
  const tellProgress = drawProgress ?? ((event: MigrateEvent) => isLineDue() && writeAll(event));
  const report = (event: MigrateEvent): void => {
    // An event of progress is obsolete with the next one of its kind.
    const isProgress = event.kind === 'index' || (event.kind === 'batch' && !event.isLast);
    if (isProgress) tellProgress(event);
    else {
      draw?.('');
      writeAll(event);
    }
  };
  return exitCode(await migrate(chain, { ...rest, report }));
}

const BETWEEN_LINES = 10_000;

const USUAL_WIDTH = 80;
const CLEAR_LINE = '\r\u001b[K';

/** The redraw function for a stream that is a terminal; none for any other. */
export function redrawOn(stream: NodeJS.WriteStream): { redraw?: (line: string) => void } {
  if (!stream.isTTY) return {};
  // A terminal without a size says 0.
  const width = () => stream.columns || USUAL_WIDTH;
  return { redraw: (line) => void stream.write(`${CLEAR_LINE}${line.slice(0, width() - 1)}`) };
}

export function jsonFromEvent(event: MigrateEvent, now: Date): string {
  return JSON.stringify({ time: now.toISOString(), ...event });
}

const EXIT_CODES: Readonly<Record<RefusalReason, number>> = {
  failed: 1,
  stopped: 1,
  ahead: 3,
  diverged: 3,
  drifted: 3,
  'not-ours': 3,
  unsuited: 3,
  blocked: 4,
  unavailable: 5,
};

export function exitCode(result: MigrateResult): number {
  return result.kind === 'done' ? 0 : EXIT_CODES[result.reason];
}
