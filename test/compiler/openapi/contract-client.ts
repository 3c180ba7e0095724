/** Sends requests that a document describes, and holds the answers against it. */
import { expect } from 'chai';
import type {
  Content,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
  Schema,
} from '../../../compiler/emit/openapi/document.ts';
import type { Route } from './documents.ts';
import { type Judge, judgeOf } from './validator.ts';

export interface ContractRequest {
  readonly params: Readonly<Record<string, string>>;
  /** Several texts of one name are sent one after the other. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Undefined where none is sent. */
  readonly body: unknown;
  readonly token: string | null;
  /** In place of the body as JSON. */
  readonly text?: string;
  readonly contentType?: string;
}

export interface ContractAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed, where it is JSON. */
  readonly body: unknown;
}

export class ContractClient {
  readonly #url: string;
  readonly #document: OpenApiDocument;
  readonly #judgeClosed: Judge;
  readonly judge: Judge;
  readonly resolve = (ref: string): Schema => this.#document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};

  constructor(url: string, document: OpenApiDocument) {
    this.#url = url;
    this.#document = document;
    this.judge = judgeOf(document);
    this.#judgeClosed = judgeOf(document, true);
  }

  /** The answer, which is one that the operation lists. */
  async send({ path, method, operation }: Route, request: ContractRequest): Promise<ContractAnswer> {
    const target = `${pathWith(path, request.params)}${queryWith(request.query)}`;
    const told = `${method.toUpperCase()} ${target} ${JSON.stringify(request.text ?? request.body)}`;
    const answer = await fetch(this.#url + target, initOf(method, request));
    const text = await answer.text();
    const read = { status: answer.status, headers: answer.headers, body: parsed(text, answer.headers) };
    this.#expectListed(operation, read, text, `${told}\n→ ${answer.status} ${text}\n`);
    return read;
  }

  #expectListed({ responses }: Operation, answer: ContractAnswer, text: string, told: string): void {
    const status = String(answer.status);
    const listed = responses[status] ?? responses[`${status.slice(0, 1)}XX`] ?? responses.default;
    expect(listed, `${told}${status} is not listed`).to.not.equal(undefined);
    const { headers = {}, content } = this.#responseOf(listed as Response | { $ref: string });
    for (const [name, header] of Object.entries(headers)) {
      const isRequired = '$ref' in header || header.required === true;
      if (isRequired) expect(answer.headers.has(name), `${told}without ${name}`).to.equal(true);
    }
    if (content === undefined) expect(text, told).to.equal('');
    else this.#expectFitting(content, answer, told);
  }

  #responseOf(listed: Response | { readonly $ref: string }): Response {
    if (!('$ref' in listed)) return listed;
    return this.#document.components.responses[listed.$ref.split('/').at(-1) ?? ''] as Response;
  }

  #expectFitting(content: Content, { headers, body }: ContractAnswer, told: string): void {
    const type = mediaType(headers);
    const described = content[type] ?? content['*/*'];
    expect(described, `${told}${type} is not described`).to.not.equal(undefined);
    const fits = this.#judgeClosed(described?.schema ?? {});
    expect(fits(body), `${told}${JSON.stringify(fits.errors, null, 1)}`).to.equal(true);
  }
}

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0] ?? '';
}

function parsed(text: string, headers: Headers): unknown {
  return mediaType(headers).endsWith('json') ? JSON.parse(text) : text;
}

function pathWith(path: string, params: ContractRequest['params']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function queryWith(query: ContractRequest['query']): string {
  const text = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`),
  );
  return text.length === 0 ? '' : `?${text.join('&')}`;
}

function initOf(method: string, { body, token, text, contentType = 'application/json' }: ContractRequest): RequestInit {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...(sent === undefined ? {} : { 'content-type': contentType }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(sent === undefined ? {} : { body: sent }),
  };
}

export function bodySchemaOf({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json']?.schema;
}

export function parametersIn({ parameters = [] }: Operation, place: Parameter['in']): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in === place);
}
