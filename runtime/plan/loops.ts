/** The `for`s among the actions of an endpoint, and which of them can be done for all items at once. */
import { accessesIn } from '../../compiler/definition/accesses.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type {
  Action,
  Create,
  Delete,
  Each,
  Endpoint,
  FindRecords,
  QueryAction,
  Refuse,
  Run as RunJob,
  Update,
  Validate,
} from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { modelOf, rowReads } from '../../compiler/definition/read-items.ts';
import { isNear } from './endpoint-plan.ts';
import { mentionsRead } from './mentions.ts';
import { type NamedRecord, type PartAction, recordOf } from './parts.ts';

/** One action, or those of a `for`. */
export interface Run {
  readonly actions: readonly PartAction[];
  readonly each: Each | null;
  /** The queries that read the records that the items are or name. */
  readonly finds: readonly Find[];
}

type Find = QueryAction & { readonly record: string; readonly does: FindRecords };

/** A record from outside of a loop that the loop may change for later items. */
export interface OuterRecord extends NamedRecord {
  /** Whether what is read of it may be changed by any item, not only by one that is the record. */
  readonly byAny: boolean;
}

/** `all` are the actions of the endpoint, among which the records of items are found. */
export function runsOf(actions: readonly PartAction[], all: readonly Action[]): readonly Run[] {
  const runs: { actions: PartAction[]; each: Each | null }[] = [];
  for (const action of actions) {
    const each = 'each' in action ? (action.each ?? null) : null;
    const last = runs.at(-1);
    if (each && last?.each?.item === each.item) last.actions.push(action);
    else runs.push({ actions: [action], each });
  }
  return runs.map((run) => ({ ...run, finds: run.each ? findsOf(run.each, all) : [] }));
}

function findsOf({ made }: Each, actions: readonly Action[]): readonly Find[] {
  return actions.filter(
    (action): action is Find =>
      action.kind === 'query' && action.does.kind === 'find' && made.includes(action.record ?? ''),
  );
}

export function outerRecords({ actions, finds }: Run, endpoint: Endpoint, definition: Definition) {
  const { changes } = accessesIn(definition).writesOf({ actions }, { writtenByCode: [] });
  const changed = new Set([...changes].map(modelOf));
  // The list is read before the loop.
  const inLoop = actions.map((action) => ({ ...action, each: null }));
  const caller = { record: '@auth', model: definition.auth?.model ?? '', reads: endpoint.authReads };
  const records = [caller, ...endpoint.records, ...endpoint.actions.flatMap(recordOf)];
  return records.flatMap(({ record, model, reads: all }): readonly OuterRecord[] => {
    const isOuter = finds.every((find) => find.record !== record);
    const reads = all.filter(({ name }) => isOuter && name !== 'id' && mentionsRead(inLoop, record, name));
    const byAny = reads.some((read) => [...rowReads(read, model, definition).others].some((each) => changed.has(each)));
    return byAny || (reads.length > 0 && changed.has(model)) ? [{ record, model, reads, byAny }] : [];
  });
}

/** An action that one statement can do for all items, or that looks at each without the database. */
export type SetAction = Create | Update | Delete | RunJob | Refuse | Validate;

/** The actions for all items at once; null where the items have to be done one after the other. */
export function setActions({ actions, finds }: Run, outer: readonly OuterRecord[]): readonly SetAction[] | null {
  const isOwn = (id: Expression) => id.kind === 'snapshot' && id.read === 'id' && owned(id.record);
  const owned = (record: string) =>
    finds.some((find) => find.record === record) ||
    actions.some((action) => action.kind === 'create' && action.record === record && !action.onConflict);
  const isSet = (action: PartAction): action is SetAction => {
    switch (action.kind) {
      case 'create':
        return isSetCreate(action) && (outer.length === 0 || !action.onConflict?.changes.length);
      case 'update':
        return isOwn(action.id) && isNear(action.reads, action.model) && isPlain(action);
      case 'delete':
        return action.target.kind === 'id' && action.link === null && isOwn(action.target.id);
      case 'run':
      case 'refuse':
      case 'validate':
        return true;
      default:
        return false;
    }
  };
  return actions.every(isSet) && !outer.some(({ byAny }) => byAny) ? actions : null;
}

function isSetCreate({ reads, model, link, onConflict, values }: Create): boolean {
  const isKey = (field: string) => onConflict?.key.includes(field) ?? false;
  const isSure = values.every(({ field, value }) => !isKey(field) || !value.type.nullable);
  const isSame = (onConflict?.changes ?? []).every(({ condition }) => condition === undefined);
  return isNear(reads, model) && link === null && isSure && isSame;
}

function isPlain({ values }: Update): boolean {
  return values.length > 0 && values.every(({ when, condition }) => when === null && condition === undefined);
}

/** The models whose records the actions change, other than by making them. */
export function changedModels(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(actions.flatMap((action) => (isChange(action) ? [action.model] : [])));
}

function isChange(action: Action): action is Update | Delete {
  return action.kind === 'update' || action.kind === 'delete';
}
