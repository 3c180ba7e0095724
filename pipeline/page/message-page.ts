import { framed } from './frame.ts';
import { html, sentence } from './html.ts';

/** What is shown where there is no other page. The text is a sentence without a full stop, as messages of errors are. */
export function messagePage(title: string, text: string): string {
  const written = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  const body = html`<header class="top"><nav class="way"><a href="/">All releases</a></nav><h1>${title}</h1></header>
<main><p class="lead">${sentence(written)}</p></main>`;
  return framed({ title, body });
}
