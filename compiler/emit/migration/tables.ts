/** How the changes of whole tables are written. */
import type { Change } from '../../change/change.ts';
import { quotedName } from '../../definition/sql/names.ts';
import { createTable } from '../sql/schema-sql.ts';
import { COUNTED, raiseIf } from './enums.ts';
import { lock, mayFail, type PhasedStep, undoneBy, within } from './phased-step.ts';

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

/** Only the release that it is made for writes to it, and that is not served before it is complete. So it is empty. */
export function addTable({ table }: Of<'add-table'>): readonly PhasedStep[] {
  const { name } = table;
  const own = quotedName(name);
  const why = `"${name}", which is to be dropped again, has records`;
  const found = `SELECT ${COUNTED} FROM ${own} HAVING count(*) > 0`;
  const guard = raiseIf(found, why, 'Delete these records first, if nobody needs them.');
  return [
    undoneBy(
      within('make-table', createTable(table), `make the table "${name}"`),
      within('drop-table', `LOCK TABLE ${own};`, `lock "${name}"`, [lock(name)]),
      within('drop-table', guard, `make sure that "${name}" is empty`, [mayFail(why)]),
      within('drop-table', `DROP TABLE ${own};`, `drop the table "${name}", which is empty`, [lock(name)]),
    ),
  ];
}
