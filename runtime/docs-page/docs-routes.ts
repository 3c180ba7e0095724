/**
 * The documentation page of an application: the page itself, its scripts and styles, and the models for its diagram.
 * Nothing is read or made before somebody opens the page.
 */
import { literalPath, type Segment } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { readAsset, readManifest } from './assets.ts';
import { modelGraphFrom } from './model-graph.ts';
import { encodingFor, hasAlready, tagOf } from './negotiation.ts';
import { isUsual, linksFrom, type PagePath, pagePathOf, USUAL } from './page-address.ts';
import { PAGE_HEADERS, pageHtml, type Title } from './page-html.ts';

interface Documented {
  readonly definition: Definition;
  /** The text of `/openapi.json`. */
  readonly openApi: string;
  /** Those of the application, which go first. */
  readonly routes: readonly Route[];
}

export function docsRoutes({ definition, openApi, routes }: Documented): readonly Route[] {
  const path = pagePathOf(definition, routes);
  const title = once(() => (JSON.parse(openApi) as { readonly info: Title }).info);
  const models = once(() => JSON.stringify(modelGraphFrom(definition)));
  return [
    ...(isUsual(path) ? [] : [route(USUAL, [], async (exchange) => redirect(exchange, path))]),
    route(path, [], (exchange) => pageAnswer(exchange, path, title())),
    route(path, literalPath('models.json'), async (exchange) => keptAnswer(exchange, models(), {})),
    route(path, [...literalPath('assets'), { kind: 'parameter', name: 'name' }], assetAnswer),
  ];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function route(page: PagePath, below: readonly Segment[], handle: Route['handle']): Route {
  return plainRoute('GET', [...literalPath(...page), ...below], handle);
}

async function pageAnswer(exchange: Exchange, path: PagePath, title: Title): Promise<Answer> {
  const links = linksFrom(path, hasSlash(exchange));
  return keptAnswer(exchange, pageHtml(title, await readManifest(), links), PAGE_HEADERS);
}

/** Whoever looks where the page usually is finds it where the application has put it. */
function redirect(exchange: Exchange, path: PagePath): Answer {
  const { root } = linksFrom(USUAL, hasSlash(exchange));
  return { status: 307, headers: { location: `${root}${path.join('/')}` }, body: null };
}

function hasSlash({ request: { url = '' } }: Exchange): boolean {
  return /^[^?]*\/(\?|$)/.test(url);
}

/** A browser keeps it, and asks each time whether it is still the same. */
function keptAnswer({ request }: Exchange, body: string, own: Readonly<Record<string, string>>): Answer {
  const headers = { ...own, etag: tagOf(body), 'cache-control': 'no-cache' };
  return hasAlready(request.headers, headers.etag)
    ? { status: 304, headers, body: null }
    : { status: 200, headers, body };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** The name is that of one file: with a slash in it, the path would have been another. */
async function assetAnswer({ request, params: [name = ''] }: Exchange): Promise<Answer> {
  const [, extension = ''] = /^[\w-]+\.(css|js|txt)$/.exec(name) ?? [];
  const encoding = encodingFor(request.headers);
  const body = extension === '' ? null : await readAsset(name, encoding);
  if (body === null) throw new ApiError('not-found', { detail: `The documentation page has no part \`${name}\`.` });
  const headers = {
    'content-type': TYPES[extension] ?? '',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  return {
    status: 200,
    headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
    body,
  };
}
