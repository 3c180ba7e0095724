/** A change of a file as a document shows it: the lines around it, ` `, the lines that go, `-`, and those that come, `+`. */

/** Each place has to be there once, so that a reader finds it too. */
export function changed(text: string, change: string): string {
  return placesIn(change).reduce(changedAt, text);
}

function placesIn(change: string): readonly string[] {
  return change.split(/^…\n/m);
}

function changedAt(text: string, place: string): string {
  const before = `\n${linesWith(place, '-')}\n`;
  const whole = `\n${text}`;
  const found = Array.from({ length: whole.length }, (_, at) => at).filter((at) => whole.startsWith(before, at));
  const [start] = found;
  if (found.length !== 1 || start === undefined) {
    throw new Error(`The file has ${found.length} places like this, but should have one:${before}`);
  }
  const after = `\n${linesWith(place, '+')}\n`;
  return `${whole.slice(0, start)}${after}${whole.slice(start + before.length)}`.slice(1);
}

function linesWith(place: string, sign: string): string {
  const lines = place.trimEnd().split('\n');
  return lines
    .filter((line) => line.startsWith(sign) || line.startsWith(' ') || line === '')
    .map((line) => line.slice(1))
    .join('\n');
}
