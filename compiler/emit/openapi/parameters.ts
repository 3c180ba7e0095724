/** The parameters of an operation: those of the path, of a list, and inputs in the query. */
import { listParameters } from '../../definition/contract/list-parameters.ts';
import type { Endpoint, Identify } from '../../definition/definition.ts';
import type { ComponentSchemas } from './components.ts';
import type { Parameter, Schema } from './document.ts';
import { exampleOf } from './examples.ts';
import { queryParameters } from './inputs.ts';
import { fieldIn } from './lookup.ts';
import { described, writeSchema } from './type-schemas.ts';

export function parametersOf(endpoint: Endpoint, components: ComponentSchemas): readonly Parameter[] {
  const { request, records } = endpoint;
  const identifiers = records.flatMap(({ identify }) => (identify ? [identify] : []));
  const inputs = request.from === 'query' ? request.inputs : [];
  return [
    ...identifiers.map((identify) => pathParameter(identify, components)),
    ...listParametersOf(endpoint),
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
