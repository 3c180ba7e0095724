/** The parameters of an operation: those of the path, of a list, and inputs in the query. */
import { listParameters } from '../../definition/contract/list-parameters.ts';
import { LONGEST_PART } from '../../definition/contract/text-forms.ts';
import type { Endpoint, Identify, ListField } from '../../definition/definition.ts';
import { type FilterOperator, filterParameters } from '../../definition/list-filters.ts';
import type { ComponentSchemas } from './components.ts';
import type { Parameter, Schema } from './document.ts';
import { exampleOf } from './examples.ts';
import { queryParameters } from './inputs.ts';
import { fieldIn } from './lookup.ts';
import { described, listOf, writeSchema } from './type-schemas.ts';

export function parametersOf(endpoint: Endpoint, components: ComponentSchemas): readonly Parameter[] {
  const { request, records } = endpoint;
  const identifiers = records.flatMap(({ identify }) => (identify ? [identify] : []));
  const inputs = request.from === 'query' ? request.inputs : [];
  return [
    ...identifiers.map((identify) => pathParameter(identify, components)),
    ...listParametersOf(endpoint),
    ...filtersOf(endpoint, components),
    ...queryParameters(inputs, components, components.resolve),
  ];
}

function pathParameter(identify: Identify, components: ComponentSchemas): Parameter {
  const { parameter, model, field, type } = identify;
  const known = fieldIn(components.definition, model, field);
  const written = writeSchema(type, components.enumRef);
  const schema: Schema = type.kind === 'string' ? { ...written, minLength: 1 } : written;
  const example = exampleOf(schema, components.resolve, field);
  return {
    name: parameter,
    in: 'path',
    required: true,
    description: described({}, `The \`${field}\` of \`${model}\`.`, known?.doc).description ?? '',
    schema,
    ...(example === null ? {} : { example: example.value }),
  };
}

function listParametersOf({ response }: Endpoint): readonly Parameter[] {
  const parameters = response.kind === 'list' ? Object.entries(listParameters(response)) : [];
  return parameters.map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...(schema.type === 'array' ? { style: 'form' as const, explode: false } : {}),
    schema,
  }));
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function filtersOf({ response }: Endpoint, components: ComponentSchemas): readonly Parameter[] {
  const fields = response.kind === 'list' ? (response.filterable ?? []) : [];
  return fields.map((field) => filterOf(field, components));
}

/** A value, several of which any may be meant, or an object of operators: `price[gte]=10`. */
function filterOf(field: ListField, components: ComponentSchemas): Parameter {
  const { model, field: own } = field.value;
  const known = fieldIn(components.definition, model, own);
  const [equal, ...operators] = filterParameters(field);
  const value = writeSchema(equal.type, components.enumRef);
  const properties = operators.map(({ operator, type: each, takesSeveral }) => {
    const isPart = operator === 'contains' || operator === 'prefix';
    const schema = { ...writeSchema(each, components.enumRef), ...(isPart && { maxLength: LONGEST_PART }) };
    return [operator, described(takesSeveral ? anyOf(schema) : schema, OPERATOR_WORDS[operator as FilterOperator])];
  });
  return {
    name: field.name,
    in: 'query',
    required: false,
    description:
      described({}, `Only records with this \`${field.name}\`. Repeat it to match any of several values.`, known?.doc)
        .description ?? '',
    style: 'deepObject',
    explode: true,
    schema: {
      anyOf: [value, listOf(value), { type: 'object', properties: Object.fromEntries(properties) }],
    },
  };
}

function anyOf(schema: Schema): Schema {
  return { anyOf: [schema, listOf(schema)] };
}

const OPERATOR_WORDS: Readonly<Record<FilterOperator, string>> = {
  gt: 'Greater than this.',
  gte: 'This or greater.',
  lt: 'Less than this.',
  lte: 'This or less.',
  ne: 'Not equal to this. Repeat it to exclude several values.',
  contains: 'Contains this text. Case is ignored.',
  prefix: 'Starts with this text. Case is ignored.',
  null: 'Whether the value is null.',
};
