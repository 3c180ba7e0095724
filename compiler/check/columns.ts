/** What a table of Postgres asks of its columns. */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Field, Model } from '../program/program.ts';
import { snakeCase } from '../program/snake-case.ts';

type Report = Diagnostics['report'];

const MOST_COLUMNS = 1600;

/** Every table has them already, hidden. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']);

export function checkColumns(model: Model, report: Report): void {
  reportColumns(model, report);
  const count = model.fields.length;
  if (count > MOST_COLUMNS) report('too-many-columns', model.span, { model: model.name, count, most: MOST_COLUMNS });
}

function reportColumns(model: Model, report: Report): void {
  const columns = new Map<string, Field>();
  for (const field of model.fields) {
    const column = snakeCase(field.name);
    if (SYSTEM_COLUMNS.has(column)) reportSystemColumn(field, column, report);
    const earlier = columns.get(column);
    if (earlier)
      report('same-column', field.span, {
        name: field.name,
        other: earlier.name,
        column,
        reference: earlier.reference?.name,
        first: earlier.span,
      });
    else columns.set(column, field);
  }
}

function reportSystemColumn({ name, model, span }: Field, column: string, report: Report): void {
  report('reserved-column', span, { field: `${model.name}.${name}`, column });
}
