/** One value that is typed: a parameter, or a field of the body that is no object and no list. */
import type { JSX } from 'preact';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';
import { constraintsOf, enumValues, isNullable, namedBy, plainType, resolved, typeLabel } from '../state/schema.ts';
import { CheckBox, Field, type FieldAttributes } from '../ui/controls.tsx';
import { withCode } from '../ui/text.tsx';
import { ValueControl, type ValueKind } from '../ui/value-control.tsx';

export interface ValueFieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly document: OpenApiDocument;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  /** The text; null for JSON's `null`, empty if nothing is sent. */
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
  /** Whether the value has one line, like everything in an address. */
  readonly isOneLine?: boolean;
  /** Sends a file of this input, and returns what the request takes. */
  readonly upload?: ((file: File) => Promise<string>) | undefined;
  /** An element beside the name, such as the operator of a filter. */
  readonly extra?: JSX.Element | null;
}

export function ValueField(props: ValueFieldProps): JSX.Element {
  const { name, schema, document, isRequired, description, error, text, onText, extra } = props;
  const known = resolved(schema, document);
  const words = constraintsOf(known);
  return (
    <Field
      label={<code>{name}</code>}
      marks={
        <>
          <span class="soft small">{typeLabel(schema, document)}</span>
          {words.length > 0 && <span class="soft small">{words.join(', ')}</span>}
          {isRequired && <span class="note is-required">required</span>}
          {isNullable(known) && (
            <CheckBox
              label={`${name} is null`}
              text="null"
              isOn={text === null}
              onChange={(isOn) => onText(isOn ? null : '')}
            />
          )}
          {extra}
        </>
      }
      help={description ? withCode(description.split('\n\n')[0] ?? description) : undefined}
      error={error}
    >
      {(attributes) => <Control {...props} schema={known} attributes={attributes} />}
    </Field>
  );
}

function Control(props: ValueFieldProps & { readonly attributes: FieldAttributes }): JSX.Element {
  const { schema, document, isRequired, text, onText, attributes, upload } = props;
  const values = plainType(schema) === 'boolean' ? ['true', 'false'] : enumValues(schema);
  return (
    <ValueControl
      kind={kindOf(props)}
      value={text ?? ''}
      onInput={onText}
      choices={values.length === 0 ? [] : [['', isRequired ? 'Choose …' : 'Not sent'], ...values]}
      names={namedBy(schema.description)}
      upload={upload}
      attributes={attributes}
      placeholder={placeholderOf(schema, document)}
      disabled={text === null}
    />
  );
}

function kindOf({ name, schema, isOneLine }: ValueFieldProps): ValueKind {
  if (schema['x-kiln-upload']) return 'file';
  if (schema.format === 'date-time') return 'timestamp';
  if (schema.format === 'date') return 'date';
  if (schema.writeOnly || schema.format === 'password') return 'secret';
  return !isOneLine && isLong(name, schema) ? 'lines' : 'text';
}

/** The placeholder: the default, or an example of a value. */
function placeholderOf(schema: Schema, document: OpenApiDocument): string {
  if (schema.default !== undefined && schema.default !== '') return `default: ${JSON.stringify(schema.default)}`;
  if (schema.format === 'date-time') return '2026-03-29T12:30:00Z';
  if (plainType(schema) === 'any') return 'JSON, as {"a": 1}';
  const values = schema.items ? enumValues(resolved(schema.items, document)) : [];
  return values.length > 0 ? `several with commas: ${values.slice(0, 2).join(',')}` : '';
}

/** Whether the texts are usually sentences, which need more space. */
function isLong(name: string, schema: Schema): boolean {
  if (plainType(schema) !== 'string' || schema.format !== undefined || schema.pattern !== undefined) return false;
  const { maxLength } = schema;
  return maxLength === undefined ? /body|text|description|content|note|message/i.test(name) : maxLength >= 400;
}
