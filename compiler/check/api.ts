/** APIs: entrypoints to any depth, flattened into endpoints, no two of which answer the same request. */

import type * as ast from '../ast/ast.ts';
import {
  ACCOUNT_METHODS,
  type AccountRoute,
  accountRoute,
  LIVE_PATH,
  PURPOSES,
  pathPattern,
  pathShape,
  UPLOAD_PATH,
} from '../definition/contract/routes.ts';
import { pathOf, perMethod } from '../program/endpoint-path.ts';
import { fileRoutes } from '../program/files.ts';
import type { Auth, Endpoint, Field } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, checkText, firstOfEach } from './context.ts';
import { checkEndpoint, checkIdleResponse } from './endpoints.ts';
import { checkEntrypoint, type Place } from './entrypoints.ts';

export function* checkApis(
  context: Context,
  apis: readonly ast.ApiDeclaration[],
  auth: Auth | undefined,
): Generator<void, readonly Endpoint[]> {
  const { password } = auth ?? {};
  const endpoints: Endpoint[] = [];
  for (const { name, entrypoints } of apis) {
    for (const entrypoint of entrypoints) {
      endpoints.push(...checkBelow(entrypoint, { context, api: name?.text ?? null }));
      yield;
    }
  }
  reportSameRoutes(context, endpoints, [
    ...(auth && password ? [{ span: auth.span, routes: routesOf(password) }] : []),
    ...routesOfKiln(context, endpoints),
  ]);
  if (password) reportPasswordInputs(context, endpoints, password.hash);
  return endpoints;
}

function checkBelow(written: ast.EntrypointDeclaration, place: Place): readonly Endpoint[] {
  const { context } = place;
  const entrypoint = checkEntrypoint(written, place);
  if (!entrypoint) return [];
  reportSameKinds(context, written);
  reportIdle(context, written);
  const own = written.endpoints.flatMap((endpoint) => checkEndpoint(context, endpoint, entrypoint) ?? []);
  checkIdleResponse(context, entrypoint);
  reportIdleKey(context, written, own);
  reportIdleVersions(context, written, own);
  const nested = written.entrypoints.flatMap((inner) => checkBelow(inner, { ...place, parent: entrypoint }));
  return [...own, ...nested];
}

/** A second `list endpoint` could never be reached. */
function reportSameKinds(context: Context, { endpoints }: ast.EntrypointDeclaration): void {
  firstOfEach(
    endpoints.filter(({ endpoint }) => endpoint !== 'custom'),
    ({ endpoint }) => endpoint,
    ({ endpoint, head }, first) => context.report('endpoint-twice', head, { endpoint, first: first.head }),
  );
}

function reportIdle(context: Context, { resource, endpoints, entrypoints }: ast.EntrypointDeclaration): void {
  if (endpoints.length === 0 && entrypoints.length === 0)
    context.report('idle-entrypoint', resource.span, { resource: resource.text });
}

function reportIdleKey(context: Context, { inputsUnder }: ast.EntrypointDeclaration, own: readonly Endpoint[]): void {
  if (inputsUnder && checkText(inputsUnder, context.report) && own.every((endpoint) => !endpoint.inputsUnder))
    context.report('no-body-inputs', inputsUnder.span, { key: inputsUnder.value });
}

/** The caller is read before the request, so its row is not locked in time. */
function reportIdleVersions(context: Context, written: ast.EntrypointDeclaration, own: readonly Endpoint[]): void {
  const { versioned, isCaller } = written;
  if (versioned && (isCaller || own.every((endpoint) => !endpoint.versioned)))
    context.report('nothing-versioned', versioned, { isCaller });
}

function routesOf({ registerInputs, mails }: NonNullable<Auth['password']>): readonly string[] {
  const names = Object.keys(ACCOUNT_METHODS) as readonly AccountRoute[];
  const isServed = (name: AccountRoute) => {
    const purpose = PURPOSES[name];
    return purpose ? mails.some((mail) => mail.purpose === purpose) : registerInputs || name !== 'register';
  };
  return names.filter(isServed).map(accountRoute);
}

/** Routes that are no endpoints, with the place that asks for them. */
interface OwnRoutes {
  readonly span: Span;
  readonly routes: readonly string[];
  readonly use?: 'live lists' | 'uploads';
}

function routesOfKiln({ models }: Context, endpoints: readonly Endpoint[]): readonly OwnRoutes[] {
  const live = endpoints.find(({ list }) => list?.live)?.list?.live;
  const file = [...models.values()].flatMap(({ fields }) => fields).find((field) => field.file);
  return [
    ...(live ? [{ span: live, routes: [`GET ${pathShape(LIVE_PATH)}`], use: 'live lists' as const }] : []),
    ...(file ? [{ span: file.span, routes: [`PUT ${pathShape(UPLOAD_PATH)}`], use: 'uploads' as const }] : []),
  ];
}

/** Reports paths that differ only in the names of parameters. */
function reportSameRoutes(context: Context, endpoints: readonly Endpoint[], own: readonly OwnRoutes[]): void {
  const firsts = new Map<string, Partial<Endpoint> & Pick<OwnRoutes, 'span' | 'use'>>();
  for (const each of own) for (const route of each.routes) firsts.set(route, each);
  for (const endpoint of endpoints.flatMap(perMethod)) {
    const { method, kind, entrypoint, span } = endpoint;
    const route = `${method} ${pathShape(pathOf(endpoint))}`;
    const first = firsts.get(route);
    // The same kind twice in one entrypoint has been reported already.
    const isSameKind = kind !== 'custom' && first?.kind === kind && first.entrypoint === entrypoint;
    if (!first) firsts.set(route, endpoint);
    else if (!isSameKind)
      context.report('same-route', span, {
        route: `${method} ${pathPattern(pathOf(endpoint))}`,
        first: first.span,
        use: first.use,
      });
  }
  for (const { of, method, path, field } of fileRoutes(endpoints)) {
    const [shape, route] = [`${method} ${pathShape(path)}`, `${method} ${pathPattern(path)}`];
    const first = firsts.get(shape) ?? { ...of, use: 'uploads' };
    firsts.set(shape, first);
    if (first.use !== 'uploads') context.report('same-route', first.span, { route, first: field.span });
    // Two endpoints of one method have been reported already.
    else if (first.method !== of.method)
      context.report('same-route', of.span, { route, first: first.span, file: field.name });
  }
}

/**
 * Reports endpoints that store a client's value as the password hash. The field stores a hash, so the value must not
 * come from the client as it is.
 */
function reportPasswordInputs(context: Context, endpoints: readonly Endpoint[], hash: Field): void {
  for (const { inputs, actions, span } of endpoints) {
    const isNew = actions.some((action) => action.kind === 'create' && action.model === hash.model);
    if (inputs.some(({ field }) => field === hash))
      context.report('password-as-input', span, { field: hash.name, isNew });
  }
}
