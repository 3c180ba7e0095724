/** The body as a form, from its schema: a control for each field, and fieldsets for objects and lists inside. */
import type { ComponentChildren, JSX } from 'preact';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';
import { fieldsOf, plainType, resolved } from '../state/schema.ts';
import { Button, IconButton } from '../ui/controls.tsx';
import { textFrom, valueFrom } from './request.ts';
import type { FieldErrors } from './response.tsx';
import { ValueField } from './value-field.tsx';

export interface PartProps {
  readonly schema: Schema;
  readonly document: OpenApiDocument;
  /** The value; undefined if it is not sent. */
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  /** Its place in the request, with dots; empty for the body itself. */
  readonly at: string;
  readonly errors: FieldErrors;
  /** Sends the file of the input at this place. */
  readonly upload: (at: string, file: File) => Promise<string>;
}

export function ObjectFields({ schema, document, value, onValue, at, errors, upload }: PartProps): JSX.Element {
  const object = isObject(value) ? value : {};
  return (
    <div class="form-fields vertical">
      {fieldsOf(schema, document).map(({ name, schema: inner, isRequired }) => (
        <Part
          key={name}
          name={name}
          isRequired={isRequired}
          schema={inner}
          document={document}
          value={object[name]}
          onValue={(next) => onValue(withField(object, name, next))}
          at={at === '' ? name : `${at}.${name}`}
          errors={errors}
          upload={upload}
        />
      ))}
    </div>
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withField(object: Readonly<Record<string, unknown>>, name: string, next: unknown) {
  const { [name]: _, ...others } = object;
  return next === undefined ? others : { ...object, [name]: next };
}

interface NamedPartProps extends PartProps {
  readonly name: string;
  readonly isRequired: boolean;
}

function Part(props: NamedPartProps): JSX.Element {
  const { name, isRequired, schema, document, value, onValue, at, errors, upload } = props;
  const known = resolved(schema, document);
  const type = plainType(known);
  if (type === 'object' && fieldsOf(known, document).length > 0) return <ObjectPart {...props} schema={known} />;
  if (type === 'array') return <ListPart {...props} schema={known} />;
  return (
    <ValueField
      name={name}
      schema={schema}
      document={document}
      isRequired={isRequired}
      description={known.description}
      error={errors[at]}
      text={textFrom(value)}
      onText={(text) => onValue(valueFrom(text, type))}
      upload={(file) => upload(at, file)}
    />
  );
}

interface GroupProps extends NamedPartProps {
  readonly type?: string;
  readonly children: ComponentChildren;
}

function Group({ name, isRequired, at, errors, type, children }: GroupProps): JSX.Element {
  return (
    <fieldset class="form-group box padded vertical">
      <legend>
        <code>{name}</code>
        {type && <span class="soft small">{type}</span>}
        {isRequired && <span class="note is-required">required</span>}
      </legend>
      {errors[at] && <p class="field-error">{errors[at]}</p>}
      {children}
    </fieldset>
  );
}

function ObjectPart(props: NamedPartProps): JSX.Element {
  const { name, isRequired, value, onValue } = props;
  return (
    <Group {...props}>
      {value === undefined || value === null ? (
        <Button isSmall icon="plus" onClick={() => onValue({})}>
          Add {name}
        </Button>
      ) : (
        <>
          <ObjectFields {...props} />
          {!isRequired && (
            <Button isSmall icon="minus" onClick={() => onValue(undefined)}>
              Remove {name}
            </Button>
          )}
        </>
      )}
    </Group>
  );
}

function ListPart(props: NamedPartProps): JSX.Element {
  const { name, isRequired, schema, document, value, onValue, at } = props;
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const inner = schema.items ?? {};
  const isOfObjects = plainType(resolved(inner, document)) === 'object';
  return (
    <Group {...props} type="list">
      {items.map((item, index) => (
        // An item has no name of its own: it is told by its place.
        <div key={`${at}.${index}`} class="form-item line">
          <div class="grow">
            <Part
              {...props}
              name={`${name} ${index + 1}`}
              isRequired
              schema={inner}
              value={item}
              at={`${at}.${index}`}
              onValue={(next) => onValue(items.map((each, other) => (other === index ? next : each)))}
            />
          </div>
          <IconButton
            icon="close"
            label={`Remove ${name} ${index + 1}`}
            onClick={() => onValue(items.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <Button isSmall icon="plus" onClick={() => onValue([...items, isOfObjects ? {} : ''])}>
        Add to {name}
      </Button>
      {items.length > 0 && !isRequired && (
        <Button isSmall icon="minus" onClick={() => onValue(undefined)}>
          Do not send {name}
        </Button>
      )}
    </Group>
  );
}
