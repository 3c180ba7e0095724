/** Dates as `2026-11-15`, from the year 0001 to 9999. They sort as texts. */

const FORM = /^\d{4}-\d{2}-\d{2}$/;

export function canonicalDate(text: string): string | null {
  return FORM.test(text) && isRealDay(text) ? text : null;
}

/** JavaScript rolls the 31st of February over into March; a calendar does not. */
export function isRealDay(day: string): boolean {
  const date = Number(day.slice(8, 10));
  if (date >= 1 && date <= 28) return isRealMonth(day);
  return isRealMonth(day) && new Date(`${day}T00:00:00Z`).getUTCDate() === date;
}

function isRealMonth(day: string): boolean {
  const month = Number(day.slice(5, 7));
  return month >= 1 && month <= 12 && !day.startsWith('0000');
}

/** In UTC. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

export function compareDates(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
