/** Inputs and outputs, a line each: name, type, what a value must be, and what it means. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';
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
import { Prose } from '../ui/text.tsx';

interface FieldsProps {
  readonly fields: readonly SchemaField[];
  readonly document: OpenApiDocument;
  /** What is sent says what is required; of what is given everything is there. */
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

interface FieldItemProps {
  readonly field: SchemaField & { readonly description?: string | undefined };
  readonly document: OpenApiDocument;
  readonly isSent: boolean;
}

function FieldItem({ field: { name, schema, isRequired }, document, isSent }: FieldItemProps): JSX.Element {
  const known = resolved(schema, document);
  const inner = fieldsOf(known, document);
  return (
    <li class="field-item">
      <div class="field-line">
        <code class="field-name">{name}</code>
        <span class="field-type">{typeLabel(schema, document)}</span>
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
  const hasDefault = isSent && schema.default !== undefined;
  if (values.length === 0 && words.length === 0 && pattern === undefined && !hasDefault) return null;
  return (
    <dl class="constraints">
      {hasDefault && (
        <div>
          <dt>Default</dt>
          <dd>
            <code>{JSON.stringify(schema.default)}</code>
          </dd>
        </div>
      )}
      {words.length > 0 && (
        <div>
          <dt>Must be</dt>
          <dd>{words.join(', ')}</dd>
        </div>
      )}
      {pattern !== undefined && (
        <div>
          <dt>Pattern</dt>
          <dd>
            <code>{pattern}</code>
          </dd>
        </div>
      )}
      {values.length > 0 && (
        <div>
          <dt>One of</dt>
          <dd class="values">
            {values.map((value) => (
              <code key={value}>{value}</code>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Drawn when it is opened: a schema may contain itself. */
function Inner({ name, ...fields }: FieldsProps & { readonly name: string }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="inner" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {fields.fields.length} {fields.fields.length === 1 ? 'field' : 'fields'} of <code>{name}</code>
      </summary>
      {isOpen && <Fields {...fields} />}
    </details>
  );
}
