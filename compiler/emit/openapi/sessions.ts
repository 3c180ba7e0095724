/** `login`, `logout` and the routes that take the token of a mail, which no endpoint of the definition describes. */
import { accountRoutes, NOT_VERIFIED, passwordAuthOf } from '../../definition/accounts.ts';
import { type AccountRoute, accountPath } from '../../definition/contract/routes.ts';
import type { Definition } from '../../definition/definition.ts';
import type { ValueInput } from '../../definition/endpoint.ts';
import { jsonContent, responseOf } from './answers.ts';
import type { ComponentSchemas } from './components.ts';
import type { Operation, Schema } from './document.ts';
import { bodySchema } from './inputs.ts';
import { pascalCase } from './names.ts';
import { REQUIRED, responsesOf } from './operations.ts';
import { REFUSALS, type Refusal } from './problems.ts';
import { objectOf } from './selection-schemas.ts';

const TOKEN = 'AuthToken';

/** The schemas of the routes of every application with password login. */
export function sessionSchemas(definition: Definition): ReadonlyMap<string, Schema> {
  const auth = passwordAuthOf(definition);
  if (auth === null) return new Map();
  const withInputs = accountRoutes(auth, definition).filter(({ inputs }) => inputs.length > 0);
  return new Map([
    ...withInputs.map(({ name, inputs }) => [schemaName(name), inputSchema(inputs, definition)] as const),
    [TOKEN, TOKEN_SCHEMA],
  ]);
}

/** `AuthLogin`. */
function schemaName(name: AccountRoute): string {
  return pascalCase(`auth.${name}`);
}

function inputSchema(inputs: readonly ValueInput[], definition: Definition): Schema {
  const schema = bodySchema({ inputs }, { definition, enumRef: () => ({}) });
  if (!schema.properties?.password) return schema;
  const password: Schema = { ...schema.properties?.password, format: 'password', writeOnly: true };
  return { ...schema, properties: { ...schema.properties, password } };
}

const TOKEN_SCHEMA = objectOf({
  token: { type: 'string', description: 'For the header `Authorization: Bearer <token>`.' },
  expiresAt: { type: 'string', format: 'date-time' },
});

const TITLES: Readonly<Record<ReturnType<typeof accountRoutes>[number]['name'], string>> = {
  login: 'Sign in',
  logout: 'Sign out',
  verify: 'Verify address',
  forgot: 'Request password reset',
  reset: 'Reset password',
  accept: 'Accept invitation',
};

/** The routes with a limit of tries. */
const LIMITED: readonly string[] = ['login', 'forgot', 'verify'];

export function sessionOperations(components: ComponentSchemas, tag: string, operationId: (id: string) => string) {
  const { definition } = components;
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  return accountRoutes(auth, definition).map((route) => {
    const words = { summary: TITLES[route.name], description: `${route.doc}.` };
    const named = { operationId: operationId(`auth.${route.name}`), ...words, tags: [tag] };
    const rest = route.name === 'logout' ? logoutParts(definition) : partsOf(route, components);
    return { path: accountPath(route.name), operation: { ...named, ...rest } satisfies Operation };
  });
}

/** The refusals of a login that no endpoint has. */
export function sessionRefusals({ auth }: Definition): readonly Refusal[] {
  return auth?.password?.verify ? [`Refused${NOT_VERIFIED.status}.${NOT_VERIFIED.code}`] : [];
}

function partsOf({ name, gives }: ReturnType<typeof accountRoutes>[number], components: ComponentSchemas) {
  const given =
    gives === 'token'
      ? { status: '200', response: responseOf('A token.', jsonContent(components.schemaRef(TOKEN), components)) }
      : { status: '202', response: responseOf('Accepted. The answer does not tell whether there is an account.') };
  return {
    requestBody: { required: true, content: jsonContent(components.schemaRef(schemaName(name)), components) },
    responses: responsesOf(
      [given],
      [
        'MalformedRequest',
        ...(name === 'login' ? (['Unauthenticated', ...sessionRefusals(components.definition)] as const) : []),
        'TooLarge',
        'UnsupportedMediaType',
        'ValidationFailed',
        ...(LIMITED.includes(name) ? (['TooManyRequests'] as const) : []),
        'Internal',
        'Unavailable',
      ],
    ),
  };
}

function logoutParts({ auth }: Definition) {
  const done = [{ status: '204', response: responseOf('Done.') }];
  const responses = responsesOf(done, ['Unauthenticated', 'Internal', 'Unavailable']);
  return { security: REQUIRED, responses: auth?.subject ? { ...responses, '409': NOT_ENDED } : responses };
}

const NOT_ENDED = {
  ...REFUSALS.Conflict.response,
  description:
    'The token was issued by the identity provider and cannot be revoked here. It stays valid until it expires: log out at the provider.',
};
