/** The filters of a list: `price[gte]=10` in the query string. The server reads them by this, and the document shows them. */
import type { ListField } from './endpoint.ts';
import type { Type } from './expression.ts';
import { hasTrait } from './scalars.ts';

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

const FILTER_OPERATORS = ['gt', 'gte', 'lt', 'lte', 'ne', 'contains', 'prefix', 'null'] as const;

export function operatorsOf(type: Type): readonly FilterOperator[] {
  return FILTER_OPERATORS.filter((operator) => hasOperator(type, operator));
}

function hasOperator({ kind, nullable }: Type, operator: FilterOperator): boolean {
  switch (operator) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return hasTrait(kind, 'ordered');
    case 'ne':
      return true;
    case 'contains':
    case 'prefix':
      return kind === 'string';
    case 'null':
      return nullable === true;
  }
}

/** A parameter of the query string: a field by itself, or with an operator. */
export interface FilterParameter {
  /** `price` or `price[gte]`. */
  readonly name: string;
  readonly field: ListField;
  /** `eq` for a field by itself. */
  readonly operator: FilterOperator | 'eq';
  /** The type of the values that it takes. */
  readonly type: Type;
  /** Whether it may occur several times: any of the values match, or none of them with `ne`. */
  readonly takesSeveral: boolean;
}

/** The parameters of a field: first by itself, then with each of its operators. */
export function filterParameters(field: ListField): readonly [FilterParameter, ...FilterParameter[]] {
  const { name, value } = field;
  const { nullable: _, ...type } = value.type;
  return [
    { name, field, operator: 'eq', type, takesSeveral: true },
    ...operatorsOf(value.type).map((operator) => ({
      name: `${name}[${operator}]`,
      field,
      operator,
      type: operator === 'null' ? BOOLEAN : type,
      takesSeveral: operator === 'ne',
    })),
  ];
}

const BOOLEAN: Type = { kind: 'boolean' };
