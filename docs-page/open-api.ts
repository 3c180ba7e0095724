/** What the page itself reads of an OpenAPI document. The viewer reads the rest. */
import { accountPath, pathTemplate } from '../compiler/definition/contract/routes.ts';
import type { OpenApiDocument } from '../compiler/emit/openapi/document.ts';

export interface Login {
  readonly path: string;
  /** The property beside `password`. */
  readonly name: string;
}

const LOGIN = pathTemplate(accountPath('login'));

/** Null where the application has no login with a password. */
export function loginIn({ paths, components }: OpenApiDocument): Login | null {
  const schema = paths[LOGIN]?.post?.requestBody?.content['application/json']?.schema;
  const named = schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  const name = Object.keys(named?.properties ?? {}).find((property) => property !== 'password');
  return name === undefined ? null : { path: LOGIN, name };
}

/** Null where nobody is asked for a token. */
export function tokenHintIn({ components }: OpenApiDocument): string | null {
  const [scheme] = Object.values(components.securitySchemes ?? {});
  return scheme?.description ?? null;
}

export function operationCounts({ paths }: OpenApiDocument): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tags } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}
