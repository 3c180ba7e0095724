/** The triggers of live lists: each statement that changes rows of a table stores which rows they were, in one row. */
import type { Definition, Model } from '../definition/definition.ts';
import { CHANGES, followedModels, LONGEST_KEY } from '../definition/live.ts';
import { modelIn } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import type { ReactionTrigger } from '../definition/schema.ts';
import { quotedText } from '../definition/sql/literals.ts';
import { quotedName } from '../definition/sql/sql.ts';
import { digestOf } from './digest.ts';

const ROWS = {
  insert: ['kiln_new'],
  update: ['kiln_old', 'kiln_new'],
  delete: ['kiln_old'],
  truncate: [],
} as const satisfies Readonly<Record<ReactionTrigger['event'], readonly string[]>>;

/** More values than this are not stored: then the change concerns every caller. */
const MOST_KEYS = 100;

interface Followed {
  readonly event: ReactionTrigger['event'];
  readonly table: string;
  /** The columns whose values are stored. */
  readonly columns: readonly string[];
}

export function liveTriggers(definition: Definition): readonly ReactionTrigger[] {
  return [...followedByName(definition)].map(([name, followed]) => {
    const { event, table } = followed;
    return { name, table, event, when: null, body: bodyOf(followed), reads: [table], ofStatement: true };
  });
}

/** The body for other names of columns. What is stored has the names that the servers of this definition know. */
export function liveBody(name: string, definition: Definition, columns: ReadonlyMap<string, string>): string {
  return bodyOf(followedByName(definition).get(name) as Followed, columns);
}

const followedByName = memoized(
  (definition: Definition): ReadonlyMap<string, Followed> =>
    new Map(
      [...followedModels(definition)].flatMap(([name, fields]) => {
        const { table, fields: all } = modelIn(definition, name) as Model;
        const columns = all.filter((field) => fields.has(field.name)).map(({ column }) => column);
        return (Object.keys(ROWS) as (keyof typeof ROWS)[]).map((event) => {
          const digest = digestOf(JSON.stringify([table, columns])).slice(0, 16);
          return [`kiln_reaction_live_${event}_${digest}`, { event, table, columns }] as const;
        });
      }),
    ),
);

function bodyOf({ event, table, columns }: Followed, names: ReadonlyMap<string, string> = new Map()): string {
  const insert = `  INSERT INTO ${quotedName(CHANGES)} ("xid", "source", "keys")\n  SELECT pg_current_xact_id()::text::bigint, ${quotedText(table)}`;
  const [first, ...others] = ROWS[event];
  if (first === undefined) return `${insert}, NULL;`;
  const isThere = `EXISTS (SELECT FROM ${first})`;
  if (columns.length === 0) return `${insert}, '{}' WHERE ${isThere};`;
  const keys = [first, ...others].flatMap((rows) =>
    columns.map((column) => {
      const value = `left(${quotedName(names.get(column) ?? column)}::text, ${LONGEST_KEY})`;
      return `SELECT ${quotedText(`${column}=`)} || ${value} AS "key" FROM ${rows}`;
    }),
  );
  const some = `SELECT DISTINCT "key" FROM (${keys.join(' UNION ALL ')}) AS "found" LIMIT ${MOST_KEYS + 1}`;
  const stored = `CASE WHEN count(*) <= ${MOST_KEYS} THEN coalesce(array_agg("key") FILTER (WHERE "key" IS NOT NULL), '{}') END`;
  return `${insert}, ${stored}\n  FROM (${some}) AS "keys" HAVING count(*) > 0;`;
}
