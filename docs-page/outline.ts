/** The entrypoints at the side of the page, those below others indented under them. */

import type { OpenApiDocument } from '../compiler/emit/openapi/document.ts';
import { element } from './browser/element.ts';
import { operationCounts } from './open-api.ts';

export function outlineOf(document: OpenApiDocument, show: (tag: string) => void): HTMLElement {
  const counts = operationCounts(document);
  const tags = inGroups(document.tags.map(({ name }) => name));
  const items = tags.flatMap((tag, at) => [
    ...headingsFor(tag, tags.slice(0, at), tags),
    itemFor(tag, counts, tags, show),
  ]);
  return element('ul', {}, ...items);
}

/** What is of no named API comes first, where no heading is above it. */
function inGroups(tags: readonly string[]): readonly string[] {
  const isOfNamed = (tag: string): boolean => !tags.includes(tag.split('.')[0] ?? tag);
  return [...tags.filter((tag) => !isOfNamed(tag)), ...tags.filter(isOfNamed)];
}

/** The name of an API is the beginning of tags and no tag itself. */
function headingsFor(tag: string, before: readonly string[], tags: readonly string[]): readonly HTMLElement[] {
  const [first = tag] = tag.split('.');
  const isGroup = !tags.includes(first) && !before.some((other) => other.startsWith(`${first}.`));
  return isGroup ? [element('li', { class: 'outline-group' }, first)] : [];
}

function itemFor(
  tag: string,
  counts: ReadonlyMap<string, number>,
  tags: readonly string[],
  show: (tag: string) => void,
): HTMLElement {
  const parents = tags.filter((other) => tag.startsWith(`${other}.`));
  const label = tag
    .split('.')
    .slice(parents.length + (tags.includes(tag.split('.')[0] ?? '') ? 0 : 1))
    .join('.');
  const count = element('span', { class: 'outline-count' }, String(counts.get(tag) ?? 0));
  const link = element(
    'a',
    { href: `#/${encodeURIComponent(tag)}`, 'data-tag': tag },
    element('span', {}, label),
    count,
  );
  link.addEventListener('click', (event) => {
    event.preventDefault();
    show(tag);
  });
  return element('li', { 'data-depth': String(Math.min(parents.length, 3)) }, link);
}
