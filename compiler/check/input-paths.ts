/** `@input.n` is the input `n`, also where a member or an alias has the same name. */
import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { EndpointKind, Expression } from '../program/program.ts';
import { type Context, meaningOf, namesOf, reported } from './context.ts';
import { walkFrom } from './paths.ts';
import { type InputBinding, isInputBinding, type Scope } from './scope.ts';

export function checkInputPath(context: Context, path: ast.InputPath, scope: Scope): Expression {
  const { span } = path;
  const [first, ...rest] = path.steps;
  const inputs = inputsIn(scope);
  const others = [...inputs.keys()];
  if (!first) return context.report('input-without-name', span, { others }) ?? reported(span);
  const binding = inputs.get(first.text);
  if (binding) {
    context.witness?.meant(first.span, meaningOf(first.text, binding));
    return walkFrom(context, binding, rest, span, scope);
  }
  context.witness?.missed?.(first.span, scope, undefined);
  const near = nearName(first.text, namesOf(inputs));
  context.report('unknown-input', first.span, { name: first.text, noun: scope.position.noun, near, others });
  return reported(span);
}

/** What is reported once all inputs are known. */
export type Held = (end: Scope) => void;

/**
 * Holds back what is reported of unknown inputs until all inputs of the endpoint are known: they may be read too early.
 * `by` is the action that takes them; undefined in an `authorize`.
 */
export function holdingUnknown(context: Context, kind: EndpointKind, held: Held[], by?: EndpointKind): Context {
  const report: Context['report'] = (code, span, facts) => {
    if (code !== 'unknown-input' && code !== 'unknown-name') return context.report(code, span, facts);
    const { name } = facts as { readonly name: string };
    held.push((end) => {
      const found = (by ? end.ownInputs : inputsIn(end)).get(name);
      // The bare name of a field may rather be the member of a record.
      const isField = found?.kind === 'input' && found.input.field !== undefined && kind !== 'create';
      if (!found || (isField && code === 'unknown-name')) context.report(code, span, facts);
      else context.report('input-too-early', span, { input: name, by });
    });
  };
  return { ...context, report };
}

/** The inputs by name: those of the endpoint's own action and the extra ones, which keys of groups may hide. */
export function inputsIn(scope: Pick<Scope, 'names' | 'ownInputs' | 'grouped'>): ReadonlyMap<string, InputBinding> {
  const { names, ownInputs } = scope.grouped?.row ?? scope;
  return new Map([...ownInputs, ...names].flatMap(([name, each]) => (isInputBinding(each) ? [[name, each]] : [])));
}

/**
 * The scope for expressions. If one says `@input.n`, a bare `n` in it is the member, because the author has told the
 * two apart.
 */
export function sayingInputs(scope: Scope, ...expressions: readonly (ast.Expression | undefined)[]): Scope {
  const said = saidInputsOf(...expressions);
  return said.length === 0 ? scope : { ...scope, saidInputs: new Set(said) };
}

/** The inputs that are called `@input.n`. */
export function saidInputsOf(...expressions: readonly (ast.Expression | undefined)[]): readonly string[] {
  return expressions.flatMap((expression) => (expression ? saidIn(expression) : []));
}

function saidIn(expression: ast.Expression): readonly string[] {
  switch (expression.kind) {
    case 'input':
      return expression.steps.slice(0, 1).map(({ text }) => text);
    case 'binary':
      return [...saidIn(expression.left), ...saidIn(expression.right)];
    case 'unary':
      return saidIn(expression.operand);
    case 'call':
      return expression.arguments.flatMap(saidIn);
    case 'list':
      return expression.items.flatMap(saidIn);
    default:
      return [];
  }
}
