/** The page as a browser gets it: a frame without any content of its own, which the scripts fill. */
import { OPENAPI } from '../../compiler/definition/contract/routes.ts';
import type { AskedKey } from './api/console-options.ts';
import type { Manifest } from './assets.ts';
import { escaped } from './escaped.ts';
import type { Links } from './page-address.ts';

/** Of the API's document. */
export interface Title {
  readonly title: string;
  readonly version: string;
}

/**
 * Everything comes from the server that the page is of, and nothing is sent elsewhere. There is no script or style in the
 * page itself. The icon of the page is data, and images that an endpoint answers with are blobs.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
];

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY.join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

interface Page {
  readonly title: Title;
  readonly manifest: Manifest;
  readonly links: Links;
  /** Of the console's API; missing where there is none, and empty where the user is asked for it. */
  readonly key?: string | undefined;
  /** What the user is asked for; null where the page has the key. */
  readonly asks?: AskedKey | null | undefined;
}

export function pageHtml({ title: { title, version }, manifest, links: { below, root }, key, asks }: Page): string {
  const { theme, main, styles, licenses } = manifest;
  const asset = (name: string): string => escaped(`${below}assets/${name}`);
  const keyed = key === undefined ? '' : ` data-key="${escaped(key)}"${asks ? ` data-asks="${asks}"` : ''}`;
  return `<!doctype html>
<html lang="en" data-root="${escaped(root)}" data-below="${escaped(below)}"${keyed}>
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
<header class="bar"><div class="brand"><h1>${escaped(title)}</h1><span class="version">${escaped(version)}</span></div></header>
</div>
<noscript><p class="notice">This page needs JavaScript. The API is also described in <a href="${escaped(root)}${OPENAPI}">${OPENAPI}</a>.</p></noscript>
<footer class="foot"><a href="${escaped(root)}${OPENAPI}">${OPENAPI}</a><a href="${asset(licenses)}">Licences</a></footer>
</body>
</html>
`;
}

/** A kiln with a fire in it. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#a63c17"/><path d="M6 26V15a10 10 0 0 1 20 0v11z" fill="#fff"/><path d="M16 12c4 4 5 6 5 9a5 5 0 0 1-10 0c0-2 1-3 2-4 0 1 1 2 2 2 1-2 0-4 1-7z" fill="#e2571f"/></svg>',
)}`;
