/** An endpoint as an operation: its parameters, its body, and every answer that can come. */
import type { Endpoint } from '../../definition/definition.ts';
import { answersOf, jsonContent, type StatusAnswer } from './answers.ts';
import type { ComponentSchemas } from './components.ts';
import type { Operation, RequestBody, Response, Responses } from './document.ts';
import { type Group, localName } from './groups.ts';
import { wordsFrom } from './names.ts';
import { parametersOf } from './parameters.ts';
import { REFUSALS, type Refusal } from './problems.ts';
import { refusalsOf } from './refusals.ts';
import { securityOf } from './security.ts';

export function operationOf(
  endpoint: Endpoint,
  group: Group,
  operationId: string,
  components: ComponentSchemas,
): Operation {
  const { definition } = components;
  const security = securityOf(endpoint, definition);
  const parameters = parametersOf(endpoint, components);
  const requestBody = requestBodyOf(endpoint, components);
  return {
    operationId,
    ...wordsOf(endpoint, group),
    tags: [group.id],
    ...(security === undefined ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === null ? {} : { requestBody }),
    responses: responsesOf(answersOf(endpoint, components), refusalsOf(endpoint, definition)),
  };
}

/** An empty body is an object without properties, so that it may be left out where nothing is required. */
function requestBodyOf(endpoint: Endpoint, components: ComponentSchemas): RequestBody | null {
  const { from, inputs } = endpoint.request;
  if (from !== 'body' || inputs.length === 0) return null;
  const required = inputs.some((input) => input.required);
  return { required, content: jsonContent(components.inputRef(endpoint), components) };
}

export function responsesOf(answers: readonly StatusAnswer[], refusals: readonly Refusal[]): Responses {
  const refused = refusals.map((refusal) => [REFUSALS[refusal].status, refusalRef(refusal)] as const);
  const answered = answers.map(({ status, response }) => {
    const same = refusals.find((refusal) => REFUSALS[refusal].status === status);
    return [status, same === undefined ? response : eitherOf(response, REFUSALS[same].response)] as const;
  });
  const own = new Set(answers.map(({ status }) => status));
  return Object.fromEntries([...answered, ...refused.filter(([status]) => !own.has(status))]);
}

function refusalRef(refusal: Refusal): { readonly $ref: string } {
  return { $ref: `#/components/responses/${refusal}` };
}

/** Where an endpoint answers with a status of refusals, the type of the content tells which of the two it is. */
function eitherOf(own: Response, refusal: Response): Response {
  return {
    description: `${own.description} Or: ${refusal.description}`,
    headers: { ...refusal.headers, ...own.headers },
    content: { ...own.content, ...refusal.content },
  };
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Words = Pick<Operation, 'summary' | 'description'>;

const LONGEST_SUMMARY = 90;

/** A short documentation is the summary itself. */
function wordsOf(endpoint: Endpoint, group: Group): Words {
  const { doc } = endpoint;
  if (doc === null) return { summary: summaryOf(endpoint, group) };
  const isShort = doc.length <= LONGEST_SUMMARY && /^[^.!?\n]*\.?$/.test(doc);
  return isShort ? { summary: doc.replace(/\.$/, '') } : { summary: summaryOf(endpoint, group), description: doc };
}

function summaryOf(endpoint: Endpoint, group: Group): string {
  const { kind, model, method, response } = endpoint;
  if (endpoint.atResource && response.kind === 'list') return `List ${model} records`;
  if (endpoint.atResource) return `${method} ${model}`;
  if (kind === 'custom') return wordsFrom(localName(endpoint, group));
  return kind === 'list' ? `List ${model} records` : `${VERBS[kind]} ${model}`;
}

const VERBS: Readonly<Record<Exclude<Endpoint['kind'], 'custom' | 'list'>, string>> = {
  get: 'Get',
  create: 'Create',
  update: 'Change',
  delete: 'Delete',
};
