/** The `for`s among the actions of an endpoint, and which of them can be done for all items at once. */
import type {
  Action,
  Create,
  Delete,
  Each,
  QueryAction,
  Refuse,
  Run as RunJob,
  Update,
  Validate,
} from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { isNear } from './endpoint-plan.ts';
import type { PartAction } from './parts.ts';

/** One action, or those of a `for`. */
export interface Run {
  readonly actions: readonly PartAction[];
  readonly each: Each | null;
  /** The queries that read the records that the items are or name. */
  readonly finds: readonly QueryAction[];
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

function findsOf({ made }: Each, actions: readonly Action[]): readonly QueryAction[] {
  return actions.filter(
    (action): action is QueryAction =>
      action.kind === 'query' && action.does.kind === 'find' && made.includes(action.record ?? ''),
  );
}

/** An action that one statement can do for all items, or that looks at each without the database. */
export type SetAction = Create | Update | Delete | RunJob | Refuse | Validate;

/** The actions for all items at once; null where the items have to be done one after the other. */
export function setActions({ actions, finds }: Run): readonly SetAction[] | null {
  const isOwn = (id: Expression) => id.kind === 'snapshot' && id.read === 'id' && owned(id.record);
  const owned = (record: string) =>
    finds.some((find) => find.record === record) ||
    actions.some((action) => action.kind === 'create' && action.record === record && !action.onConflict);
  const isSet = (action: PartAction): action is SetAction => {
    switch (action.kind) {
      case 'create':
        return isSetCreate(action);
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
  return actions.every(isSet) ? actions : null;
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
