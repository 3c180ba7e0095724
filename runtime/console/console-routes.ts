/**
 * The console of an application: the page itself, its scripts and styles, the models for its diagram, and, where
 * `ConsoleOptions` are given, the console's own API. Nothing is read or made before somebody opens the page.
 */
import {
  DOCS,
  HEALTH,
  literalPath,
  METRICS,
  OPENAPI,
  READY,
  type Segment,
} from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { escaped } from '../../compiler/definition/escaped.ts';
import { once } from '../../compiler/definition/memo.ts';
import { sendsMail } from '../../compiler/definition/work.ts';
import type { Mailbox } from '../deliver/mailbox.ts';
import { ApiError } from '../errors/api-error.ts';
import { type Answer, type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import { Router } from '../request/router.ts';
import { type AskedKey, askedKey, type ConsoleOptions } from './api/console-options.ts';
import { consoleRoutesWith, json, keyFor } from './api/console-route.ts';
import { type Manifest, readAsset, readManifest } from './assets.ts';
import { type DataTools, dataRoutes } from './data/data-routes.ts';
import { type DataSource, dataDatabase } from './data/data-statements.ts';
import { type DocumentInfo, infoIn } from './document-route.ts';
import { type LiveParts, liveRoutes } from './live/live-routes.ts';
import { modelGraphFrom, wholeGraphFrom } from './model-graph.ts';
import { encodedHeaders, encodingFor, hasAlready, tagOf } from './negotiation.ts';
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

// ── Page ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The page as a browser gets it: a frame without any content of its own, which the scripts fill.

interface PagePolicy {
  /** Whether the page shows mails, in a frame to which its policy applies: most of them have styles in them. */
  readonly hasMail?: boolean;
  /** The address of the bucket that browsers send files to, and read them from. */
  readonly bucket?: string | undefined;
}

/**
 * Everything comes from the server that the page is of, and nothing is sent elsewhere but files. There is no script or
 * style in the page itself. The icon of the page is data, and images that an endpoint answers with are blobs.
 */
function pageHeaders({ hasMail, bucket }: PagePolicy): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${hasMail ? " 'unsafe-inline'" : ''}`,
    `connect-src 'self'${bucket === undefined ? '' : ` ${allBelow(bucket)}`}`,
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Everything below an address, as a policy says it. Where a redirect leads, browsers compare the origin alone. */
function allBelow(address: string): string {
  const { origin, pathname } = new URL(`${address}/`);
  return origin + pathname.replace(/[;,]/g, encodeURIComponent);
}

interface Page {
  readonly title: DocumentInfo;
  readonly manifest: Manifest;
  readonly links: Links;
  /** The key of the console's API; missing where there is none, and empty where the user is asked for it. */
  readonly key?: string | undefined;
  /** The key that the user is asked for; null where the page has it. */
  readonly asks?: AskedKey | null | undefined;
  /** Whether the application has jobs. The page shows them with a key alone. */
  readonly hasWork?: boolean;
  readonly hasMail?: boolean;
}

function pageHtml({ title: { title, version }, manifest, links: { below, root }, ...page }: Page): string {
  const { theme, main, styles, licenses } = manifest;
  const asset = (name: string): string => escaped(`${below}assets/${name}`);
  return `<!doctype html>
<html lang="en" data-root="${escaped(root)}" data-below="${escaped(below)}"${keyedAttributes(page)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} API</title>
<link rel="icon" href="${ICON}">
<script src="${asset(theme)}"></script>
<link rel="stylesheet" href="${asset(styles)}">
<script type="module" src="${asset(main)}"></script>
</head>
<body>
<div id="app">
<header class="bar"><div class="brand line"><h1>${escaped(title)}</h1><span class="version pill soft ellipsis">${escaped(version)}</span></div></header>
</div>
<noscript><p class="notice box padded soft">This page needs JavaScript. The API is also described in <a href="${escaped(root)}${OPENAPI}">${OPENAPI}</a>.</p></noscript>
<footer class="foot"><a href="${escaped(root)}${OPENAPI}">${OPENAPI}</a><a href="${asset(licenses)}">Licences</a></footer>
</body>
</html>
`;
}

function keyedAttributes({ key, asks, hasWork, hasMail }: Omit<Page, 'title' | 'links' | 'manifest'>): string {
  if (key === undefined) return '';
  return ` data-key="${escaped(key)}"${asks ? ` data-asks="${asks}"` : ''}${hasWork ? ' data-work' : ''}${hasMail ? ' data-mail' : ''}`;
}

/** A kiln with a fire in it. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#a63c17"/><path d="M6 26V15a10 10 0 0 1 20 0v11z" fill="#fff"/><path d="M16 12c4 4 5 6 5 9a5 5 0 0 1-10 0c0-2 1-3 2-4 0 1 1 2 2 2 1-2 0-4 1-7z" fill="#e2571f"/></svg>',
)}`;

// ── Address of the page ──────────────────────────────────────────────────────────────────────────────────────────────

// The path of the page: `/docs`, or where `generator apidocs { basePath … }` puts it. All links of the page are
// relative to it, so that it works below whatever path a reverse proxy serves the application at.

type PagePath = readonly string[];

const USUAL: PagePath = [DOCS];
function isUsual(path: PagePath): boolean {
  return path.join('/') === USUAL.join('/');
}

/** A page has no business in the place of these. */
const OPERATIONS: ReadonlySet<string> = new Set([HEALTH, READY, METRICS, OPENAPI]);

/** `routes` are those of the application, which go first: where they have the path already, the page is at `/docs`. */
function pagePathOf({ generators }: Definition, routes: readonly Route[]): PagePath {
  const generator = generators.find((each) => each.kind === 'apidocs');
  const wanted = generator?.basePath.split('/').filter((part) => part !== '') ?? [];
  if (wanted.length === 0 || OPERATIONS.has(wanted.join('/'))) return USUAL;
  const router = new Router(routes);
  const isTaken = PARTS.some((part) => router.find('GET', `/${wanted.join('/')}${part}`) !== null);
  return isTaken ? USUAL : wanted;
}

/** The page, and what is below it. */
const PARTS = ['', '/models.json', '/assets/main.js'];

interface Links {
  /** The link to the parts below the page: empty, or with a slash at its end. */
  readonly below: string;
  /** The link to the root of the application, with a slash at its end. */
  readonly root: string;
}

/** `/docs` and `/docs/` are the same page, but a browser resolves links against them differently. */
function linksFrom(path: PagePath, hasSlash: boolean): Links {
  const steps = hasSlash ? path.length : path.length - 1;
  return { below: hasSlash ? './' : `./${path.at(-1)}/`, root: steps === 0 ? './' : '../'.repeat(steps) };
}

/** The links of the page at the root of the application, whose parts are below `path` too. */
function linksFromRoot(path: PagePath): Links {
  return { below: `./${path.join('/')}/`, root: './' };
}
