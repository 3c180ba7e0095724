/** How far a run is: told a few times a second, and once at the end. */

export interface Progress {
  /** The table that got the last rows. */
  readonly table: string;
  /** Rows that Postgres has taken, of all tables. */
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
  /** Null before there is a rate. */
  readonly secondsLeft: number | null;
}

export type Report = (progress: Progress) => void;

/** In milliseconds. */
const INTERVAL = 100;

export function progressOf(total: number, report: Report): (table: string, rows: number) => void {
  const start = performance.now();
  let done = 0;
  let told = start;
  return (table, rows) => {
    done += rows;
    const time = performance.now();
    if (time - told < INTERVAL && done < total) return;
    told = time;
    const perSecond = (done / Math.max(time - start, 1)) * 1000;
    report({ table, done, total, perSecond, secondsLeft: perSecond > 0 ? (total - done) / perSecond : null });
  };
}
