import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { partsOf } from '../program/parts.ts';
import type { Expression, Model, Populate, Populator, Relation, Variable } from '../program/program.ts';
import { record } from '../program/type.ts';
import { type Context, findMember, isStandIn, notAmong } from './context.ts';
import { modelNamed } from './members.ts';
import { bound } from './queries.ts';
import { emptyScope, POSITIONS, type Scope } from './scope.ts';
import { checkSets } from './sets.ts';

export function checkPopulators(
  context: Context,
  populators: readonly ast.PopulatorDeclaration[],
): readonly Populator[] {
  return populators.map(({ name, doc, populates }) => ({
    name: name.text,
    doc,
    populates: populates.flatMap((populate, index) => topPopulate(context, populate, index) ?? []),
  }));
}

function topPopulate(context: Context, written: ast.Populate, index: number): Populate | undefined {
  const model = modelNamed(context, written.resource, 'populate');
  if (!model) return undefined;
  return checkPopulate(context, written, {
    model,
    scope: emptyScope(POSITIONS.populate),
    path: String(index),
    made: new Map(),
  });
}

interface Around {
  readonly model: Model;
  readonly through?: Relation;
  readonly scope: Scope;
  /** Tells unnamed records apart. */
  readonly path: string;
  /** The models of the records that are made inside each record around, before this one. */
  readonly made: ReadonlyMap<Variable, Set<Model>>;
}

function checkPopulate(context: Context, written: ast.Populate, around: Around): Populate {
  const { model, through, path, made } = around;
  const variable: Variable = {
    name: written.alias?.text ?? `${snakeCase(model.name)}#${path}`,
    type: record(model),
    holds: 'record',
  };
  const repeat = checkRepeat(context, written.repeat, through);
  const counter = written.repeat?.alias;
  const iterated = counter
    ? bound(context, around.scope, counter, { kind: 'iterator', name: counter.text, span: counter.span })
    : around.scope;
  for (const { when } of written.sets) if (when) context.report('when-in-populator', when.span, {});
  const values = checkSets(context, written.sets, model, iterated, through?.through);
  for (const { value } of values) reportEarlyPicks(context, value, made);
  if (repeat.end >= repeat.start) for (const models of made.values()) models.add(model);
  const inside = new Map(made).set(variable, new Set());
  const { alias } = written;
  const named = alias ? bound(context, iterated, alias, { kind: 'variable', variable, span: alias.span }) : iterated;
  const populates = written.populates.flatMap((inner, index) => {
    const relation = relationOf(context, inner.resource, model);
    if (!relation) return [];
    return [
      checkPopulate(context, inner, {
        model: relation.from,
        through: relation,
        scope: named,
        path: `${path}.${index}`,
        made: inside,
      }),
    ];
  });
  return { model, through, variable, repeat, values, populates };
}

/** A record is picked among those that its run has made before, so there must be some. */
function reportEarlyPicks(context: Context, value: Expression, made: Around['made']): void {
  const [picked] = value.kind === 'call' && value.function === 'oneOf' ? value.arguments : [];
  if (picked?.kind !== 'path' || picked.root.kind !== 'variable') {
    for (const part of partsOf(value)) reportEarlyPicks(context, part, made);
    return;
  }
  const relation = picked.steps.at(-1);
  if (relation?.kind !== 'relation' || made.get(picked.root.variable)?.has(relation.from)) return;
  context.report('nothing-to-pick', picked.span, { relation: relation.name, model: relation.from.name });
}

function relationOf(context: Context, name: ast.Name, model: Model): Relation | undefined {
  const member = findMember(context, name, model);
  if (member?.kind === 'relation') return member;
  if (isStandIn(member)) return undefined;
  const relations = [...model.members.values()].filter((candidate) => candidate.kind === 'relation');
  const about = notAmong(name, relations);
  const near = member ? undefined : (relations.find(({ from }) => from.name === name.text) ?? about.near);
  return context.report('not-a-relation', name.span, { ...about, model: model.name, found: member?.kind, near });
}

function checkRepeat(
  context: Context,
  written: ast.Repeat | undefined,
  through: Relation | undefined,
): Populate['repeat'] {
  const start = written?.start?.value ?? 1;
  const end = written?.count ? written.count.value : (written?.end?.value ?? (written ? undefined : 1));
  if (written && end === undefined) context.report('repeat-without-end', written.span, {});
  else if (written && (end as number) < start - 1)
    context.report('backward-repeat', written.span, { start, end: end as number });
  const count = (end ?? start) - start + 1;
  if (written && through?.through.unique && count > 1)
    context.report('repeat-of-single', written.span, { relation: through.name, count, declared: through.through.span });
  return { name: written?.alias?.text ?? null, start, end: end ?? start };
}
