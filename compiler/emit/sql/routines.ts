/** Functions of triggers, and the triggers of reactions. */
import type { ReactionTrigger } from '../../definition/schema.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { HAS_REACTIONS } from '../../definition/work.ts';

/** Quotes a body. Dollar quotes are readable, but a text of the author may contain the same ones. */
export function bodySql(body: string): string {
  return body.includes('$kiln$') ? quotedText(body) : `$kiln$\n${body}\n$kiln$`;
}

/**
 * Writes a routine. Names in it mean what they mean for this release, whoever runs it: never a temporary table of the
 * caller.
 */
export function routineSql(name: string, body: string): string {
  return routineIn([], 'CREATE', name, body);
}

function routineIn(
  first: readonly string[],
  create: 'CREATE' | 'CREATE OR REPLACE',
  name: string,
  body: string,
): string {
  const path = ['pg_catalog', ...first.map(quotedName), '%I', 'pg_temp'].join(', ');
  const settle = quotedText(`ALTER FUNCTION ${name.replaceAll('%', '%%')}() SET search_path = ${path}`);
  return `${create} FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS ${bodySql(body)};\nDO ${bodySql(`BEGIN\n  EXECUTE format(${settle}, current_schema());\nEND`)};`;
}

/** Makes a reaction of an empty database. */
export function createReaction(reaction: ReactionTrigger): string {
  const routine = quotedName(reaction.name);
  return `${reactionRoutine(reaction.body, routine)}\n${reactionTrigger(reaction, { trigger: routine, table: quotedName(reaction.table), routine })}`;
}

/** Writes the function of a reaction. One that was left behind is replaced. `first` are schemas where names are found first. */
export function reactionRoutine(body: string, name: string, ...first: readonly string[]): string {
  return routineIn(first, 'CREATE OR REPLACE', name, `BEGIN\n${body}\n  RETURN NULL;\nEND`);
}

interface TriggerNames {
  readonly trigger: string;
  readonly table: string;
  readonly routine: string;
  /** Whose writes it is for, as a condition. */
  readonly writer?: string;
}

export function reactionTrigger(
  { event, when, ofStatement }: ReactionTrigger,
  { trigger, table, routine, writer }: TriggerNames,
): string {
  if (ofStatement)
    return `CREATE OR REPLACE TRIGGER ${trigger} AFTER ${event.toUpperCase()} ON ${table}${ROWS_OF[event]}\n  FOR EACH STATEMENT EXECUTE FUNCTION ${routine}();`;
  const conditions = [HAS_REACTIONS, ...(writer === undefined ? [] : [writer]), ...(when === null ? [] : [when])];
  return `CREATE OR REPLACE TRIGGER ${trigger} AFTER ${event.toUpperCase()} ON ${table} FOR EACH ROW\n  WHEN (${conditions.join(' AND ')}) EXECUTE FUNCTION ${routine}();`;
}

/** The rows that a statement has changed, as tables. */
const ROWS_OF: Readonly<Record<ReactionTrigger['event'], string>> = {
  insert: ' REFERENCING NEW TABLE AS kiln_new',
  update: ' REFERENCING OLD TABLE AS kiln_old NEW TABLE AS kiln_new',
  delete: ' REFERENCING OLD TABLE AS kiln_old',
  truncate: '',
};
