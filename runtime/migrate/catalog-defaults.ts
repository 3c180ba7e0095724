/** Defaults of columns as a schema writes them. A constant is known by what it gives, not by how it was written. */
import type pg from 'pg';
import type { ColumnDefault } from '../../compiler/definition/schema.ts';

/** What no schema asks for is kept as Postgres writes it. */
export type CatalogDefault = ColumnDefault | { readonly kind: 'expression'; readonly text: string };

export interface DefaultRow {
  readonly type: string;
  readonly expression: string | null;
}

const CLOCKS: Readonly<Record<string, ColumnDefault>> = {
  'now()': { kind: 'now' },
  '(floor((EXTRACT(epoch FROM now()) * (1000)::numeric)))::bigint': { kind: 'now' },
  "((now() AT TIME ZONE 'UTC'::text))::date": { kind: 'today' },
};

/** Only these are evaluated: whatever else there is may do something. */
const CONSTANT =
  /^\(*(?:E?'(?:[^']|'')*'|-?[\d.]+(?:e[+-]?\d+)?|true|false)\)*(?:::[\w ".]+(?:\([\d,]+\))?(?:\[\])?\)*)*$/;

export async function readDefaults<Row extends DefaultRow>(
  client: pg.Client,
  rows: readonly Row[],
): Promise<ReadonlyMap<Row, CatalogDefault>> {
  const texts = await constantTexts(client, rows.filter(isConstant));
  return new Map(
    rows.flatMap((row): [Row, CatalogDefault][] =>
      row.expression === null ? [] : [[row, defaultOf(row, row.expression, texts)]],
    ),
  );
}

function isConstant({ expression }: DefaultRow): boolean {
  return expression !== null && CONSTANT.test(expression);
}

function defaultOf(row: DefaultRow, expression: string, texts: ReadonlyMap<DefaultRow, string>): CatalogDefault {
  const text = texts.get(row);
  if (text === undefined) return CLOCKS[expression] ?? { kind: 'expression', text: expression };
  return { kind: 'value', text: isArray(row) ? listText(row, text) : ourText(row.type, text) };
}

function ourText(type: string, text: string): string {
  return OUR_WAY[type]?.(text) ?? text;
}

function isArray({ type }: DefaultRow): boolean {
  return type.endsWith('[]');
}

/** As a schema has it: a JSON list of the texts of the items. */
function listText({ type }: DefaultRow, json: string): string {
  return JSON.stringify((JSON.parse(json) as readonly string[]).map((item) => ourText(type.slice(0, -2), item)));
}

/** In one array, because a row has fewer columns than a large schema has defaults. */
async function constantTexts(client: pg.Client, rows: readonly DefaultRow[]): Promise<ReadonlyMap<DefaultRow, string>> {
  const expressions = rows.map((row) => {
    const value = `(${row.expression})::${row.type}`;
    return isArray(row) ? `to_jsonb(${value}::text[])::text` : `${value}::text`;
  });
  await client.query("SET TimeZone = 'UTC'");
  const { rows: values } = await client.query<{ texts: readonly string[] }>(
    `SELECT ARRAY[${expressions.join(', ')}]::text[] AS texts`,
  );
  return new Map(rows.map((row, at) => [row, values[0]?.texts[at] ?? '']));
}

/** Postgres writes some values in another way than a schema does. */
const OUR_WAY: Readonly<Record<string, (text: string) => string>> = {
  jsonb: (text) => JSON.stringify(JSON.parse(text)),
  'double precision': (text) => String(Number(text)),
  'timestamp with time zone': (text) => text.replace(' ', 'T').replace('+00', 'Z'),
};
