/** Reactions as triggers: a row that changes stores the jobs in the same statement. */
import type { Definition, Model, Reaction } from '../definition/definition.ts';
import type { Run } from '../definition/endpoint.ts';
import type { Expression, Query, Read, Snapshot, Type } from '../definition/expression.ts';
import { modelIn, type Node, nodesIn } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import type { ReactionTrigger } from '../definition/schema.ts';
import { eachItem } from '../definition/sql/call-sql.ts';
import { CataloguedModel } from '../definition/sql/catalogue.ts';
import { jsonSql, valueSql } from '../definition/sql/expression-sql.ts';
import { Frame, Row } from '../definition/sql/frame.ts';
import { insertJobSql, keySql } from '../definition/sql/job-sql.ts';
import { quotedText } from '../definition/sql/literals.ts';
import { occurrencesAlong } from '../definition/sql/paths.ts';
import { joined, type Sql, sql } from '../definition/sql/sql.ts';
import { writtenOutBuilding } from '../definition/sql/written-out.ts';
import {
  INPUT_TOO_LARGE,
  isShort,
  type Job,
  jobKind,
  jobsByName,
  MOST_INPUT_BYTES,
  tooLargeText,
} from '../definition/work.ts';
import { digestOf } from './digest.ts';
import { liveBody } from './live-triggers.ts';
import { byName } from './table-from-draft.ts';

/** The triggers, sorted by name. Two reactions that say the same are one. */
export function reactionTriggers(definition: Definition): readonly ReactionTrigger[] {
  return [...reactionsByName(definition)].map(([name, reaction]) => triggerOf(name, reaction, definition)).sort(byName);
}

/** The statements of a trigger's function, for other names of columns of the row. */
export function bodyOf(
  { name }: ReactionTrigger,
  definition: Definition,
  columns: ReadonlyMap<string, string>,
): string {
  const reaction = reactionsByName(definition).get(name);
  return reaction ? reactionSql(reaction, definition, columns).body : liveBody(name, definition, columns);
}

const reactionsByName = memoized(
  (definition: Definition): ReadonlyMap<string, Reaction> =>
    new Map((definition.reactions ?? []).map((reaction) => [nameOf(reaction, definition), reaction])),
);

function nameOf(reaction: Reaction, definition: Definition): string {
  const kinds = reaction.runs.map(({ job }) => jobKind(jobOf(job, definition), definition));
  const says = [ownerOf(reaction, definition).table, kinds, partsRead(reaction, definition)];
  return `kiln_reaction_${digestOf(JSON.stringify(says, inOrder)).slice(0, HASH_LENGTH)}`;
}

/** Puts the properties of an object in the order of their names: another build of Kiln may write them in another one. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const EVENTS = { create: 'insert', update: 'update', delete: 'delete' } as const;

function triggerOf(name: string, reaction: Reaction, definition: Definition): ReactionTrigger {
  const { when, body } = reactionSql(reaction, definition);
  const reads = tablesRead(partsRead(reaction, definition), definition);
  return { name, table: ownerOf(reaction, definition).table, event: EVENTS[reaction.event], when, body, reads };
}

const HASH_LENGTH = 16;

function ownerOf({ model }: Reaction, definition: Definition): Model {
  return modelIn(definition, model) as Model;
}

function jobOf(name: string, definition: Definition): Job {
  return jobsByName(definition).get(name) as Job;
}

// ── What it reads ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The reaction, and the computed members and queries that it reads, also through each other. */
function partsRead(reaction: Reaction, definition: Definition): readonly unknown[] {
  const parts = new Set<unknown>([reaction]);
  // A set may grow while it is walked through.
  for (const part of parts) for (const node of nodesIn(part, isMember)) parts.add(memberOf(node, definition));
  return [...parts];
}

function isMember({ kind, of, computed }: Node): boolean {
  return (kind === 'computed' && computed !== undefined) || (kind === 'query' && of !== undefined);
}

function memberOf({ kind, model, of, computed, name }: Node, definition: Definition): Expression | Query | undefined {
  const owner = modelIn(definition, String(kind === 'computed' ? model : of));
  if (kind === 'computed') return owner?.computed.find((member) => member.name === computed)?.value;
  return owner?.queries.find((member) => member.name === name)?.query;
}

function tablesRead(parts: readonly unknown[], definition: Definition): readonly string[] {
  const models = nodesIn(parts, ({ model }) => typeof model === 'string').map(({ model }) => String(model));
  return [...new Set(models.flatMap((name) => modelIn(definition, name)?.table ?? []))].sort();
}

