/** The documentation page: reads the API's document, and sets up header, outline, viewer and diagram. */

import type { OpenApiDocument } from '../compiler/emit/openapi/document.ts';
import { authoriseButton } from './authorise.ts';
import { jsonFrom, OPENAPI } from './browser/address.ts';
import { element, found, icon, withCode } from './browser/element.ts';
import { MOON } from './icons.ts';
import { loginIn, tokenHintIn } from './open-api.ts';
import { outlineOf } from './outline.ts';
import type { Viewer } from './viewer.ts';
import { followViews } from './views.ts';

start().catch((error: Error) => {
  found('#operations-view').replaceChildren(element('p', { class: 'notice', role: 'alert' }, error.message));
});

async function start(): Promise<void> {
  found('.tools').append(themeButton());
  const api = await jsonFrom<OpenApiDocument>(OPENAPI);
  const hint = tokenHintIn(api);
  if (hint !== null) found('.tools').prepend(authoriseButton(loginIn(api), hint));
  followViews({
    operations: () => openOperations(api),
    models: async () => (await import('./models/models-view.ts')).modelsViewIn(found('#models-view')),
  });
}

async function openOperations(api: OpenApiDocument): Promise<Viewer> {
  const { viewerIn } = await import('./viewer.ts');
  const place = element('div', { id: 'viewer' });
  found('#operations-view').append(place);
  const viewer = await viewerIn(place, api);
  found('#operations-view').replaceChildren(introduction(api), place);
  found('.tools').prepend(searchField(viewer));
  found('.outline').append(outlineOf(api, viewer.show));
  return viewer;
}

function themeButton(): HTMLElement {
  const button = element(
    'button',
    { type: 'button', class: 'tool theme', 'aria-label': 'Switch between light and dark', title: 'Light or dark' },
    icon(MOON),
  );
  button.addEventListener('click', () => document.dispatchEvent(new CustomEvent('kiln-theme-switch')));
  return button;
}

function searchField(viewer: Viewer): HTMLElement {
  const field = element('input', {
    type: 'search',
    placeholder: 'Search operations',
    'aria-label': 'Search operations by path, method or text',
    spellcheck: 'false',
  });
  field.addEventListener('input', () => viewer.search(field.value));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event.target) || field.offsetParent === null) return;
    event.preventDefault();
    field.focus();
  });
  return element('div', { class: 'search' }, field, element('kbd', { 'aria-hidden': 'true' }, '/'));
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** The document's own words about itself: paragraphs, lists and code are all that they have. */
function introduction({ info }: OpenApiDocument): HTMLElement {
  const parts = (info.description ?? '').split(/\n\n+/).map((block) => {
    const lines = block.split('\n');
    if (!lines.every((line) => line.startsWith('- '))) return element('p', {}, ...withCode(block));
    return element('ul', {}, ...lines.map((line) => element('li', {}, ...withCode(line.slice(2)))));
  });
  const [first = null, ...rest] = parts;
  if (rest.length === 0) return element('div', { class: 'intro' }, first);
  return element(
    'div',
    { class: 'intro' },
    first,
    element('details', {}, element('summary', {}, 'Conventions'), ...rest),
  );
}
