/** How a caller of the API signs in, from its document. */
import { accountPath, pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';

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
