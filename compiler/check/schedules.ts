/** `schedule Digest every weekday at "07:30" in "Europe/Berlin" { run … }`: jobs that are run at fixed times. */
import type * as ast from '../ast/ast.ts';
import { isCron, nextDue } from '../definition/due-times.ts';
import type { Schedule } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, notAmong } from './context.ts';
import { checkRun } from './runs.ts';
import { emptyScope, POSITIONS } from './scope.ts';

export function checkSchedules(
  context: Context,
  declarations: readonly ast.ScheduleDeclaration[],
): readonly Schedule[] {
  return declarations.flatMap((declaration) => {
    const { name, doc, times, zone, catchUp } = declaration;
    if (declaration.runs.length === 0) context.report('empty-schedule', name.span, { schedule: name.text });
    const scope = { ...emptyScope(POSITIONS.schedule), isWork: true };
    const runs = declaration.runs.flatMap((run) => checkRun(context, run, scope) ?? []);
    const cron = times.kind === 'cron' ? checkCron(context, times.pattern) : cronOf(context, times);
    const isZone = checkZone(context, zone);
    if (cron === undefined || !isZone) return [];
    const checked = {
      name: name.text,
      doc,
      cron,
      zone: zone?.value ?? 'UTC',
      catchUp: catchUp?.value ?? 'last',
      runs,
      span: name.span,
    } as const;
    if (!nextDue(checked, LONG_AGO)) context.report('never-due', times.span, { cron });
    return [checked];
  });
}

/** The same for every compilation, whenever it is done. */
const LONG_AGO = new Date(0);

function checkCron(context: Context, { value, span }: ast.Text): string | undefined {
  const pattern = value.trim().replace(/\s+/g, ' ');
  if (isCron(pattern)) return pattern;
  context.report('bad-cron', span, { pattern: value });
  return undefined;
}

/** Offsets such as `+02:00` are not among the names, because they do not change with the seasons. */
function checkZone(context: Context, zone: ast.Text | undefined): boolean {
  if (!zone) return true;
  const { value, span } = zone;
  try {
    if (/^[A-Za-z]/.test(value)) return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    // The message below says which names there are.
  }
  const zones = Intl.supportedValuesOf('timeZone').map((name) => ({ name }));
  context.report('unknown-time-zone', span, { zone: value, near: notAmong({ text: value, span }, zones).near?.name });
  return false;
}

// ── `every` as a cron pattern ───────────────────────────────────────────────────────────────────────────────────────

const DAYS: Readonly<Record<string, readonly number[]>> = {
  day: [0, 1, 2, 3, 4, 5, 6],
  weekday: [1, 2, 3, 4, 5],
  monday: [1],
  tuesday: [2],
  wednesday: [3],
  thursday: [4],
  friday: [5],
  saturday: [6],
  sunday: [0],
};

/** How many of each there are in the next larger unit, which the intervals must divide. */
const COUNTED = { minute: 60, minutes: 60, hour: 24, hours: 24 } as const;

const UNITS = [...Object.keys(COUNTED), ...Object.keys(DAYS), 'month'].map((name) => ({ name }));

function cronOf(context: Context, every: ast.Every): string | undefined {
  const unknown = every.units.filter(({ text }) => !UNITS.some(({ name }) => name === text));
  for (const unit of unknown) context.report('unknown-interval', unit.span, notAmong(unit, UNITS));
  if (unknown.length > 0) return undefined;
  const [{ text: unit } = { text: '' }] = every.units;
  const wrong = mistakeIn(every, unit);
  if (wrong) return context.report('bad-interval', wrong.span, wrong);
  if (isCounted(unit)) return counted(context, every, unit);
  const time = timeOf(context, every.time as ast.Text);
  if (!time) return undefined;
  return unit === 'month' ? `${time} ${every.day?.value} * *` : `${time} * * ${daysOf(every)}`;
}

function isCounted(unit: string): unit is keyof typeof COUNTED {
  return Object.hasOwn(COUNTED, unit);
}

/** The part of an `every` that does not go with its unit, or that its unit lacks. */
function mistakeIn({ count, units, day, time, span }: ast.Every, unit: string) {
  const other = units.find(({ text }) => !Object.hasOwn(DAYS, text));
  const counts = isCounted(unit);
  const wrong = (why: 'and' | 'count' | 'on' | 'at' | 'no-on' | 'no-at', at: { readonly span: Span }) => ({
    why,
    unit,
    span: at.span,
  });
  if (other && units.length > 1) return wrong('and', other);
  if (count && !counts) return wrong('count', count);
  if (day && (unit !== 'month' || day.value < 1 || day.value > 31)) return wrong('on', day);
  if (time && counts) return wrong('at', time);
  if (!day && unit === 'month') return wrong('no-on', { span });
  return time || counts ? undefined : wrong('no-at', { span });
}

function counted(context: Context, { count, span }: ast.Every, unit: keyof typeof COUNTED): string | undefined {
  const most = COUNTED[unit];
  const even = Array.from({ length: most - 1 }, (_, at) => at + 1).filter((each) => most % each === 0);
  const { value } = count ?? { value: 1 };
  if (!even.includes(value)) return context.report('uneven-interval', count?.span ?? span, { value, even, unit });
  const step = value === 1 ? '*' : `*/${value}`;
  return most === 60 ? `${step} * * * *` : `0 ${step} * * *`;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** The minute and the hour. */
function timeOf(context: Context, { value, span }: ast.Text): string | undefined {
  const found = TIME.exec(value);
  if (found) return `${Number(found[2])} ${Number(found[1])}`;
  return context.report('bad-time-of-day', span, { time: value });
}

function daysOf({ units }: ast.Every): string {
  const days = [...new Set(units.flatMap(({ text }) => DAYS[text] ?? []))].sort();
  const text = days.join(',');
  return text === '0,1,2,3,4,5,6' ? '*' : text.replace('1,2,3,4,5', '1-5');
}
