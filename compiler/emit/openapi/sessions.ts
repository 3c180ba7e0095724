/** `login` and `logout`, which no endpoint of the definition describes. */
import { loginInputs, type PasswordAuth, passwordAuthOf } from '../../definition/accounts.ts';
import { accountPath } from '../../definition/contract/routes.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import { jsonContent, responseOf } from './answers.ts';
import type { ComponentSchemas } from './components.ts';
import type { Operation, Schema } from './document.ts';
import { bodySchema } from './inputs.ts';
import { REQUIRED, responsesOf } from './operations.ts';
import { REFUSALS } from './problems.ts';

interface SessionOperation {
  readonly path: Endpoint['path'];
  readonly operation: Operation;
}

const LOGIN = 'AuthLogin';
const TOKEN = 'AuthToken';

/** The schemas of the routes of every application with password login. */
export function sessionSchemas(definition: Definition): ReadonlyMap<string, Schema> {
  const auth = passwordAuthOf(definition);
  if (auth === null) return new Map();
  return new Map([
    [LOGIN, loginSchema(auth, definition)],
    [TOKEN, TOKEN_SCHEMA],
  ]);
}

function loginSchema(auth: PasswordAuth, definition: Definition): Schema {
  const schema = bodySchema({ inputs: loginInputs(auth, definition) }, { definition, enumRef: () => ({}) });
  const password: Schema = { ...schema.properties?.password, format: 'password', writeOnly: true };
  return { ...schema, properties: { ...schema.properties, password } };
}

const TOKEN_SCHEMA: Schema = {
  type: 'object',
  properties: {
    token: { type: 'string', description: 'For the header `Authorization: Bearer <token>`.' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
  required: ['token', 'expiresAt'],
};

export function sessionOperations(
  components: ComponentSchemas,
  tag: string,
  operationId: (id: string) => string,
): readonly SessionOperation[] {
  if (passwordAuthOf(components.definition) === null) return [];
  return [
    { path: accountPath('login'), operation: loginOperation(components, tag, operationId('auth.login')) },
    { path: accountPath('logout'), operation: logoutOperation(components.definition, tag, operationId('auth.logout')) },
  ];
}

function loginOperation(components: ComponentSchemas, tag: string, operationId: string): Operation {
  const response = responseOf('A token.', jsonContent(components.schemaRef(TOKEN), components));
  return {
    operationId,
    summary: 'Signs in with a password and returns a token',
    tags: [tag],
    requestBody: { required: true, content: jsonContent(components.schemaRef(LOGIN), components) },
    responses: responsesOf(
      [{ status: '200', response }],
      [
        'MalformedRequest',
        'Unauthenticated',
        'TooLarge',
        'UnsupportedMediaType',
        'ValidationFailed',
        'TooManyRequests',
        'Internal',
        'Unavailable',
      ],
    ),
  };
}

function logoutOperation({ auth }: Definition, tag: string, operationId: string): Operation {
  const responses = responsesOf(
    [{ status: '204', response: responseOf('Done.') }],
    ['Unauthenticated', 'Internal', 'Unavailable'],
  );
  return {
    operationId,
    summary: 'Revokes the token of this request',
    tags: [tag],
    security: REQUIRED,
    responses: auth?.subject ? { ...responses, '409': NOT_ENDED } : responses,
  };
}

const NOT_ENDED = {
  ...REFUSALS.Conflict.response,
  description:
    'The token was issued by the identity provider and cannot be revoked here. It stays valid until it expires: log out at the provider.',
};
