/** The parameters of an operation: those of the path, of the page, and inputs in the query. */
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
    ...pageParameters(endpoint),
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

/** The largest page that the runtime counts to. */
const LAST_PAGE = 1_000_000_000_000;

function pageParameters({ response }: Endpoint): readonly Parameter[] {
  if (response.kind !== 'list' || response.page === null) return [];
  const { pageSize, max } = response.page;
  return [
    pageParameter('page', 'The number of the page, from 1.', { minimum: 1, maximum: LAST_PAGE, default: 1 }),
    pageParameter('pageSize', 'How many records a page has.', { minimum: 1, maximum: max, default: pageSize }),
  ];
}

function pageParameter(name: string, description: string, limits: Schema): Parameter {
  return { name, in: 'query', required: false, description, schema: { type: 'integer', ...limits } };
}
