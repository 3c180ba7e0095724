/** One value that is typed: a parameter, or a field of the body that is no object and no list. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';
import { constraintsOf, enumValues, isNullable, plainType, resolved, typeLabel } from '../state/schema.ts';
import { Field, type FieldAttributes, NullBox, Select, SuggestingInput, type Suggestion } from '../ui/field.tsx';
import { withCode } from '../ui/text.tsx';
import { suggestionsFor } from './known-records.ts';
import { namedBy } from './request.ts';

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
          {isNullable(known) && <NullBox name={name} isNull={text === null} onChange={onText} />}
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
  const { name, schema, document, isRequired, isOneLine, text, onText, attributes } = props;
  const values = plainType(schema) === 'boolean' ? ['true', 'false'] : enumValues(schema);
  const suggestions = useSuggestions(schema.description);
  const shared = { ...attributes, value: text ?? '', disabled: text === null };
  if (values.length > 0) {
    const options = [['', isRequired ? 'Choose …' : 'Not sent'] as const, ...values];
    return <Select {...shared} options={options} onChange={onText} />;
  }
  const typed = {
    ...shared,
    placeholder: placeholderOf(schema, document),
    onInput: (event: { currentTarget: EventTarget }) => onText((event.currentTarget as HTMLInputElement).value),
  };
  if (!isOneLine && isLong(name, schema)) return <textarea {...typed} rows={3} />;
  if (schema.writeOnly || schema.format === 'password')
    return <input {...typed} type="password" autocomplete="new-password" spellcheck={false} />;
  return <SuggestingInput {...typed} suggestions={suggestions} />;
}

/** The placeholder: the default, or an example of a value. */
function placeholderOf(schema: Schema, document: OpenApiDocument): string {
  if (schema.default !== undefined && schema.default !== '') return `default: ${JSON.stringify(schema.default)}`;
  if (schema.format === 'date-time') return '2026-03-29T12:30:00Z';
  if (schema.format === 'date') return '2026-03-29';
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

function useSuggestions(description: string | undefined): readonly Suggestion[] {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    const named = namedBy(description);
    // The value is typed if there are no suggestions.
    if (named) suggestionsFor(named).then(setFound, () => undefined);
  }, [description]);
  return found;
}
