/**
 * The checks of a request's inputs that only the database can do: whether the records that they name exist, and whether
 * unique values are taken. All of them are one statement.
 */
import type { Expression, Type } from '../../compiler/definition/expression.ts';
import { Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import { recordAt } from '../../compiler/definition/sql/paths.ts';
import { all, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { InputError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { OutOfRange } from '../expressions/out-of-range.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Check, Instead, Named, UniqueCheck, UniquePart } from '../plan/checks.ts';
import { inputAt, placeOfItem, setInput } from '../request/inputs.ts';
import { binderOf, parserOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { bound, isSent, type QueryScope, run } from './prepared.ts';
import type { Statements } from './statements.ts';

/** Puts the ids of found records in place of what named them, and gives what is wrong. */
export type DatabaseCheck = (scope: QueryScope) => Promise<readonly InputError[]>;

export function databaseCheckOf(checks: readonly Check[], statements: Statements): DatabaseCheck {
  const columns = checks.map((check) =>
    check.kind === 'unique'
      ? takenSql(check, statements)
      : check.ofItems
        ? foundEachSql(check, statements)
        : foundSql(check, inputSql(check.path, check.type, statements), statements),
  );
  const statement = statements.add(sql`SELECT ${joined(columns, ', ')}`, true);
  return async (scope) => {
    const { rows } = await run(statement, scope);
    const answers = rows[0]?.fields ?? [];
    return checks.flatMap((check, at) => judged(check, answers[at] ?? null, scope, statements));
  };
}

function judged(check: Check, answer: string | null, scope: Scope, { catalogue }: Statements): readonly InputError[] {
  if (check.kind === 'unique') return answer === 't' ? [taken(check, scope)] : [];
  if (check.ofItems) return judgedItems(check, answer, scope, catalogue);
  const path = check.path.join('.');
  const sent = inputAt(scope, check.path);
  if (sent === null || sent === undefined) return [];
  if (answer === null) return [notFound(path)];
  const id = parserOf(catalogue.model(check.finds.model).field('id').type);
  setInput(scope, check.path, id(answer));
  return [];
}

/** The answer has an id or null for each item. */
function judgedItems(
  { path, finds }: Named,
  answer: string | null,
  scope: Scope,
  catalogue: Statements['catalogue'],
): readonly InputError[] {
  const found = answer === null ? [] : (JSON.parse(answer) as readonly (string | null)[]);
  const parse = parserOf(catalogue.model(finds.model).field('id').type);
  const [, name] = path as readonly [string, string];
  return itemsAt(scope, path).flatMap((item, at) => {
    const id = found[at] ?? null;
    if ((item[name] ?? null) === null) return [];
    if (id === null) return [notFound(placeOfItem(path, at))];
    item[name] = parse(id);
    return [];
  });
}

export function notFound(path: string): InputError {
  return { path, code: 'reference-not-found', message: 'does not exist', params: {} };
}

function taken({ paths, parts }: UniqueCheck, { sent }: Scope): InputError {
  const names = paths.map((path) => path.join('.'));
  const fields = parts.map(({ field }) => field);
  const path = names.find((name) => sent.has(name)) ?? (names[0] as string);
  return alreadyExists(path, fields);
}

export function alreadyExists(path: string, fields: readonly string[]): InputError {
  const params = fields.length > 1 ? { fields } : {};
  return { path, code: 'already-exists', message: 'is already taken', params };
}

// ── Records that inputs name ────────────────────────────────────────────────────────────────────────────────────────

function foundSql({ finds }: Named, value: Sql, statements: Statements): Sql {
  const row = new Frame(statements.building()).add(finds.model);
  row.frame.where(sql`${recordAt(row, finds.path).field(finds.field)} = ${value}`);
  return sql`(${row.frame.select(row.id)})`;
}

/** Selects one list of ids for all items, in their order. */
function foundEachSql(named: Named, statements: Statements): Sql {
  const { path, type } = named;
  const bind = binderOf(type);
  const [, name] = path as readonly [string, string];
  const values = bound(
    (scope) => itemsAt(scope, path).map((item) => bind(item[name] ?? null) as string | null),
    sql`${statements.catalogue.sqlType(type)}[]`,
  );
  const found = foundSql(named, sql`"#items"."#value"`, statements);
  return sql`(SELECT json_agg(${found}::text ORDER BY "#at") FROM unnest(${values}) WITH ORDINALITY AS "#items" ("#value", "#at"))`;
}

/** The objects of a list, as far as they were read. */
function itemsAt({ inputs }: Scope, [list]: readonly string[]): readonly Record<string, Value>[] {
  return (inputs[list as string] ?? []) as unknown as readonly Record<string, Value>[];
}

function inputSql(path: readonly string[], type: Type, { catalogue }: Statements): Sql {
  const bind = binderOf(type);
  return bound((scope) => bind(inputAt(scope, path) ?? null), catalogue.sqlType(type));
}

// ── Values that may be taken ────────────────────────────────────────────────────────────────────────────────────────

function takenSql(check: UniqueCheck, statements: Statements): Sql {
  const frame = new Frame(statements.building());
  const row = frame.add(check.model);
  const itself =
    check.own && frame.join(check.model, (own) => sql`${own.id} = ${statements.parameter(check.own as Expression)}`);
  if (itself) frame.where(sql`${row.id} <> ${itself.id}`);
  for (const part of check.parts) {
    const kept = itself ? itself.field(part.field) : sql`NULL`;
    frame.where(sql`${row.field(part.field)} = ${partSql(part, kept, check.model, statements)}`);
  }
  if (check.instead) frame.where(standsAlone(row, check.instead, statements));
  return sql`EXISTS (${frame.select(sql`1`)})`;
}

/** Whether the row is not, and is not excused by, the record that takes the place of the new one. */
function standsAlone(row: Row, { parts, only, isKept }: Instead, statements: Statements): Sql {
  const { name } = row.model.definition;
  const hasKey = (at: Row) => {
    const same = parts.map((part) => sql`${at.field(part.field)} = ${partSql(part, sql`NULL`, name, statements)}`);
    return all(only ? [...same, at.frame.building.condition(only, at)] : same);
  };
  if (!isKept) return sql`(${hasKey(row)}) IS NOT TRUE`;
  const kept = new Frame(row.frame.building).add(name);
  kept.frame.where(hasKey(kept));
  return sql`NOT EXISTS (${kept.frame.select(sql`1`)})`;
}

function partSql({ field, value, named, when }: UniquePart, kept: Sql, model: string, statements: Statements): Sql {
  if (value === null) return kept;
  const { type } = statements.catalogue.model(model).field(field);
  const given = named
    ? foundSql(named, inputSql(named.path, named.type, statements), statements)
    : computedSql(value, type, statements);
  if (when === null) return given;
  return sql`CASE WHEN ${isSent(when)} THEN ${given} ELSE ${kept} END`;
}

/** The value as the write binds it; null where it is out of range, which the write says in its place. */
function computedSql(value: Expression, type: Type, { catalogue, foundation }: Statements): Sql {
  const { run: evaluate } = compileExpression(value, foundation.environment);
  const bind = binderOf(type);
  const computed = (scope: Scope) => {
    try {
      return bind(evaluate(scope) as Value);
    } catch (error) {
      if (error instanceof OutOfRange) return null;
      throw error;
    }
  };
  return bound(computed, catalogue.sqlType(type));
}
