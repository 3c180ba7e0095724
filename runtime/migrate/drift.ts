/**
 * Compares what Postgres has with what a release needs. A missing or different part is a reason to refuse, because the
 * server relies on it. Additional parts, such as an index that was added by hand, are only reported. Tables and enums
 * that are not part of the release are ignored, and so is what a release keeps for the previous one.
 */
import type pg from 'pg';
import { byName } from '../../compiler/definition/lookup.ts';
import type {
  Column,
  ColumnType,
  EnumType,
  ForeignKey,
  Index,
  Key,
  ReactionTrigger,
  Schema,
  Table,
} from '../../compiler/definition/schema.ts';
import {
  type CatalogColumn,
  type CatalogDefault,
  type CatalogSchema,
  type CatalogTable,
  HERE,
  IS_SEARCH,
  schemaInCatalog,
} from './catalog.ts';

interface Drift {
  /** Sentences on what is missing or different. */
  readonly wrong: readonly string[];
  /** Sentences on what is there besides. */
  readonly besides: readonly string[];
}

/** One sentence. */
interface Finding {
  readonly kind: keyof Drift;
  readonly says: string;
}

type Findings = readonly Finding[];

export async function driftIn(client: pg.Client, schema: Schema, isExpanded: boolean): Promise<Drift> {
  return driftBetween(schema, await schemaInCatalog(client), await oddities(client), isExpanded);
}

/** `isExpanded` says that a contraction is pending: columns that it makes required may still be null. */
export function driftBetween(wanted: Schema, found: CatalogSchema, odd: readonly Oddity[], isExpanded = false): Drift {
  const tables = byName(found.tables);
  const enums = byName(found.enums);
  const all: Findings = [
    ...wanted.enums.flatMap((type) => enumDrift(type, enums.get(type.name))),
    ...wanted.tables.flatMap((table) => tableDrift(table, tables.get(table.name), isExpanded)),
    ...(wanted.reactions ?? []).flatMap((reaction) => reactionDrift(reaction, found)),
    ...wanted.tables.flatMap((table) => odd.filter(isIn(table)).flatMap((oddity) => oddityDrift(table, oddity))),
  ];
  const saidOf = (kind: Finding['kind']) => all.filter((each) => each.kind === kind).map(({ says }) => says);
  return { wrong: saidOf('wrong'), besides: saidOf('besides') };
}

const wrong = (says: string): Findings => [{ kind: 'wrong', says }];
const besides = (says: string): Findings => [{ kind: 'besides', says }];

function reactionDrift({ name, table }: ReactionTrigger, { reactions = [] }: CatalogSchema): Findings {
  if (reactions.some((found) => found.name === name && found.table === table)) return [];
  return wrong(`The trigger "${name}" of "${table}" is missing or disabled.`);
}

function enumDrift({ name, values }: EnumType, found: EnumType | undefined): Findings {
  if (!found) return wrong(`The enum "${name}" is missing.`);
  if (found.values.join() === values.join()) return [];
  return wrong(`The enum "${name}" has the values ${listed(found.values)}, but should have ${listed(values)}.`);
}

function tableDrift(table: Table, found: CatalogTable | undefined, isExpanded: boolean): Findings {
  const { name } = table;
  if (!found) return wrong(`The table "${name}" is missing.`);
  const primary = found.primaryKey ? [found.primaryKey] : [];
  return [
    ...matched(table.columns, found.columns, (column, there) => columnDrift(name, column, there, isExpanded)),
    ...columnsBesides(table, found).flatMap((column) => columnBesides(name, column)),
    ...partsDrift(name, 'primary key', [table.primaryKey], primary, keyText),
    ...partsDrift(name, 'unique', table.uniques, found.uniques, keyText),
    ...partsDrift(name, 'foreign key', table.foreignKeys, found.foreignKeys, foreignKeyText),
    ...partsDrift(name, 'index', table.indexes, found.indexes, indexText),
  ];
}

function matched<W extends { readonly name: string }, F extends { readonly name: string }>(
  wanted: readonly W[],
  found: readonly F[],
  compare: (wanted: W, found: F | undefined) => Findings,
): Findings {
  const names = byName(found);
  return wanted.flatMap((item) => compare(item, names.get(item.name)));
}

function columnsBesides({ columns }: Table, found: CatalogTable): readonly CatalogColumn[] {
  const names = byName(columns);
  return found.columns.filter(({ name }) => !names.has(name) && !isKept(name));
}

/** Whether a release keeps this column, key, check or index for the previous one: only those have such names. */
function isKept(name: string): boolean {
  return name.startsWith('kiln_');
}

/** Reports an additional column. A required one stops every insert, because the server does not know it. */
function columnBesides(table: string, { name, nullable, default: value, identity }: CatalogColumn): Findings {
  const column = `"${table}.${name}"`;
  if (nullable || value !== null || identity !== null) return besides(`The column ${column} is not of this release.`);
  return wrong(`The column ${column} is not of this release, and no row can be inserted without a value for it.`);
}

// ── Keys and indexes ────────────────────────────────────────────────────────────────────────────────────────────────

function partsDrift<T extends { readonly name: string }>(
  table: string,
  what: string,
  wanted: readonly T[],
  found: readonly T[],
  text: (part: T) => string,
): Findings {
  const names = byName(wanted);
  const more = found.filter(({ name }) => !names.has(name) && !isKept(name));
  return [
    ...matched(wanted, found, (part, there) => {
      if (!there) return wrong(`The ${what} "${part.name}" of "${table}" is missing.`);
      if (text(there) === text(part)) return [];
      return wrong(`The ${what} "${part.name}" of "${table}" is ${text(there)}, but should be ${text(part)}.`);
    }),
    ...more.flatMap(({ name }) => besides(`The ${what} "${name}" of "${table}" is not of this release.`)),
  ];
}

