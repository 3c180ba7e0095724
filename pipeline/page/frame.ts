/** What all pages have around their content. One file, with no script: nothing is fetched, and nothing can be run. */
import { createHash } from 'node:crypto';
import { Html, html, type Part } from './html.ts';
import { STYLES } from './styles.ts';

interface Frame {
  readonly title: string;
  readonly body: Part;
  /** Whether it has forms, which lead to where the page came from. */
  readonly hasForms?: true;
}

export function framed({ title, body, hasForms }: Frame): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(hasForms === true)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLES)}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return text;
}

/** By the hash of the styles, so that no text of a page could bring any of its own. */
export function policy(hasForms: boolean): string {
  return [
    "default-src 'none'",
    `style-src '${STYLES_HASH}'`,
    'img-src data:',
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
  ].join('; ');
}

const STYLES_HASH = `sha256-${createHash('sha256').update(STYLES).digest('base64')}`;
