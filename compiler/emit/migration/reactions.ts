/**
 * Reactions and jobs between two releases. While both are served, each write starts the jobs of the release that made it.
 */
import type { AddReaction, Change, ChangeOf, DropJobs, RetireReaction } from '../../change/change.ts';
import { WORK_LEFT } from '../../definition/migration.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { JOBS } from '../../definition/work.ts';
import { createReaction, reactionRoutine, reactionTrigger } from '../sql/routines.ts';
import { raiseIf } from './enums.ts';
import { isAbout, later, lock, mayFail, type PhasedStep, undoneBy, within } from './phased-step.ts';
import { inSchema, isOfBefore, tableSql } from './retirements.ts';

// ── Reactions ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Comes at the end, when all that it reads is there. */
export function addReaction({ reaction, isShared }: AddReaction, schema: string): readonly PhasedStep[] {
  const { name, table } = reaction;
  const names = { trigger: quotedName(name), table: quotedName(table), routine: quotedName(name) };
  const forThis = `${reactionRoutine(reaction.body, names.routine)}\n${reactionTrigger(reaction, { ...names, writer: `NOT ${isOfBefore(schema)}` })}`;
  const locked = [lock(table, 'SHARE ROW EXCLUSIVE')];
  const made = within(
    'give-back',
    isShared ? forThis : createReaction(reaction),
    `react when "${table}" changes${isShared ? ', if this release changes it' : ''}`,
    locked,
  );
  const drop = `DROP TRIGGER ${names.trigger} ON ${names.table};\nDROP FUNCTION ${names.routine}();`;
  const forAll = within('unfollow', reactionTrigger(reaction, names), `react when "${table}" changes`, locked);
  return [
    undoneBy(made, within('unfollow', drop, `no longer react when "${table}" changes`, [lock(table)])),
    ...later(isShared ? [forAll] : []),
  ];
}

/** Its names are looked up as the previous release does, so it finds what that finds, whatever is changed after it. */
export function retireReaction(change: RetireReaction, schema: string): readonly PhasedStep[] {
  const { reaction, of } = change;
  const { name, table } = reaction;
  const [own, on, kept] = [quotedName(name), quotedName(table), quotedName(`${name}_before`)];
  const routine = inSchema(schema, name);
  const drop = (trigger: string, function_: string, from: string) =>
    `DROP TRIGGER ${trigger} ON ${from};\nDROP FUNCTION ${function_}();`;
  const keep = reactionTrigger(reaction, { trigger: kept, table: on, routine, writer: isOfBefore(schema) });
  return [
    undoneBy(
      within(
        'keep',
        `${reactionRoutine(reaction.body, routine, schema)}\n${keep}\n${drop(own, own, on)}`,
        `keep a reaction to changes of "${table}" for the previous release`,
        [lock(table)],
      ),
      within(
        'unfollow',
        `${createReaction(reaction)}\n${drop(kept, routine, on)}`,
        `bring a reaction to changes of "${table}" back`,
        [lock(table)],
      ),
    ),
    ...later([
      within(
        'unfollow',
        drop(kept, routine, tableSql(of, schema)),
        `drop a reaction of the previous release to changes of "${of.name}"`,
        [lock(of.name)],
      ),
    ]),
  ];
}

/** Gives the functions of retired reactions the names that the columns of a table have now. */
export function movedReactions(changes: readonly Change[], table: string, schema: string): readonly PhasedStep[] {
  return changes.flatMap((change) =>
    change.kind === 'retire-reaction' && change.of.name === table ? isAbout(change, movedReaction(change, schema)) : [],
  );
}

function movedReaction({ reaction, of, bodyNow }: RetireReaction, schema: string): readonly PhasedStep[] {
  if (bodyNow === null) return [];
  const routine = inSchema(schema, reaction.name);
  // Nobody writes between the new names and the function that reads them.
  const lockedRoutine = (body: string) =>
    `LOCK TABLE ${tableSql(of, schema)} IN ACCESS EXCLUSIVE MODE;\n${reactionRoutine(body, routine, schema)}`;
  const read = (body: string) =>
    within('rename', lockedRoutine(body), `let a reaction read "${of.name}" by these names`, [lock(of.name)]);
  return [undoneBy(read(bodyNow), read(reaction.body))];
}

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Until then both names are known to the new release. The keys of jobs have the old name in both. */
export function renameJobs({ from, to }: ChangeOf<'rename-jobs'>): readonly PhasedStep[] {
  const kind = `${quotedText(to)} || substr("kind", ${[...from].length + 1})`;
  const sql = `UPDATE ${quotedName(JOBS)} SET "kind" = ${kind} WHERE ${isOfJob('"kind"', from)};`;
  return later([within('fill', sql, `give stored jobs of "${from}" the name "${to}"`, [lock(JOBS, 'ROW EXCLUSIVE')])]);
}

/** A check of all of them comes first: as long as nothing is removed, the previous release can work on them. */
export function dropJobs({ jobs, isDiscarded, of }: DropJobs, schema: string): readonly PhasedStep[] {
  const table = tableSql(of, schema);
  const isOne = `(${jobs.map((job) => isOfJob('"kind"', job)).join(' OR ')})`;
  const names = jobs.map((job) => `"${job}"`).join(', ');
  if (isDiscarded) {
    const what = `jobs of ${names} that were not done`;
    const hazards = [lock(of.name, 'ROW EXCLUSIVE'), { kind: 'data-loss', what } as const];
    return later([within('fill', `DELETE FROM ${table} WHERE ${isOne};`, `remove stored jobs of ${names}`, hazards)]);
  }
  const why = `jobs that this release no longer has still wait`;
  const left = `SELECT split_part("kind", '(', 1) AS name, count(*) AS jobs FROM ${table} WHERE "failed_at" IS NULL AND ${isOne} GROUP BY 1`;
  const found = `SELECT string_agg(format('"%s" (%s)', name, jobs), ', ' ORDER BY name) FROM (${left}) AS found`;
  const advice = 'Run the image of the previous release until it has done them, then contract again.';
  return later([
    within('check', raiseIf(found, why, advice, WORK_LEFT), `make sure that no job of ${names} waits`, [mayFail(why)]),
  ]);
}

function isOfJob(kind: string, job: string): string {
  return `starts_with(${kind}, ${quotedText(`${job}(`)})`;
}
