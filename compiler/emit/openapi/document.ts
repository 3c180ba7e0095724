/** An OpenAPI 3.1 document as plain data, as far as Kiln writes one. */
import type { Endpoint } from '../../definition/endpoint.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  /** The fingerprint of what the API takes and gives. It comes early, for those who want only it of a large document. */
  readonly 'x-kiln-contract': string;
  readonly info: Info;
  readonly servers: readonly { readonly url: string }[];
  /** The default security: callers need nothing unless an operation says otherwise. */
  readonly security: readonly SecurityRequirement[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** What other servers are told of, by the type of the event. Absent where there is nothing. */
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

interface Info {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license: License;
}

export interface License {
  readonly name: string;
  /** An expression of SPDX. */
  readonly identifier: string;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export type Method = Lowercase<Endpoint['method']>;

export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** The responses by status, `4XX` or `default`. */
  readonly responses: Responses;
}

/** An empty requirement holds for everybody. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  /** The notation of a value that is a list or an object. */
  readonly style?: 'form' | 'deepObject';
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

/** Content by media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export type Responses = Readonly<Record<string, Response | Reference>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

export interface Header {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Reference {
  readonly $ref: string;
}

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}

export type SecurityScheme = (
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
) & { readonly description: string };

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** JSON Schema 2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly default?: unknown;
  readonly writeOnly?: true;
  /** Whether it is what an upload has answered. Clients take the file itself. */
  readonly 'x-kiln-upload'?: true;
}

/** The same bytes for the same document. */
export function openApiText(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The references that a part of a document leads to, whether at once or through others. */
export function refsFrom(part: unknown, resolve: (ref: string) => unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$ref' in value && typeof value.$ref === 'string' && !found.has(value.$ref)) {
      found.add(value.$ref);
      visit(resolve(value.$ref));
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(part);
  return found;
}
