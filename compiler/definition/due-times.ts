/**
 * When a schedule is due. A local time that does not exist, because clocks are put forward, is the first moment after the
 * gap; one that exists twice is the first of the two. A pattern for every hour, or with a `*` for the minute, is an
 * interval, which leaves the gap out and goes on through the hour that is repeated.
 */
import { Cron } from 'croner';
import type { Schedule } from './endpoint.ts';
import { memoized } from './memo.ts';

type Times = Pick<Schedule, 'cron' | 'zone'>;

/** `?` is not among these characters: it would be the time at which the pattern is read. */
const PARTS = /^[\w*,/#-]+( [\w*,/#-]+){4}$/;

export function isCron(pattern: string): boolean {
  try {
    return PARTS.test(pattern) && new Cron(pattern).getPattern() !== undefined;
  } catch {
    return false;
  }
}

/** The first due time after a moment; undefined if there is none any more. */
export function nextDue(times: Times, after: Date): Date | undefined {
  const [first] = dueTimes(times, after);
  return first;
}

/** The due times after one moment up to another, the oldest first. */
export function* dueTimes(times: Times, after: Date, until?: Date): Generator<Date, undefined> {
  const next = patternsOf(times).map((pattern) => ({ pattern, due: pattern.nextRun(after) }));
  for (;;) {
    const [due] = next.flatMap((each) => each.due ?? []).sort((a, b) => Number(a) - Number(b));
    if (!due || (until && due > until)) return;
    yield due;
    for (const each of next) if (each.due && each.due <= due) each.due = each.pattern.nextRun(due);
  }
}

/** The last due time that is not after a moment; undefined if there is none. */
export function lastDue(times: Times, until: Date): Date | undefined {
  const behind = new Date(until.getTime() + 1000);
  const last = patternsOf(times).flatMap((pattern) => pattern.previousRuns(1, behind));
  return last.sort((a, b) => Number(b) - Number(a))[0];
}

/** A pattern for each time of the day, because only of a single one croner knows that it is no interval. */
const patternsOf = memoized(({ cron, zone }: Times): readonly Cron[] => {
  const [minute = '', hour = '', ...days] = cron.split(' ');
  const isInterval = minute.includes('*') || hour === '*' || hour === '*/1';
  if (isInterval) return [new Cron(cron, { timezone: zone })];
  return timesOfDay(`${minute} ${hour}`).map((time) => new Cron(`${time} ${days.join(' ')}`, { timezone: zone }));
});

/** The minute and the hour of all times of a day, as of a day in UTC. */
function timesOfDay(minutesAndHours: string): readonly string[] {
  const pattern = new Cron(`${minutesAndHours} * * *`, { timezone: 'UTC' });
  const found: string[] = [];
  for (let at = pattern.nextRun(new Date(-1)); at && at.getTime() < DAY; at = pattern.nextRun(at))
    found.push(`${at.getUTCMinutes()} ${at.getUTCHours()}`);
  return found;
}

const DAY = 24 * 60 * 60_000;
