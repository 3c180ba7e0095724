/** The filter of a query as conditions that all hold, as far as an index could find its records by one of them. */
import type { Collect, Expression, FieldValue, Operation, Step } from '../../compiler/definition/expression.ts';
import type { Catalogue } from '../../compiler/definition/sql/catalogue.ts';
import { mayFindNull } from '../../compiler/definition/sql/expression-sql.ts';
import { isServerOnly } from '../expressions/server-only.ts';

export type FilterCondition =
  /** A field of the records, or of those at the end of a path, that is compared with what the server knows. */
  | { readonly kind: 'equal' | 'range'; readonly path: readonly Step[]; readonly model: string; readonly field: string }
  /** One of several branches holds. */
  | { readonly kind: 'or'; readonly branches: readonly (readonly FilterCondition[])[] }
  /** Anything else: no index of the language serves it. */
  | { readonly kind: 'other' };

const OTHER: FilterCondition = { kind: 'other' };

/** `model` is that of the records. What the server decides by itself leaves out all records or none, and is no condition. */
export function filterConditions(
  filter: Expression | null,
  model: string,
  catalogue: Catalogue,
): readonly FilterCondition[] {
  return filter === null ? [] : conditionsIn(filter, { model, catalogue, isCondition: true });
}

interface Around {
  readonly model: string;
  readonly catalogue: Catalogue;
  /** Whether null is as good as false, as it is in a filter itself but not in a computed value. */
  readonly isCondition: boolean;
}

function conditionsIn(expression: Expression, around: Around): readonly FilterCondition[] {
  if (isServerOnly(expression)) return [];
  switch (expression.kind) {
    case 'truth':
      return around.isCondition ? conditionsIn(expression.value, around) : [OTHER];
    case 'field':
      return [comparison('equal', expression)];
    case 'computed': {
      const { path, model, computed } = expression;
      if (path.length > 0) return [OTHER];
      const { value } = around.catalogue.model(model).computed(computed);
      return conditionsIn(value, { ...around, isCondition: false });
    }
    case 'operation':
      return operationConditions(expression, around);
    default:
      return [OTHER];
  }
}

function operationConditions(operation: Operation, around: Around): readonly FilterCondition[] {
  const { operator, operands } = operation;
  switch (operator) {
    case 'and':
      return operands.flatMap((operand) => conditionsIn(operand, around));
    case 'or':
      // A branch without conditions lets all records through.
      return [{ kind: 'or', branches: operands.map((operand) => orOther(conditionsIn(operand, around))) }];
    case 'not': {
      const [operand] = operands;
      return [operand?.kind === 'field' ? comparison('equal', operand) : OTHER];
    }
    case 'is':
      return [equality(operation, around) ?? OTHER];
    case 'in':
      return [membership(operation, around)];
    case '<':
    case '<=':
    case '>':
    case '>=':
      return [ordered(operation)];
    default:
      return [OTHER];
  }
}

function orOther(conditions: readonly FilterCondition[]): readonly FilterCondition[] {
  return conditions.length === 0 ? [OTHER] : conditions;
}

function comparison(kind: 'equal' | 'range', { path, model, field }: FieldValue): FilterCondition {
  const isSingle = path.every((step) => step.kind === 'reference' || (step.kind === 'relation' && !step.many));
  return isSingle ? { kind, path, model, field } : OTHER;
}

/** The field of a comparison whose other side the server knows. */
function comparedField(operands: readonly Expression[]): FieldValue | undefined {
  const field = operands.find((operand) => operand.kind === 'field');
  return operands.some(isServerOnly) ? field : undefined;
}

/** Two values of which either may be null are not compared by `=`. */
function equality({ operands }: Operation, { isCondition }: Around): FilterCondition | undefined {
  const field = comparedField(operands);
  if (field === undefined) return undefined;
  const isWithNull = operands.some((operand) => operand.kind === 'literal' && operand.value === null);
  if (isWithNull) return field.path.length === 0 ? comparison('range', field) : undefined;
  const present = operands.filter(({ type }) => !type.nullable).length;
  return present >= (isCondition ? 1 : 2) ? comparison('equal', field) : undefined;
}

/** The condition of a membership: several values are a range. In a computed value they are not compared by `= ANY`. */
function membership({ operands }: Operation, { isCondition }: Around): FilterCondition {
  const [left, right] = operands as [Expression, Expression];
  if (right.kind === 'collect' && isServerOnly(left)) return among(right);
  const isAnyOf = isCondition && isServerOnly(right) && !mayFindNull(left, right);
  return isAnyOf && left.kind === 'field' ? comparison('range', left) : OTHER;
}

/** Postgres begins with the records that have the value, and goes from them to those that are filtered. */
function among({ path, value }: Collect): FilterCondition {
  const isWhole = path.every(({ kind }) => kind !== 'query');
  if (!isWhole || value.kind !== 'field' || value.path.length > 0 || value.type.nullable) return OTHER;
  return { kind: 'equal', path, model: value.model, field: value.field };
}

/** Texts are compared by code point, which is not the order of their indexes. */
function ordered({ operands }: Operation): FilterCondition {
  const field = comparedField(operands);
  return field === undefined || field.type.kind === 'string' ? OTHER : comparison('range', field);
}
