/**
 * One operation: its inputs and outputs on the left, the same as code on the right. Or, in its place, the form to try
 * it.
 */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Parameter } from '../../compiler/emit/openapi/document.ts';
import type { ConsoleAccess } from '../../runtime/console/api/console-options.ts';
import { consoleApi, consoleKey } from '../state/console-api.ts';
import { type Access, type Api, type ApiOperation, accessOf } from '../state/operations.ts';
import { IS_DEVELOPMENT } from '../state/page.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { fieldsOf, type SchemaField } from '../state/schema.ts';
import { apiDocument, createStore, useStore } from '../state/store.ts';
import { exampleDraft, operatorsOf, valueSchemaOf } from '../try/request.ts';
import { SampleTabs, TryPanel } from '../try/try-panel.tsx';
import { Code, CopyButton } from '../ui/code.tsx';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { MethodBadge, Prose } from '../ui/text.tsx';
import { Fields, isError, type OperationProps, Responses, responsesOf } from './fields.tsx';

interface SectionProps {
  readonly api: Api;
  readonly operation: ApiOperation;
  readonly isTried: boolean;
  /** The values of the address, for the form. */
  readonly given: URLSearchParams;
}

export function OperationSection({ api, operation, isTried, given }: SectionProps): JSX.Element {
  const { id, method, path, operation: described } = operation;
  return (
    <section class="operation" id={`operation-${id}`} data-operation={id} aria-labelledby={`title-${id}`}>
      <div class="operation-head spaced">
        <h3 class="line" id={`title-${id}`} tabIndex={-1}>
          {described.summary}
          <a class="anchor icon-button" href={hrefTo('reference', [id])} aria-label={`Link to ${described.summary}`}>
            <Icon name="link" />
          </a>
        </h3>
        <div class="route box line">
          <MethodBadge method={method} />
          <code class="route-path medium grow" data-path={path}>
            <PathText path={path} />
          </code>
          <CopyButton text={path} label="Copy the path" />
          <TryButton id={id} isTried={isTried} />
        </div>
      </div>
      <div class="spaced">
        {described.description && <Prose text={described.description} />}
        <AccessLine operation={operation} />
      </div>
      {isTried ? (
        <TryPanel key={`${id}?${given}`} api={api} operation={operation} given={given} />
      ) : (
        <div class="columns">
          <div class="operation-text">
            <Request operation={operation} document={api.document} />
            <Responses operation={operation} document={api.document} />
          </div>
          <Examples api={api} operation={operation} />
        </div>
      )}
    </section>
  );
}

function TryButton({ id, isTried }: { readonly id: string; readonly isTried: boolean }): JSX.Element {
  return (
    <Button
      class="try-button"
      isSmall
      look={isTried ? 'quiet' : 'primary'}
      icon={isTried ? 'close' : 'send'}
      onClick={() => goTo(hrefTo('reference', [id], isTried ? {} : { try: '1' }))}
    >
      {isTried ? 'Close' : 'Try it'}
    </Button>
  );
}

/** A path with its parameters highlighted. A long path may break behind each slash. */
function PathText({ path }: { readonly path: string }): JSX.Element {
  const parts = path.split('/').slice(1);
  return (
    <>
      {parts.map((part, at) => (
        <span key={`${at}-${part}`}>
          /<wbr />
          {part.startsWith('{') ? <span class="route-value">{part}</span> : part}
        </span>
      ))}
    </>
  );
}

function Examples({ api, operation }: { readonly api: Api; readonly operation: ApiOperation }): JSX.Element {
  const draft = useMemo(() => exampleDraft(operation, api.document), [operation, api]);
  return (
    <div class="operation-code vertical">
      <SampleTabs api={api} operation={operation} draft={draft} />
      <ResponseExamples api={api} operation={operation} />
    </div>
  );
}

function ResponseExamples({ api, operation }: { readonly api: Api; readonly operation: ApiOperation }): JSX.Element {
  const responses = responsesOf(operation, api.document);
  const shown = responses.filter((each) => !isError(each) || each.status === '422');
  const [chosen, setChosen] = useState(shown[0]?.status ?? '');
  const response = responses.find(({ status }) => status === chosen)?.response;
  const [content] = Object.values(response?.content ?? {});
  return (
    <Tabs
      label="Example responses"
      tabs={responses.map(({ status }) => ({ name: status, label: status === 'default' ? 'any' : status }))}
      selected={chosen}
      onSelect={setChosen}
    >
      {content?.example === undefined ? (
        <p class="box padded soft medium">{content ? (response?.description ?? '') : 'The response has no body.'}</p>
      ) : (
        <Code text={JSON.stringify(content.example, null, 2)} language="json" copyLabel="Copy the example response" />
      )}
    </Tabs>
  );
}

// ── Access line ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The callers of an operation. The rule itself is shown in development only.

/** The access rules by `GET /api/post/{post_slug}`. Empty until they are loaded. */
const accessRules = createStore<Readonly<Record<string, ConsoleAccess>>>({});

let isWanted = false;

/** Loads the access rules from now on, and again whenever the sources or the key have changed. */
function wantAccessRules(): void {
  if (isWanted || !IS_DEVELOPMENT) return;
  isWanted = true;
  void load();
  apiDocument.subscribe(() => void load());
  consoleKey.subscribe(() => void load());
}

async function load(): Promise<void> {
  // The reference is still correct without the rules.
  accessRules.set(await consoleApi.json<Readonly<Record<string, ConsoleAccess>>>('access').catch(() => ({})));
}

const WORDS: Readonly<Record<Access, string>> = {
  anyone: 'Anyone may call it.',
  optional: 'Anyone may call it. The response may depend on who is signed in.',
  'signed-in': 'Only callers who are signed in.',
  rule: 'Only callers whom a rule of the application allows.',
  signed: 'Only another service, which signs what it sends.',
};

function AccessLine({ operation }: { readonly operation: ApiOperation }): JSX.Element {
  useEffect(wantAccessRules, []);
  const rules = useStore(accessRules);
  const access = accessOf(operation.operation);
  const known = rules[`${operation.method.toUpperCase()} ${operation.path}`];
  return (
    <div class="access line soft medium">
      <Icon name={access === 'anyone' || access === 'optional' ? 'user' : 'lock'} />
      <div>
        <p>{WORDS[access]}</p>
        {access === 'rule' && known && (
          <p>
            Rule: <code>{known.rule}</code>
          </p>
        )}
        {known && known.records !== null && (
          <p>
            Records: <code>{known.records}</code>
          </p>
        )}
      </div>
    </div>
  );
}

// ── Parameters ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The request: values of the path, of the query, and the body.

function Request({ operation: { operation }, document }: OperationProps): JSX.Element {
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
      {isEmpty && <p class="soft">Nothing is sent.</p>}
      {parts
        .filter(({ fields }) => fields.length > 0)
        .map(({ title, fields }) => (
          <div key={title} class="part spaced">
            <h5>{title}</h5>
            <Fields fields={fields} document={document} isSent />
          </div>
        ))}
    </>
  );
}

/** The field of a parameter. A filter is shown with its operators: `price[gte]`. */
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
