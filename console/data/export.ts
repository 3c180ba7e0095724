/** All records of a table that fit its filters, as a file. */
import type { Cell, DataColumn, DataModel, DataPage } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { save } from '../state/files.ts';
import { textOf } from './cell.tsx';
import { pagePath, type TableWish } from './data-links.ts';
import { draftFrom, isOnlyWritten, isWhole, valueFrom } from './drafts.ts';

export async function exportTable(
  model: DataModel,
  columns: readonly DataColumn[],
  wish: TableWish,
  form: 'CSV' | 'JSON',
): Promise<void> {
  const rows: DataPage['rows'][number][] = [];
  const hidden = model.columns.flatMap((column) => (columns.includes(column) ? [] : column.name));
  let [page, hasMore] = [0, true];
  while (hasMore) {
    page += 1;
    const found = await consoleApi.json<DataPage>(pagePath(model.name, { ...wish, page }, hidden, 'yes'));
    if (found.slow) throw new Error(`Reading took too long. Hide ${found.slow.join(', ')}, or use a filter.`);
    rows.push(...found.rows);
    if (found.hasMore && page === found.lastPage)
      throw new Error(`An export has at most ${rows.length} records. Use a filter.`);
    hasMore = found.hasMore;
  }
  const cellsOf = (row: readonly Cell[]) =>
    columns.map((column) => {
      const cell = row[model.columns.indexOf(column)] ?? null;
      if (isWhole(cell)) return cell;
      throw new Error(
        `\`${column.name}\` of ${model.name} ${textOf(row[0] ?? null)} is too long to be exported. Hide the column.`,
      );
    });
  const text =
    form === 'CSV'
      ? [columns.map(({ name }) => name), ...rows.map((row) => cellsOf(row).map(csvText))].map(csvLine).join('')
      : JSON.stringify(
          rows.map((row) => objectFrom(columns, cellsOf(row))),
          null,
          2,
        );
  const type = form === 'CSV' ? 'text/csv' : 'application/json';
  save(new Blob([text], { type }), `${model.name}.${form.toLowerCase()}`);
}

/** A spreadsheet would compute a text that begins like a formula. */
function csvText(cell: Cell): string {
  const text = textOf(cell);
  return typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

function csvLine(texts: readonly string[]): string {
  return `${texts.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`;
}

function objectFrom(columns: readonly DataColumn[], cells: readonly Cell[]): object {
  const entries = columns.map((column, at) => {
    const cell = cells[at] ?? null;
    const sent = valueFrom(column, draftFrom(column, cell));
    return [column.name, isOnlyWritten(column) || !sent.ok ? cell : sent.value];
  });
  return Object.fromEntries(entries);
}
