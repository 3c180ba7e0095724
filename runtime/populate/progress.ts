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

/** The time between two updates, in milliseconds. */
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

// ── Output ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Progress on a stream: a bar that is drawn over itself on a terminal, a line every few seconds elsewhere.

interface ProgressOutput {
  readonly report: Report;
  /** Takes the bar away. */
  end(): void;
}

const LINE_MS = 5000;
const CLEAR_LINE = '\r\u001b[K';

/** Work that is over soon says nothing on the way, unless on a terminal. */
export function progressOutput(stream: NodeJS.WriteStream): ProgressOutput {
  if (stream.isTTY)
    return {
      report: (progress) => void stream.write(CLEAR_LINE + progressBar(progress, stream.columns - 1)),
      end: () => void stream.write(CLEAR_LINE),
    };
  let said = performance.now();
  return {
    report: (progress) => {
      if (performance.now() - said < LINE_MS) return;
      said = performance.now();
      stream.write(`${progressLine(progress)}\n`);
    },
    end: () => undefined,
  };
}

// ── Progress bar ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Progress as text: a bar for a terminal, a plain line for everything else.

const DONE = '█';
const TO_DO = '░';
const LEAST_BAR = 10;
const MOST_BAR = 40;

/** One line of at most `columns` characters, without its end. */
export function progressBar(progress: Progress, columns: number): string {
  const text = ` ${progressLine(progress)}`;
  const width = Math.min(MOST_BAR, columns - text.length);
  if (width < LEAST_BAR) return text.trim().slice(0, Math.max(0, columns));
  const filled = Math.floor(share(progress) * width);
  return DONE.repeat(filled) + TO_DO.repeat(width - filled) + text;
}

/** `42 % · 420,000 of 1,000,000 rows · post · 150,000 rows/s · 4 s left`. */
export function progressLine(progress: Progress): string {
  const { table, done, total, perSecond } = progress;
  const parts = [
    `${Math.floor(share(progress) * 100)} %`,
    `${grouped(done)} of ${grouped(total)} rows`,
    table,
    `${grouped(Math.round(perSecond))} rows/s`,
    ...leftOver(progress),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function share({ done, total }: Progress): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

function leftOver({ done, total, secondsLeft }: Progress): readonly string[] {
  return secondsLeft === null || done >= total ? [] : [`${duration(Math.ceil(secondsLeft))} left`];
}

/** `4 s`, `2 min 5 s`, `1 h 2 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