// ── SQL ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The condition of the trigger and the statements of its function. A condition that reads other rows is part of the
 * function. `columns` are the current names of the columns of the row, by those of this definition.
 */
function reactionSql(
  reaction: Reaction,
  definition: Definition,
  columns: ReadonlyMap<string, string> = new Map(),
): Pick<ReactionTrigger, 'when' | 'body'> {
  const { row, condition } = rowsOf(reaction, definition, columns);
  const stores = reaction.runs.flatMap((run) => storeSql(run, jobKind(jobOf(run.job, definition), definition), row));
  const when = condition?.text ?? null;
  if (when === null || !when.includes('SELECT')) return { when, body: stores.map((line) => `  ${line}`).join('\n') };
  const guarded = stores.map((line) => `    ${line}\n`).join('');
  return { when: null, body: `  IF ${when} THEN\n${guarded}  END IF;` };
}

interface Rows {
  /** The record of the reaction. */
  readonly row: Row;
  readonly condition: Sql | null;
}

function rowsOf(reaction: Reaction, definition: Definition, columns: ReadonlyMap<string, string>): Rows {
  const { record, reads, before, when, event } = reaction;
  const building = writtenOutBuilding(definition, (snapshot) =>
    snapshot.record === record ? readSql(snapshot, reads, row) : readSql(snapshot, before, old),
  );
  const model = new CataloguedModel(withColumns(ownerOf(reaction, definition), columns));
  const old = new Row(new Frame(building), sql`OLD`, model);
  const row = event === 'delete' ? old : new Row(new Frame(building), sql`NEW`, model);
  return { row, condition: when && building.condition(when, row) };
}

function withColumns(model: Model, columns: ReadonlyMap<string, string>): Model {
  const fields = model.fields.map((field) => ({ ...field, column: columns.get(field.column) ?? field.column }));
  return { ...model, fields };
}

/** A value of the row. Values of several records are a list, as they are in the server. */
function readSql({ read, type }: Snapshot, reads: readonly Read[], row: Row): Sql {
  const found = reads.find(({ name }) => name === read);
  if (found?.kind !== 'value') {
    if (read === 'id') return row.id;
    throw new Error(`\`${read}\` is nothing that a trigger can read`);
  }
  if (found.value.kind !== 'collect' || !type.many) return valueSql(found.value, row);
  const end = occurrencesAlong(found.value.path, row, row.frame.building);
  return sql`ARRAY(${end.frame.select(valueSql(found.value.value, end))})`;
}

/** The lines that store a job. Inputs that may be too large are looked at first. */
function storeSql(run: Run, kind: string, row: Row): readonly string[] {
  if (run.each) throw new Error('a trigger has no loops');
  const input = inputSql(run, row);
  if (run.values.every(({ value }) => isShort(value.type))) return [`${insertSql(run, kind, input, row).text};`];
  const size = 'octet_length(kiln_input::text)';
  const message = `format(${quotedText(tooLargeText(run.job, '%s'))}, ${size})`;
  return [
    `DECLARE kiln_input jsonb := ${input.text};`,
    'BEGIN',
    `  IF ${size} > ${MOST_INPUT_BYTES} THEN`,
    `    RAISE EXCEPTION USING ERRCODE = '${INPUT_TOO_LARGE}', MESSAGE = ${message};`,
    '  END IF;',
    `  ${insertSql(run, kind, sql`kiln_input`, row).text};`,
    'END;',
  ];
}

function inputSql({ values }: Run, row: Row): Sql {
  const members = values.map(({ input, value }) => sql`${quotedText(input)}, ${argumentSql(value, row)}`);
  return sql`jsonb_build_object(${joined(members, ', ')})`;
}

function insertSql({ due, once, line }: Run, kind: string, input: Sql, row: Row): Sql {
  const keyed = (key: Expression | null) => key && keySql(key, valueSql(key, row));
  return insertJobSql({
    kind: sql`${quotedText(kind)}`,
    input,
    due: due && valueSql(due, row),
    once: keyed(once),
    line: keyed(line),
  });
}

/** The value in the form of the API. */
function argumentSql(value: Expression, row: Row): Sql {
  const { many, ...item } = value.type;
  const plain = valueSql(value, row);
  return many ? eachItem(plain, (each) => jsonSql(each, item satisfies Type)) : jsonSql(plain, value.type);
}
