/** `for x in list { … }`: creates that are done for each item of a list that the client sends. */
import type * as ast from '../ast/ast.ts';
import { pathsIn } from '../program/paths-in.ts';
import type { Create, Each, Expression, Step, Variable } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import type { EndpointContext, Progress } from './action-progress.ts';
import { named } from './action-progress.ts';
import { at, POSITIONS } from './scope.ts';
import { checkCreate } from './write-actions.ts';

export function checkFor(endpoint: EndpointContext, action: ast.ForAction, progress: Progress): Progress {
  const { context } = endpoint;
  const list = context.checkExpression(context, action.list, at(progress.scope, POSITIONS.set));
  if (isAny(list.type)) return progress;
  if (!isListInput(list)) {
    const path = action.list.steps.map(({ text }) => text).join('.');
    context.report('not-a-list-input', action.list.span, { path, type: typeName(list.type) });
    return progress;
  }
  const variable: Variable = {
    name: `${action.name.text}#${progress.actions.length}`,
    type: { ...list.type, many: false, nullable: false },
    holds: 'result',
  };
  let inner = named(endpoint, progress, action.name, variable);
  const made: Variable[] = [];
  for (const each of action.actions) {
    inner = checkInside(endpoint, each, inner, { variable, list, made: [...made] });
    const last = inner.actions.at(-1);
    if (last?.kind === 'create' && last.each?.variable === variable && !made.includes(last.variable))
      made.push(last.variable);
  }
  if (action.actions.length === 0) context.report('empty-for', action.head, {});
  return { ...inner, scope: progress.scope };
}

function isListInput(list: Expression): boolean {
  return list.kind === 'path' && list.root.kind === 'input' && list.type.many;
}

function checkInside(endpoint: EndpointContext, action: ast.Action, progress: Progress, each: Each): Progress {
  const { context } = endpoint;
  if (action.kind !== 'create') {
    context.report('not-in-for', action.head, { what: `\`${action.kind}\`` });
    return progress;
  }
  const inputs = action.items.filter((item) => item.kind !== 'set');
  for (const { kind, span } of inputs)
    context.report('not-in-for', span, {
      what: kind === 'reference' ? 'a `reference`' : 'an `input`',
      instead: 'write `set`, with a value that is known before or made of the item',
    });
  if (inputs.length > 0) return progress;
  const after = checkCreate(endpoint, action, progress, each);
  const created = after.actions.at(-1);
  if (after.actions.length > progress.actions.length && created?.kind === 'create')
    checkValues(endpoint, created, each);
  return after;
}

/** Of a record that was made for the item, its own fields are known, and those of records that it refers to. */
function checkValues({ context }: EndpointContext, { values, onConflict, model }: Create, { made }: Each): void {
  for (const { field, value, when } of values) {
    if (value.kind === 'input') continue;
    if (when && onConflict?.does === 'update')
      context.report('not-in-for', when.span, {
        what: 'a `when` of an `or update`',
        instead: 'choose the value with `if`, or set the field after the `for`',
      });
    if (onConflict?.key.includes(field) && value.type.nullable)
      context.report('not-in-for', value.span, {
        what: `a key of \`${model.name}\` that may be null`,
        instead: 'give it a value that is never null, with `coalesce` or from the item',
      });
    for (const { root, steps, span } of pathsIn(value)) {
      const isMade = root.kind === 'variable' && made.includes(root.variable);
      if (isMade && !isNear(steps))
        context.report('not-in-for', span, {
          what: 'what is computed of a new record',
          instead: 'use its own fields, or those of the records of other models that it refers to',
        });
    }
  }
}

function isNear(steps: readonly Step[]): boolean {
  return steps.every((step) => step.kind === 'field' || (step.kind === 'reference' && step.to !== step.model));
}
