/**
 * When a schedule is due. A local time that does not exist, because clocks are put forward, is the first moment after the
 * gap; one that exists twice is the first of the two. If the minute or the hour of the pattern is not a single number, it
 * is an interval, which leaves the gap out and goes on through the hour that is repeated.
 */
import { Cron } from 'croner';
import type { Schedule } from './endpoint.ts';

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
  return patternOf(times).nextRun(after) ?? undefined;
}

/** The due times after one moment up to another, the oldest first. */
export function* dueTimes(times: Times, after: Date, until: Date): Generator<Date> {
  const pattern = patternOf(times);
  for (let due = pattern.nextRun(after); due && due <= until; due = pattern.nextRun(due)) yield due;
}

/** The last due time that is not after a moment; undefined if there is none. */
export function lastDue(times: Times, until: Date): Date | undefined {
  return patternOf(times).previousRuns(1, new Date(until.getTime() + 1000))[0];
}

function patternOf({ cron, zone }: Times): Cron {
  return new Cron(cron, { timezone: zone });
}
