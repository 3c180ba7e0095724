import { accountPath, pathTemplate } from '../compiler/definition/contract/routes.ts';

/** What the page itself reads of an OpenAPI document. The viewer reads the rest. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly description?: string }>>;
  };
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface Login {
  readonly path: string;
  /** The property beside `password`. */
  readonly name: string;
}

const LOGIN = pathTemplate(accountPath('login'));

/** Null where the application has no login with a password. */
export function loginIn({ paths, components }: OpenApi): Login | null {
  const schema = paths[LOGIN]?.post?.requestBody?.content?.['application/json']?.schema;
  const named = schema?.$ref ? components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] : schema;
  const name = Object.keys(named?.properties ?? {}).find((property) => property !== 'password');
  return name === undefined ? null : { path: LOGIN, name };
}

/** Null where nobody is asked for a token. */
export function tokenHintIn({ components }: OpenApi): string | null {
  const [scheme] = Object.values(components?.securitySchemes ?? {});
  return scheme ? (scheme.description ?? '') : null;
}

export function operationCounts({ paths }: OpenApi): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tags = [] } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}
