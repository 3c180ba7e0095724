/** Writes the changes of enums. */
import type { ChangeOf, CheckValues } from '../../change/change.ts';
import { RAISED_BY_MIGRATION } from '../../definition/migration.ts';
import { itemTypeOf, WITHDRAWN_VALUE } from '../../definition/schema.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { bodySql } from '../sql/routines.ts';
import { createEnum } from '../sql/schema-sql.ts';
import { isAbout, mayFail, type Phase, type PhasedStep, scan, undoneBy, within } from './phased-step.ts';

export function addEnum({ enum: type }: ChangeOf<'add-enum'>): readonly PhasedStep[] {
  const made = within('make-type', createEnum(type), `make the enum "${type.name}"`);
  const dropped = within('drop-type', `DROP TYPE ${quotedName(type.name)};`, `drop the enum "${type.name}"`);
  return [undoneBy(made, dropped)];
}

export function addValue({ enum: name, value, place, tables }: ChangeOf<'add-value'>): readonly PhasedStep[] {
  const where = place === null ? '' : ` ${place.kind.toUpperCase()} ${quotedText(place.value)}`;
  const sql = `ALTER TYPE ${quotedName(name)} ADD VALUE ${quotedText(value)}${where};`;
  const added = within('add-value', sql, `add the value "${value}" to "${name}"`);
  return [undoneBy(added, unusedValue(name, value, tables), withdrawnValue(name, value))];
}

/** Checks that no row has the value, in any column. It reads every row of these tables, so it is a step of its own. */
function unusedValue(name: string, value: string, tables: readonly string[]): PhasedStep {
  const [type, text] = [quotedText(quotedName(name)), quotedText(value)];
  const told = `records still have the value "${value}" of "${name}", which is to be removed again, in `;
  const raise = `RAISE EXCEPTION USING ERRCODE = '${RAISED_BY_MIGRATION}',
        MESSAGE = ${quotedText(told)} || format('"%s" of "%s": %s', used.attname, used.relname, found),
        HINT = 'Give these records another value first.';`;
  const body = `DECLARE
  used record;
  found text;
BEGIN
  FOR used IN
    SELECT attname, relname, attrelid::regclass AS rows, typelem <> 0 AS is_list
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_type ON pg_type.oid = atttypid
    WHERE ${type}::regtype IN (atttypid, typelem) AND relkind IN ('r', 'p') AND NOT attisdropped
  LOOP
    EXECUTE format('SELECT ${COUNTED.replaceAll("'", "''")} FROM %s WHERE %L = %s HAVING count(*) > 0', used.rows, ${text},
      CASE WHEN used.is_list THEN format('ANY (%I)', used.attname) ELSE quote_ident(used.attname) END) INTO found;
    IF found IS NOT NULL THEN
      ${raise}
    END IF;
  END LOOP;
END`;
  return within('check', `DO ${bodySql(body)};`, `make sure that no record has the value "${value}" of "${name}"`, [
    ...tables.map((table) => scan(table)),
    mayFail(`records may have the value "${value}" of "${name}"`),
  ]);
}

/** Postgres takes no value away from a type. So it gets a name that no value can have, and its own is free again. */
function withdrawnValue(name: string, value: string): PhasedStep {
  const [type, text] = [quotedText(quotedName(name)), quotedText(value)];
  const body = `DECLARE
  number integer := 1;
BEGIN
  WHILE EXISTS (
    SELECT FROM pg_enum WHERE enumtypid = ${type}::regtype AND enumlabel = ${quotedText(WITHDRAWN_VALUE)} || number
  ) LOOP
    number := number + 1;
  END LOOP;
  EXECUTE format('ALTER TYPE %s RENAME VALUE %L TO %L', ${type}, ${text}, ${quotedText(WITHDRAWN_VALUE)} || number);
END`;
  return within('rename-value', `DO ${bodySql(body)};`, `take the value "${value}" out of use in "${name}"`);
}

export function checkValues({ uses, dropped }: CheckValues): readonly PhasedStep[] {
  return uses.flatMap((use) => isAbout({ kind: 'part', table: use.table, column: use.column }, [guard(use, dropped)]));
}

export function checkEmpty({ table, column }: ChangeOf<'check-empty'>): readonly PhasedStep[] {
  const why = `"${table}" has records, and this release takes back the type that "${column}" has in them`;
  const advice = `This database has completed a release that was withdrawn. Keep the type of that release for "${column}", or delete these records first.`;
  const says = `make sure that "${table}" has no record with the type of "${column}" that is taken back`;
  return [undoneBy(noRow('check', table, quotedName(table), { says, why, advice }))];
}

function guard({ table, column, type }: CheckValues['uses'][number], dropped: readonly string[]): PhasedStep {
  const values = dropped.map((value) => `"${value}"`).join(' or ');
  const why = `records in "${table}" still have ${values} in "${column}", which this release drops`;
  const told = `records in "${table}" still have values in "${column}" that this release drops`;
  const { rows, value } = itemTypeOf(type)
    ? itemsIn(table, column)
    : { rows: quotedName(table), value: quotedName(column) };
  const used = `SELECT ${value}::text AS value, ${COUNTED} AS records FROM ${rows} WHERE ${value} IN (${dropped.map(quotedText).join(', ')}) GROUP BY ${value}`;
  const found = `SELECT string_agg(format('"%s" (%s)', value, records), ', ' ORDER BY value) FROM (${used}) AS used`;
  return undoneBy(
    within(
      'check',
      raiseIf(found, told, dropAdvice(dropped)),
      `make sure that no record in "${table}" has ${values} in "${column}"`,
      [scan(table), mayFail(why)],
    ),
  );
}

/** Each row with each item of its list once, so that rows are counted. */
function itemsIn(table: string, column: string): { readonly rows: string; readonly value: string } {
  const items = `SELECT DISTINCT item FROM unnest(${quotedName(column)}) AS item`;
  return { rows: `${quotedName(table)} CROSS JOIN LATERAL (${items}) AS items`, value: 'items.item' };
}

/**
 * The advice for dropped values. It includes records that a populator of the previous release makes, because a push
 * tests with them.
 */
function dropAdvice(dropped: readonly string[]): string {
  const first =
    'Give these records another value first, with a release that no longer writes this one, nor its populators';
  return `${first}. To rename a value instead of dropping it, write \`was ${dropped[0]}\` behind the one that takes its place.`;
}

/** Stops the migration if there are such rows. `rows` is the text behind FROM. */
export function noRow(
  phase: Phase,
  table: string,
  rows: string,
  { says, why, advice }: Readonly<Record<'says' | 'why' | 'advice', string>>,
): PhasedStep {
  const found = `SELECT ${COUNTED} FROM ${rows} HAVING count(*) > 0`;
  return within(phase, raiseIf(found, why, advice), says, [scan(table), mayFail(why)]);
}

/** The number of rows, in words. */
export const COUNTED = `count(*) || CASE count(*) WHEN 1 THEN ' record' ELSE ' records' END`;

/** Stops the migration if `found` gives a text, which is appended to `why`. It must contain no values of rows. */
export function raiseIf(found: string, why: string, advice: string, state = RAISED_BY_MIGRATION): string {
  const message = `MESSAGE = ${quotedText(`${why}: `)} || found`;
  const raise = `RAISE EXCEPTION USING ERRCODE = '${state}', ${message},\n      HINT = ${quotedText(advice)};`;
  const body = `found := (${found});\n  IF found IS NOT NULL THEN\n    ${raise}\n  END IF;`;
  return `DO ${bodySql(`DECLARE found text;\nBEGIN\n  ${body}\nEND`)};`;
}
