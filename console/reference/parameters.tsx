/** What a caller sends: values of the path, of the query, and the body. */
import type { JSX } from 'preact';
import type { OpenApiDocument, Parameter } from '../../compiler/emit/openapi/document.ts';
import type { ApiOperation } from '../state/operations.ts';
import { fieldsOf, type SchemaField } from '../state/schema.ts';
import { operatorsOf, valueSchemaOf } from '../try/request.ts';
import { Fields } from './fields.tsx';

interface Props {
  readonly operation: ApiOperation;
  readonly document: OpenApiDocument;
}

export function Request({ operation: { operation }, document }: Props): JSX.Element {
  const { parameters = [], requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const parts = [
    { title: 'Path', fields: parameters.filter((each) => each.in === 'path').map(fieldFrom) },
    { title: 'Query', fields: parameters.filter((each) => each.in === 'query').map(fieldFrom) },
    { title: 'Body', fields: body ? fieldsOf(body, document) : [] },
  ];
  const isEmpty = parts.every(({ fields }) => fields.length === 0);
  return (
    <>
      <h4>Request</h4>
      {isEmpty && <p class="quiet">Nothing is sent.</p>}
      {parts
        .filter(({ fields }) => fields.length > 0)
        .map(({ title, fields }) => (
          <div key={title} class="part">
            <h5>{title}</h5>
            <Fields fields={fields} document={document} isSent />
          </div>
        ))}
    </>
  );
}

/** A filter is told with its operators: `price[gte]`. */
function fieldFrom(parameter: Parameter): SchemaField {
  const { name, required, description } = parameter;
  const operators = Object.keys(operatorsOf(parameter));
  const words = [
    description ?? '',
    operators.length === 0 ? '' : `With an operator: ${operators.map((each) => `\`${name}[${each}]\``).join(', ')}.`,
  ];
  const text = words.filter((part) => part !== '').join('\n\n');
  return {
    name,
    schema: { ...valueSchemaOf(parameter), ...(text === '' ? {} : { description: text }) },
    isRequired: required,
  };
}
