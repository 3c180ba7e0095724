/** A new `unique` over rows that have the same values: which field it is, one of the values, and how many rows share it. */
import type pg from 'pg';
import type { Definition, Field, Model } from '../../compiler/definition/definition.ts';
import { DatabaseRefusal } from '../database/connect.ts';
import type { PlaceOf } from '../difference/subject-place.ts';

export interface Duplicates {
  readonly model: string;
  /** Fields and references, as the sources call them. */
  readonly members: readonly string[];
  /** One of the values that are shared, for each member; null where a member is secret. */
  readonly values: readonly string[] | null;
  /** How many records have these values. */
  readonly records: number;
}

export class DuplicatesRefusal extends DatabaseRefusal {
  readonly duplicates: Duplicates;

  constructor(duplicates: Duplicates) {
    super(duplicatesSentence(duplicates));
    this.duplicates = duplicates;
  }
}

export function duplicatesSentence({ model, members, values, records }: Duplicates): string {
  const [one, ...others] = members;
  const what =
    others.length === 0 ? `\`unique\` to \`${model}.${one}\`` : `\`unique { ${members.join(', ')} }\` to \`${model}\``;
  const value = values === null ? 'the same secret value' : `the same value: ${values.map(shortened).join(', ')}`;
  return `cannot add ${what}: ${records.toLocaleString('en')} records have ${value}`;
}

const LONGEST_VALUE = 60;

function shortened(value: string): string {
  return JSON.stringify(value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE - 1)}…` : value);
}

/** Finds duplicates before anything is changed. A renamed member is searched under its previous name. */
export async function duplicatesAgainst(
  client: pg.Client,
  previous: Definition,
  next: Definition,
): Promise<Duplicates | undefined> {
  const same = new Set(previous.models);
  for (const model of next.models) {
    if (same.has(model)) continue;
    const before = formerOf(model, previous.models);
    if (!before) continue;
    const known = new Set(uniquesOf(before).map(({ fields }) => keyOf(fields)));
    for (const { members, fields } of uniquesOf(model)) {
      const columns = fields.flatMap((field) => formerOf(field, before.fields) ?? []);
      const isWhole = columns.length === fields.length;
      if (isWhole && known.has(keyOf(columns))) continue;
      const found = isWhole ? await duplicatesIn(client, before, columns) : await filledAlike(client, before, fields);
      const isSecret = fields.some(({ secret }) => secret);
      if (found) return { model: model.name, members, ...found, ...(isSecret ? { values: null } : {}) };
    }
  }
  return undefined;
}

function uniquesOf({ fields, references, uniques }: Model) {
  const fieldOf = (member: string) => {
    const name = references.find((reference) => reference.name === member)?.field ?? member;
    return fields.filter((field) => field.name === name);
  };
  const single = [...fields, ...references].filter(({ unique, name }) => unique && name !== 'id');
  const written = [...single.map(({ name }) => [name]), ...uniques];
  return written.map((members) => ({ members, fields: members.flatMap(fieldOf) }));
}

function keyOf(fields: readonly Field[]): string {
  return fields
    .map(({ column }) => column)
    .sort()
    .join(' ');
}

function formerOf<T extends { readonly name: string; readonly was: string | null }>(
  { name, was }: T,
  before: readonly T[],
): T | undefined {
  return before.find((each) => each.name === was) ?? before.find((each) => each.name === name);
}

interface Row {
  readonly values: readonly string[];
  readonly records: string;
}

/** Two nulls are not the same value. */
async function duplicatesIn(
  client: pg.Client,
  { table }: Model,
  fields: readonly Field[],
): Promise<Pick<Duplicates, 'values' | 'records'> | undefined> {
  const columns = fields.map(({ column }) => client.escapeIdentifier(column));
  const texts = columns.map((column) => `${column}::text`).join(', ');
  const { rows } = await client.query<Row>(
    `SELECT ARRAY[${texts}] AS values, count(*) AS records
     FROM ${client.escapeIdentifier(table)} WHERE ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}
     GROUP BY ${columns.join(', ')} HAVING count(*) > 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
  );
  const [row] = rows;
  return row && { values: row.values, records: Number(row.records) };
}

/** A new field with one value for all records that exist. */
async function filledAlike(
  client: pg.Client,
  { table }: Model,
  [field, ...others]: readonly Field[],
): Promise<Pick<Duplicates, 'values' | 'records'> | undefined> {
  const filled = others.length === 0 ? (field?.backfill ?? field?.default) : undefined;
  if (filled?.kind !== 'literal' || filled.value === null) return undefined;
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${client.escapeIdentifier(table)}`);
  const records = Number(rows[0]?.count);
  return records > 1 ? { values: [String(filled.value)], records } : undefined;
}

// ── Duplicates text ──────────────────────────────────────────────────────────────────────────────────────────────────

interface Sources {
  readonly definition: Definition;
  readonly placesAgainst: (other: Definition) => PlaceOf;
}

/** Rows that a new `unique` does not allow: with the line that it is on, and what to do. */
export function duplicatesText({ message, duplicates }: DuplicatesRefusal, sources: Sources | undefined): string {
  const { model, members } = duplicates;
  // No single field of a key over several fields is to blame.
  const member = members.length === 1 ? members[0] : undefined;
  const place = sources?.placesAgainst(sources.definition)({ kind: 'model', name: model, ...(member && { member }) });
  return [
    message,
    ...(place ? [`  --> ${place.file}:${place.line}:${place.column}`] : []),
    '  To keep the records, change their values, or remove `unique`.',
    '  To start again without them, run `kiln db reset`, or `kiln db reset --populate`.',
  ].join('\n');
}
