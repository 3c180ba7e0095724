/** The form of a request: values of the path and the query, and the body as a form or as JSON. */

import { type ComponentChildren, type JSX, toChildArray } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import type { OpenApiDocument, Parameter } from '../../compiler/emit/openapi/document.ts';
import { successOf } from '../state/console-api.ts';
import { uploaded } from '../state/files.ts';
import type { ApiOperation } from '../state/operations.ts';
import { responseOf, SERVER } from '../state/page.ts';
import { quietly } from '../state/quietly.ts';
import { authorization } from '../state/session.ts';
import { Field, Select } from '../ui/controls.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ObjectFields, type PartProps } from './body-form.tsx';
import { type Draft, filledPath, operatorsOf, type QueryValue, valueSchemaOf } from './request.ts';
import type { FieldErrors } from './response.tsx';
import { ValueField } from './value-field.tsx';

interface TryFormProps {
  readonly operation: ApiOperation;
  readonly document: OpenApiDocument;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly errors: FieldErrors;
}

export function TryForm({ operation, document, draft, onDraft, errors }: TryFormProps): JSX.Element {
  const { parameters = [], requestBody } = operation.operation;
  const paths = parameters.filter((each) => each.in === 'path');
  const queries = parameters.filter((each) => each.in === 'query');
  const schema = requestBody?.content['application/json']?.schema;
  return (
    <>
      <Part title="Path">
        {paths.map((each) => (
          <ValueField
            key={each.name}
            name={each.name}
            schema={{ ...each.schema, ...(each.description ? { description: each.description } : {}) }}
            document={document}
            isRequired
            isOneLine
            description={each.description}
            error={errors[each.name]}
            text={draft.path[each.name] ?? ''}
            onText={(text) => onDraft({ ...draft, path: { ...draft.path, [each.name]: text ?? '' } })}
          />
        ))}
      </Part>
      <Part title="Query">
        {queries.map((each) => (
          <QueryField
            key={each.name}
            parameter={each}
            document={document}
            value={draft.query[each.name] ?? NOTHING}
            onValue={(value) => onDraft({ ...draft, query: { ...draft.query, [each.name]: value } })}
            error={errors[each.name]}
          />
        ))}
      </Part>
      <Part title="Body">
        {schema && (
          <Body
            schema={schema}
            document={document}
            value={draft.body}
            onValue={(body) => onDraft({ ...draft, body })}
            errors={errors}
            upload={(at, file) => uploaded(file, (form) => offerAt(uploadPath(operation, at, document), draft, form))}
          />
        )}
      </Part>
      {paths.length + queries.length === 0 && !schema && <p class="soft">Nothing needs to be filled in.</p>}
    </>
  );
}

/** Asks the API for the address of an upload, which is below that of the request. */
async function offerAt(path: string, draft: Draft, form: object) {
  const url = `${SERVER}${filledPath(path, draft.path)}`;
  const sent = { method: 'POST', headers: authorization(), body: JSON.stringify(form) };
  return (await successOf(await responseOf(url, sent))).json();
}

/** The inputs may be under a name of their own, which is no part of the path. */
function uploadPath({ path }: ApiOperation, at: string, { paths }: OpenApiDocument): string {
  const whole = `${path}/${at}/upload`;
  return whole in paths ? whole : `${path}/${at.slice(at.indexOf('.') + 1)}/upload`;
}

/** A part of the form; nothing if it has no fields. */
function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  if (toChildArray(children).length === 0) return null;
  return (
    <div class="part spaced">
      <h4>{title}</h4>
      <div class="form-fields vertical">{children}</div>
    </div>
  );
}

const NOTHING: QueryValue = { operator: '', text: '' };

interface QueryFieldProps {
  readonly parameter: Parameter;
  readonly document: OpenApiDocument;
  readonly value: QueryValue;
  readonly onValue: (value: QueryValue) => void;
  readonly error: string | undefined;
}

function QueryField({ parameter, document, value, onValue, error }: QueryFieldProps): JSX.Element {
  const { name, required, description } = parameter;
  const operators = Object.keys(operatorsOf(parameter));
  return (
    <ValueField
      name={name}
      schema={value.operator === 'null' ? { type: 'boolean' } : valueSchemaOf(parameter)}
      document={document}
      isRequired={required}
      isOneLine
      description={description}
      error={error}
      text={value.text}
      onText={(text) => onValue({ ...value, text: text ?? '' })}
      extra={
        operators.length === 0 ? null : (
          <Select
            class="operator"
            aria-label={`Operator of ${name}`}
            value={value.operator}
            options={[['', 'is'], ...operators]}
            onChange={(operator) => onValue({ ...value, operator })}
          />
        )
      }
    />
  );
}

type BodyProps = Omit<PartProps, 'at'>;

function Body(props: BodyProps): JSX.Element {
  const [tab, setTab] = useState<'form' | 'json'>('form');
  return (
    <Tabs
      label="Body"
      tabs={[
        { name: 'form', label: 'Form' },
        { name: 'json', label: 'JSON' },
      ]}
      selected={tab}
      onSelect={setTab}
    >
      {tab === 'form' ? <ObjectFields {...props} at="" /> : <JsonBody value={props.value} onValue={props.onValue} />}
    </Tabs>
  );
}

/** The body as JSON text. It is invalid until the text is JSON, and the form is not sent. */
function JsonBody({ value, onValue }: Pick<BodyProps, 'value' | 'onValue'>): JSX.Element {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [error, setError] = useState<string | undefined>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.setCustomValidity(error ?? ''), [error]);
  useEffect(() => {
    const typed: unknown = quietly(() => JSON.parse(text));
    if (typed !== undefined && JSON.stringify(typed) !== JSON.stringify(value)) setText(JSON.stringify(value, null, 2));
  }, [value]);
  const type = (next: string): void => {
    setText(next);
    if (hasInexactNumbers(next)) {
      setError('A number has more digits than JSON keeps. Write it as a text.');
      return;
    }
    try {
      onValue(JSON.parse(next));
      setError(undefined);
    } catch (error) {
      setError(`This is not JSON yet: ${(error as Error).message}`);
    }
  };
  return (
    <Field label="JSON" error={error}>
      {(attributes) => (
        <textarea
          {...attributes}
          ref={area}
          class="json-body is-code"
          rows={Math.min(24, Math.max(6, text.split('\n').length + 1))}
          spellcheck={false}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
