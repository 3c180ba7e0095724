/** `on update of Order as order when … { run … }`: jobs that a change of a record starts. The database decides when. */
import type * as ast from '../ast/ast.ts';
import type { Model, Reaction, Run, Variable } from '../program/program.ts';
import { record } from '../program/type.ts';
import { type Context, meaningOf } from './context.ts';
import { checkCondition } from './fitting.ts';
import { modelNamed } from './members.ts';
import { factsWhen } from './narrowing.ts';
import { checkRun } from './runs.ts';
import { type Binding, emptyScope, POSITIONS, type Scope, withFacts } from './scope.ts';

export function checkReactions(
  context: Context,
  declarations: readonly ast.ReactionDeclaration[],
): readonly Reaction[] {
  return declarations.flatMap((declaration) => {
    const model = modelNamed(context, declaration.model, `on ${declaration.event}`);
    return model ? [checkReaction(context, declaration, model)] : [];
  });
}

const BEFORE = 'before';

function checkReaction(context: Context, declaration: ast.ReactionDeclaration, model: Model): Reaction {
  const { event, alias, when: written, runs, head } = declaration;
  const holds = event === 'delete' ? 'deleted' : 'record';
  const variable = (name: string): Variable => ({ name, type: record(model), holds });
  const [own, before] = [variable(alias.text), variable(BEFORE)];
  const isUpdate = event === 'update';
  if (isUpdate && alias.text === BEFORE) context.report('record-called-before', alias.span, {});
  if (runs.length === 0) context.report('empty-reaction', head, {});
  const names = new Map<string, Binding>([
    ...(isUpdate ? [[BEFORE, { kind: 'variable', variable: before, span: alias.span }] as const] : []),
    [alias.text, { kind: 'variable', variable: own, span: alias.span }],
  ]);
  context.witness?.meant(alias.span, meaningOf(alias.text, names.get(alias.text) as Binding));
  const scope: Scope = { ...emptyScope(POSITIONS.reaction), names, isWork: true };
  const when = written && checkCondition(context, written, scope, '`when`');
  const allowed = withFacts(scope, when ? factsWhen(when, true) : []);
  const checked = runs.flatMap((run) => checkRun(context, run, allowed) ?? []);
  if (event === 'delete') for (const run of checked) reportGone(context, run, own);
  return { event, model, record: own, before, when, runs: checked, span: head };
}

/** When the job begins, the record is gone. */
function reportGone(context: Context, { values }: Run, deleted: Variable): void {
  for (const { value, input } of values) {
    const isRecord = value.kind === 'path' && value.root.kind === 'variable' && value.root.variable === deleted;
    if (isRecord && value.steps.length === 0)
      context.report('deleted-record', value.span, { record: deleted.name, input: input.name });
  }
}
