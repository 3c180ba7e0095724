/** `register` and `me` are endpoints like any other, written here instead of in the source. */
import type { Auth, Definition, Endpoint, Field, Model } from '../../compiler/definition/definition.ts';

export type PasswordAuth = Auth & { readonly password: NonNullable<Auth['password']> };

export function accountEndpoints({ models }: Definition, auth: PasswordAuth): readonly Endpoint[] {
  const model = models.find(({ name }) => name === auth.model) as Model;
  return [register(auth, model), me(auth, model)];
}

export function accountPath(name: string): Endpoint['path'] {
  return ['api', 'auth', name].map((text) => ({ kind: 'literal', text }));
}

const SHARED = { api: null, doc: null, cardinality: 'many', records: [] } as const;

function register({ model, password }: PasswordAuth, described: Model): Endpoint {
  const { inputs, values } = password.register;
  const record = 'account';
  return {
    ...SHARED,
    id: 'auth.register',
    kind: 'create',
    method: 'POST',
    path: accountPath('register'),
    model,
    authReads: [],
    authorize: [],
    request: { from: 'body', inputs },
    actions: [{ kind: 'create', record, model, values, link: null, reads: [idRead(described)] }],
    response: { kind: 'record', status: 201, record, select: password.me, location: null },
  };
}

function me({ model, password }: PasswordAuth, described: Model): Endpoint {
  return {
    ...SHARED,
    id: 'auth.me',
    kind: 'get',
    method: 'GET',
    path: accountPath('me'),
    model,
    authReads: [idRead(described)],
    authorize: [{ kind: 'authenticated', type: { kind: 'boolean' } }],
    request: { from: 'query', inputs: [] },
    actions: [],
    response: { kind: 'record', status: 200, record: '@auth', select: password.me, location: null },
  };
}

function idRead(model: Model): Endpoint['authReads'][number] {
  const { type } = model.fields.find(({ name }) => name === 'id') as Field;
  return { name: 'id', kind: 'value', value: { kind: 'field', path: [], model: model.name, field: 'id', type } };
}
