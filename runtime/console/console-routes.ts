/**
 * The console of an application: the page itself, its scripts and styles, the models for its diagram, and, where
 * `ConsoleOptions` are given, the console's own API. Nothing is read or made before somebody opens the page.
 */
import { literalPath, type Segment } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { sendsMail } from '../../compiler/definition/work.ts';
import type { Mailbox } from '../deliver/mailbox.ts';
import { ApiError } from '../errors/api-error.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { askedKey, type ConsoleOptions } from './api/console-options.ts';
import { consoleRoutesWith, json, keyFor } from './api/console-route.ts';
import { readAsset, readManifest } from './assets.ts';
import { type DataTools, dataRoutes } from './data/data-routes.ts';
import { type DataSource, dataDatabase } from './data/data-statements.ts';
import { infoIn } from './document-route.ts';
import { type LiveParts, liveRoutes } from './live/live-routes.ts';
import { modelGraphFrom, wholeGraphFrom } from './model-graph.ts';
import { encodedHeaders, encodingFor, hasAlready, tagOf } from './negotiation.ts';
import {
  isUsual,
  type Links,
  linksFrom,
  linksFromRoot,
  type Page,
  type PagePath,
  type PagePolicy,
  pageHeaders,
  pageHtml,
  pagePathOf,
  USUAL,
} from './page-html.ts';
import { workRoutes } from './work/work-routes.ts';

interface Documented {
  readonly definition: Definition;
  /** Missing in production: then there is the page alone. */
  readonly console?: ConsoleOptions | undefined;
  /** The tools of the console's own API. */
  readonly tools: ConsoleTools;
  readonly bucket?: PagePolicy['bucket'];
  /** The recorder of requests, where requests are recorded. */
  readonly live?: LiveParts | undefined;
  /** The mails that were sent, where they are kept. */
  readonly mailbox?: Mailbox | undefined;
  /** The document of `/openapi.json`. */
  readonly document: () => string;
  /** The routes of the application, which go first. */
  readonly routes: readonly Route[];
}

interface ConsoleTools extends DataSource, Pick<DataTools, 'signIn' | 'store' | 'settings'> {}

export function consoleRoutes(documented: Documented): readonly Route[] {
  const { definition, document, routes, console: options } = documented;
  const path = pagePathOf(definition, routes);
  const title = once(() => infoIn(document()));
  const models = once(() => JSON.stringify(modelGraphFrom(definition)));
  const has = {
    hasWork: definition.jobs !== undefined,
    hasMail: sendsMail(definition) && documented.mailbox !== undefined,
    bucket: documented.bucket,
  };
  const page = (exchange: Exchange, links: Links) => pageAnswer(exchange, { title: title(), links, ...has }, options);
  return [
    ...(isUsual(path) ? [] : [route(USUAL, [], async (exchange) => redirect(exchange, path))]),
    ...(options?.place === 'root' ? [route([], [], (exchange) => page(exchange, linksFromRoot(path)))] : []),
    route(path, [], (exchange) => page(exchange, linksFrom(path, hasSlash(exchange)))),
    route(path, literalPath('models.json'), async (exchange) => cachedAnswer(exchange, models(), {})),
    route(path, [...literalPath('assets'), { kind: 'parameter', name: 'name' }], assetAnswer),
    ...(options ? ownRoutes(documented, options) : []),
  ];
}

/** The console's own API. */
function ownRoutes({ definition, tools, live, mailbox }: Documented, options: ConsoleOptions): readonly Route[] {
  const { place, actions, access } = options;
  const ownRoute = consoleRoutesWith(options);
  // Signing in as somebody else is only possible in development, where the data is made up.
  const from = dataDatabase(tools);
  const { store, settings } = tools;
  const data = { from, definition, settings, actions, store, signIn: place === 'root' ? tools.signIn : null };
  // A user with the key may see all models, even the parts that the page hides elsewhere.
  const models = once(() => JSON.stringify(wholeGraphFrom(definition)));
  const rules = once(() => JSON.stringify(access?.(definition)));
  return [
    ...dataRoutes(data, ownRoute),
    ...workRoutes(definition, from, ownRoute),
    ownRoute('GET', literalPath('models'), async (exchange) => cachedAnswer(exchange, models(), {})),
    ...(access
      ? [ownRoute('GET', literalPath('access'), async () => ({ status: 200, headers: null, body: rules() }))]
      : []),
    ...(mailbox ? [ownRoute('GET', literalPath('mails'), async () => json(mailbox.mails.toReversed()))] : []),
    ...(live ? liveRoutes(options, live, ownRoute) : []),
  ];
}

function route(page: PagePath, below: readonly Segment[], handle: Route['handle']): Route {
  return plainRoute('GET', [...literalPath(...page), ...below], handle);
}

async function pageAnswer(
  exchange: Exchange,
  content: Pick<Page, 'title' | 'links' | 'hasWork' | 'hasMail'> & PagePolicy,
  options: ConsoleOptions | undefined,
): Promise<Answer> {
  const key = options && keyFor(exchange.request.headers, options);
  const asks = options && askedKey(options);
  const html = pageHtml({ ...content, manifest: await readManifest(), key, asks });
  const headers = pageHeaders(content);
  return key ? { status: 200, headers: { ...headers, ...KEYED }, body: html } : cachedAnswer(exchange, html, headers);
}

/**
 * The headers of a page that contains the key: nobody caches it, and no other web page may read it, whatever
 * `CORS_ORIGIN` says.
 */
const KEYED = { 'cache-control': 'no-store', 'access-control-allow-origin': [] } as const;

/** Redirects from the usual path of the page to where the application has put it. */
function redirect(exchange: Exchange, path: PagePath): Answer {
  const { root } = linksFrom(USUAL, hasSlash(exchange));
  return { status: 307, headers: { location: `${root}${path.join('/')}` }, body: null };
}

function hasSlash({ request: { url = '' } }: Exchange): boolean {
  return /^[^?]*\/(\?|$)/.test(url);
}

/** Makes an answer that a browser caches, and checks each time whether it is still the same. */
function cachedAnswer({ request }: Exchange, body: string, own: Readonly<Record<string, string>>): Answer {
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
  if (body === null) throw new ApiError('not-found', { detail: `The console has no file \`${name}\`.` });
  const headers = {
    'content-type': TYPES[extension] ?? '',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  return { status: 200, headers: encodedHeaders(headers, encoding), body };
}
