/**
 * Inputs and outputs, a line each: name, type, constraints and meaning. Then responses, and errors with their meaning.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OpenApiDocument, Response, Schema } from '../../compiler/emit/openapi/document.ts';
import { type ApiOperation, responseIn } from '../state/operations.ts';
import {
  constraintsOf,
  enumValues,
  fieldsOf,
  isNullable,
  patternOf,
  resolved,
  type SchemaField,
  typeLabel,
} from '../state/schema.ts';
import { counted, Prose, StatusBadge, withCode } from '../ui/text.tsx';

interface FieldsProps {
  readonly fields: readonly SchemaField[];
  readonly document: OpenApiDocument;
  /** Whether the fields are sent. Required ones are marked then; in a response every field is always there. */
  readonly isSent: boolean;
}

export function Fields({ fields, document, isSent }: FieldsProps): JSX.Element {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <FieldItem key={field.name} field={field} document={document} isSent={isSent} />
      ))}
    </ul>
  );
}

interface FieldItemProps extends Omit<FieldsProps, 'fields'> {
  readonly field: SchemaField;
}

function FieldItem({ field: { name, schema, isRequired }, document, isSent }: FieldItemProps): JSX.Element {
  const known = resolved(schema, document);
  const inner = fieldsOf(known, document);
  return (
    <li class="field-item">
      <div class="field-line row">
        <code class="field-name">{name}</code>
        <span class="soft small">{typeLabel(schema, document)}</span>
        {isNullable(known) && <span class="note">nullable</span>}
        {isSent && isRequired && <span class="note is-required">required</span>}
        {known.writeOnly && <span class="note">never returned</span>}
      </div>
      {known.description && <Prose text={known.description} />}
      <Constraints schema={known} isSent={isSent} />
      {inner.length > 0 && <Inner name={name} fields={inner} document={document} isSent={isSent} />}
    </li>
  );
}

function Constraints({ schema, isSent }: { readonly schema: Schema; readonly isSent: boolean }): JSX.Element | null {
  const of = schema.items && !schema.properties ? schema.items : schema;
  const values = enumValues(of);
  const words = isSent ? [...new Set([...constraintsOf(schema), ...constraintsOf(of)])] : [];
  const pattern = isSent ? patternOf(of) : undefined;
  const rows: readonly (readonly [name: string, shown: ComponentChildren])[] = [
    ['Default', isSent && schema.default !== undefined && <code>{JSON.stringify(schema.default)}</code>],
    ['Must be', words.join(', ')],
    ['Pattern', pattern !== undefined && <code>{pattern}</code>],
    ['One of', values.length > 0 && values.map((value) => <code key={value}>{value}</code>)],
  ];
  const told = rows.filter(([, shown]) => shown);
  if (told.length === 0) return null;
  return (
    <dl class="constraints small">
      {told.map(([name, shown]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={Array.isArray(shown) ? 'words' : ''}>{shown}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The fields of an object, drawn when it is opened: a schema may contain itself. */
function Inner({ name, ...fields }: FieldsProps & { readonly name: string }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="inner" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {counted(fields.fields.length, 'field')} of <code>{name}</code>
      </summary>
      {isOpen && <Fields {...fields} />}
    </details>
  );
}

// ── Responses ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The responses: that of a success with its fields, and every error with its meaning.

interface StatusResponse {
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

export interface OperationProps {
  readonly operation: ApiOperation;
  readonly document: OpenApiDocument;
}

export function Responses({ operation, document }: OperationProps): JSX.Element {
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
    <div class="part spaced">
      <p class="field-line row spaced">
        <StatusBadge status={status === 'default' ? 'any' : status} />
        <span>{withCode(response.description)}</span>
        {isList && <span class="soft small">array</span>}
      </p>
      {fields.length > 0 && <Fields fields={fields} document={document} isSent={false} />}
    </div>
  );
}

function Errors({ errors }: { readonly errors: readonly StatusResponse[] }): JSX.Element | null {
  if (errors.length === 0) return null;
  return (
    <div class="part spaced">
      <h5>Errors</h5>
      <ul class="errors medium">
        {errors.map(({ status, response }) => (
          <li key={status}>
            <StatusBadge status={status} />
            <div>
              <code>{codeOf(response) ?? 'any code'}</code>
              <p class="soft">{withCode(response.description)}</p>
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
