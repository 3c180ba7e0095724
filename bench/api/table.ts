/** A table in plain text: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const cell = (text: string, at: number) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0));
  return lines.map((cells) => `  ${cells.map(cell).join('  ').trimEnd()}\n`).join('');
}

export function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en');
}

export function tenths(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(1);
}

export function factor(value: number): string {
  return Number.isNaN(value) ? '–' : `x${value.toFixed(2)}`;
}