function keyText({ columns }: Key): string {
  return listed(columns);
}

function foreignKeyText({ column, to, onDelete }: ForeignKey): string {
  return `"${column}" to "${to.table}.${to.column}" on delete ${onDelete}`;
}

function indexText({ columns, search, language }: Index): string {
  if (search) return `the words of ${listed(columns.map(({ name }) => name))}${language ? ` in ${language}` : ''}`;
  return columns.map(({ name, descending }) => `"${name}"${descending ? ' desc' : ''}`).join(', ');
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

// ── What a schema has no words for ──────────────────────────────────────────────────────────────────────────────────

function isIn({ name }: Table): (oddity: Oddity) => boolean {
  return ({ table }) => table === name;
}

/** Reports an oddity. Among those that are not part of the release, only checks have not been reported yet. */
function oddityDrift(table: Table, { kind, name, says }: Oddity): Findings {
  const parts = [table.primaryKey, ...table.uniques, ...table.foreignKeys, ...table.indexes, ...table.columns];
  const isOurs = kind === 'relation' || parts.some((part) => part.name === name);
  if (isOurs) return wrong(`The ${kind} "${name}" of "${table.name}" ${says}.`);
  return kind === 'constraint' && !isKept(name) ? besides(`The constraint "${name}" of "${table.name}" ${says}.`) : [];
}

// ── Drift columns ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A sentence for each thing that is not as it should be: `"post.title" is text, but should be bigint.` */
function columnDrift(table: string, wanted: Column, found: CatalogColumn | undefined, mayBeNull: boolean): Findings {
  const column = `"${table}.${wanted.name}"`;
  if (!found) return wrong(`The column ${column} is missing.`);
  return ASPECTS.flatMap((aspect) => {
    const is = aspect(found);
    const should = aspect(mayBeNull && found.nullable ? { ...wanted, nullable: true } : wanted);
    return is === should ? [] : wrong(`${column} ${is}, but should ${INFINITIVE(should)}.`);
  });
}

const ASPECTS: readonly ((column: CatalogColumn) => string)[] = [
  ({ type }) => `is ${typeText(type)}`,
  ({ nullable }) => (nullable ? 'is nullable' : 'is not nullable'),
  ({ default: value }) => `has ${value === null ? 'no default' : `the default ${defaultText(value)}`}`,
  ({ identity }) => `is ${identity ? `counted by "${identity.sequence}"` : 'not counted'}`,
];

const INFINITIVE = (words: string): string => words.replace(/^is /, 'be ').replace(/^has /, 'have ');

function typeText(type: ColumnType | string): string {
  if (typeof type === 'string') return type;
  return `${type.many ? 'an array of ' : ''}the enum "${type.enum}"`;
}

function defaultText(value: CatalogDefault): string {
  return 'text' in value ? `${value.kind} '${value.text}'` : value.kind;
}

/** Views, checks, keys that wait, indexes of another kind: what no schema asks for, and none has words for. */

export interface Oddity {
  readonly kind: 'relation' | 'constraint' | 'index' | 'column';
  readonly table: string;
  readonly name: string;
  /** `is not validated` */
  readonly says: string;
}

export async function oddities(client: pg.Client): Promise<readonly Oddity[]> {
  const { rows } = await client.query<Oddity>(ODDITIES);
  return rows;
}

const ODDITIES = `
  SELECT 'relation' AS kind, relname AS table, relname AS name, 'is no table' AS says FROM pg_class
  WHERE relnamespace = ${HERE} AND relkind NOT IN ('r', 'i', 'S')
  UNION ALL
  SELECT 'constraint', relname, conname,
    CASE
      WHEN contype = 'c' THEN 'is a check'
      WHEN contype NOT IN ('p', 'u', 'f', 'n') THEN 'is a constraint of another kind'
      WHEN NOT convalidated THEN 'is not validated'
      WHEN condeferrable THEN 'can be deferred'
      ELSE 'has rules of another kind' END
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = ${HERE} AND (
    contype NOT IN ('p', 'u', 'f', 'n') OR condeferrable OR NOT convalidated
    OR contype = 'f' AND (confupdtype <> 'a' OR confmatchtype <> 's' OR confdeltype NOT IN ('c', 'n', 'r')))
  UNION ALL
  SELECT 'index', indexed.relname, named.relname,
    CASE
      WHEN NOT indisvalid THEN 'is not valid'
      WHEN indpred IS NOT NULL THEN 'has only some of the rows'
      WHEN indisunique THEN 'is unique'
      ELSE 'is an index of another kind' END
  FROM pg_index
    JOIN pg_class named ON named.oid = indexrelid
    JOIN pg_class indexed ON indexed.oid = indrelid
    JOIN pg_am ON pg_am.oid = named.relam
  WHERE named.relnamespace = ${HERE} AND (
    (amname <> 'btree' OR indexprs IS NOT NULL) AND NOT (amname = 'gin' AND ${IS_SEARCH})
    OR indpred IS NOT NULL OR indnatts <> indnkeyatts
    OR NOT indisvalid OR indnullsnotdistinct
    OR indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    OR EXISTS (SELECT FROM unnest(indoption) AS option WHERE option NOT IN (0, 3)))
  UNION ALL
  SELECT 'column', relname, attname, 'has values of its own making'
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = ${HERE} AND relkind = 'r' AND NOT attisdropped AND (attgenerated <> '' OR attidentity = 'a')`;
