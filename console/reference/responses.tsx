/** What a caller gets: the response of a success with its fields, and every error with its meaning. */
import type { JSX } from 'preact';
import type { OpenApiDocument, Response } from '../../compiler/emit/openapi/document.ts';
import { type ApiOperation, responseIn } from '../state/operations.ts';
import { fieldsOf, resolved } from '../state/schema.ts';
import { StatusBadge } from '../ui/badges.tsx';
import { withCode } from '../ui/text.tsx';
import { Fields } from './fields.tsx';

export interface StatusResponse {
  readonly status: string;
  readonly response: Response;
}

export function responsesOf({ operation }: ApiOperation, document: OpenApiDocument): readonly StatusResponse[] {
  return Object.entries(operation.responses).flatMap(([status, given]) => {
    const response = responseIn(document, given);
    return response === null ? [] : [{ status, response }];
  });
}

export function isError({ status }: StatusResponse): boolean {
  return /^[45]/.test(status);
}

interface Props {
  readonly operation: ApiOperation;
  readonly document: OpenApiDocument;
}

export function Responses({ operation, document }: Props): JSX.Element {
  const responses = responsesOf(operation, document);
  return (
    <>
      <h4>Response</h4>
      {responses
        .filter((each) => !isError(each))
        .map((each) => (
          <Success key={each.status} {...each} document={document} />
        ))}
      <Errors errors={responses.filter(isError)} />
    </>
  );
}

function Success({ status, response, document }: StatusResponse & { readonly document: OpenApiDocument }): JSX.Element {
  const schema = response.content?.['application/json']?.schema;
  const fields = schema ? fieldsOf(schema, document) : [];
  const isList = schema !== undefined && resolved(schema, document).items !== undefined;
  return (
    <div class="part">
      <p class="response-line">
        <StatusBadge status={status === 'default' ? 'any' : status} />
        <span>{withCode(response.description)}</span>
        {isList && <span class="field-type">array</span>}
      </p>
      {fields.length > 0 && <Fields fields={fields} document={document} isSent={false} />}
    </div>
  );
}

function Errors({ errors }: { readonly errors: readonly StatusResponse[] }): JSX.Element | null {
  if (errors.length === 0) return null;
  return (
    <div class="part">
      <h5>Errors</h5>
      <ul class="errors">
        {errors.map(({ status, response }) => (
          <li key={status}>
            <StatusBadge status={status} />
            <div>
              <code>{codeOf(response) ?? 'any code'}</code>
              <p>{withCode(response.description)}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function codeOf({ content }: Response): string | undefined {
  const example = content?.['application/problem+json']?.example as { readonly code?: string } | undefined;
  return example?.code;
}
