/** Facts that a condition tells about null: after `x is not null and …`, `x` is not null. */
import { isNull } from '../program/parts.ts';
import type { Expression, Operation, Path, Root, Type } from '../program/program.ts';
import { isListValue, isOfCaller, nonNull } from '../program/type.ts';

/** The paths that cannot be null when the condition has come out as `outcome`. */
export function factsWhen(condition: Expression, outcome: boolean): readonly string[] {
  if (condition.kind === 'path') return outcome ? factsOf(condition) : [];
  if (condition.kind !== 'operation') return [];
  return factsOfOperation(condition, outcome);
}

function factsOfOperation(operation: Operation, outcome: boolean): readonly string[] {
  const [left, right] = operation.operands as [Expression, Expression];
  switch (operation.operator) {
    case 'not':
      return factsWhen(left, !outcome);
    case 'and':
      return outcome ? both(left, right, true) : either(left, right, false);
    case 'or':
      return outcome ? either(left, right, true) : both(left, right, false);
    case 'is':
      return outcome ? factsOfEqual(left, right) : factsOfUnequal(left, right);
    case 'is not':
      return outcome ? factsOfUnequal(left, right) : factsOfEqual(left, right);
    case 'in':
      return outcome ? [...authFacts(left), ...authFacts(right)] : [];
    case 'not in':
      return outcome ? [] : authFacts(left);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return outcome ? [...factsOf(left), ...factsOf(right)] : [];
    default:
      return [];
  }
}

function both(left: Expression, right: Expression, outcome: boolean): readonly string[] {
  return [...factsWhen(left, outcome), ...factsWhen(right, outcome)];
}

function either(left: Expression, right: Expression, outcome: boolean): readonly string[] {
  const others = new Set(factsWhen(right, outcome));
  return factsWhen(left, outcome).filter((fact) => others.has(fact));
}

/**
 * The facts of an equality with something that is not null. When nobody is signed in, `@auth` and paths from it equal
 * nothing.
 */
function factsOfEqual(left: Expression, right: Expression): readonly string[] {
  if (isNull(left) || isNull(right)) return [];
  const facts = [...authFacts(left), ...authFacts(right)];
  if (!left.type.nullable) facts.push(...factsOf(right));
  if (!right.type.nullable) facts.push(...factsOf(left));
  return facts;
}

function factsOfUnequal(left: Expression, right: Expression): readonly string[] {
  if (isNull(left)) return factsOf(right);
  if (isNull(right)) return factsOf(left);
  return [];
}

function authFacts(expression: Expression): readonly string[] {
  return expression.kind === 'path' && isOfCaller(expression.root) ? ['@auth'] : [];
}

/** The facts of a path that is not null: no step of it is null. */
function factsOf(expression: Expression): readonly string[] {
  if (expression.type.many && !isListValue(expression)) return [];
  if (expression.kind === 'member') return [...factsOf(expression.of), valueKey(expression)];
  return expression.kind === 'path' ? prefixKeys(expression) : [];
}

/** The key under which a value is known not to be null; empty for one that has none. */
export function valueKey(value: Expression): string {
  if (value.kind === 'member') return `${valueKey(value.of)}.${value.name}`;
  return value.kind === 'path' ? (prefixKeys(value).at(-1) as string) : '';
}

export function narrowed(type: Type, key: string, { facts }: { readonly facts: ReadonlySet<string> }): Type {
  return facts.has(key) ? nonNull(type) : type;
}

function prefixKeys(path: Path): readonly string[] {
  let key = rootKey(path.root);
  const keys = [key];
  for (const step of path.steps) {
    key = `${key}.${step.name}`;
    keys.push(key);
  }
  return keys;
}

export function rootKey(root: Root): string {
  switch (root.kind) {
    case 'row':
      return '';
    case 'variable':
      return root.variable.name;
    case 'auth':
      return '@auth';
    case 'input':
      return `input ${root.input.path.join('.')}`;
    case 'request':
      return `${root.from} ${root.path.join('.')}`;
    case 'setting':
      return `setting ${root.name}`;
    case 'argument':
      return root.name;
    case 'key':
      return `key ${root.name}`;
    case 'iterator':
      return `${root.name} ${root.value}`;
  }
}
