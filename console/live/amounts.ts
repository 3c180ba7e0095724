/** Times and sizes for people. */

export function msText(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 100) return `${Math.round(milliseconds)} ms`;
  return milliseconds >= 10 ? `${milliseconds.toFixed(1)} ms` : `${milliseconds.toFixed(2)} ms`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Of the day, in the time zone of the browser. */
export function clockText(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** In milliseconds: a request or a statement that takes longer is marked. */
export const SLOW_REQUEST = 200;
export const SLOW_STATEMENT = 50;

/** A request that runs one statement so often probably queries in a loop. */
export const MANY_REPEATS = 5;
