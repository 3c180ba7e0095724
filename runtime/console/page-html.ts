/** The page as a browser gets it: a frame without any content of its own, which the scripts fill. */
import { DOCS, HEALTH, METRICS, OPENAPI, READY } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { escaped } from '../../compiler/definition/escaped.ts';
import type { Route } from '../request/exchange.ts';
import { Router } from '../request/router.ts';
import type { AskedKey } from './api/console-options.ts';
import type { Manifest } from './assets.ts';
import type { DocumentInfo } from './document-route.ts';

export interface PagePolicy {
  /** Whether the page shows mails, in a frame to which its policy applies: most of them have styles in them. */
  readonly hasMail?: boolean;
  /** The address of the bucket that browsers send files to, and read them from. */
  readonly bucket?: string | undefined;
}

/**
 * Everything comes from the server that the page is of, and nothing is sent elsewhere but files. There is no script or
 * style in the page itself. The icon of the page is data, and images that an endpoint answers with are blobs.
 */
export function pageHeaders({ hasMail, bucket }: PagePolicy): Readonly<Record<string, string>> {
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

export interface Page {
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

export function pageHtml({ title: { title, version }, manifest, links: { below, root }, ...page }: Page): string {
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

export type PagePath = readonly string[];

export const USUAL: PagePath = [DOCS];
export function isUsual(path: PagePath): boolean {
  return path.join('/') === USUAL.join('/');
}

/** A page has no business in the place of these. */
const OPERATIONS: ReadonlySet<string> = new Set([HEALTH, READY, METRICS, OPENAPI]);

/** `routes` are those of the application, which go first: where they have the path already, the page is at `/docs`. */
export function pagePathOf({ generators }: Definition, routes: readonly Route[]): PagePath {
  const generator = generators.find((each) => each.kind === 'apidocs');
  const wanted = generator?.basePath.split('/').filter((part) => part !== '') ?? [];
  if (wanted.length === 0 || OPERATIONS.has(wanted.join('/'))) return USUAL;
  const router = new Router(routes);
  const isTaken = PARTS.some((part) => router.find('GET', `/${wanted.join('/')}${part}`) !== null);
  return isTaken ? USUAL : wanted;
}

/** The page, and what is below it. */
const PARTS = ['', '/models.json', '/assets/main.js'];

export interface Links {
  /** The link to the parts below the page: empty, or with a slash at its end. */
  readonly below: string;
  /** The link to the root of the application, with a slash at its end. */
  readonly root: string;
}

/** `/docs` and `/docs/` are the same page, but a browser resolves links against them differently. */
export function linksFrom(path: PagePath, hasSlash: boolean): Links {
  const steps = hasSlash ? path.length : path.length - 1;
  return { below: hasSlash ? './' : `./${path.at(-1)}/`, root: steps === 0 ? './' : '../'.repeat(steps) };
}

/** The links of the page at the root of the application, whose parts are below `path` too. */
export function linksFromRoot(path: PagePath): Links {
  return { below: `./${path.join('/')}/`, root: './' };
}
