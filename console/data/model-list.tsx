/** The models at the side, with how many records each has. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataModel } from '../../runtime/console/data/data-forms.ts';
import { hrefTo } from '../state/route.ts';
import { tableHref } from './data-links.ts';

interface ModelListProps {
  readonly models: readonly DataModel[];
  readonly selected: string | undefined;
}

/** Fewer are found at a glance. */
const MANY = 8;

export function ModelList({ models, selected }: ModelListProps): JSX.Element {
  const [search, setSearch] = useState('');
  const shown = models.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <>
      {models.length > MANY && (
        <input
          class="input data-search"
          type="search"
          placeholder="Filter models"
          aria-label="Filter models"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul class="side-list">
        <li>
          <a href={hrefTo('data')} {...(selected === undefined ? { 'aria-current': 'page' as const } : {})}>
            <span>All models</span>
          </a>
        </li>
        {shown.map(({ name, rows }) => (
          <li key={name}>
            <a href={tableHref(name)} {...(name === selected ? { 'aria-current': 'page' as const } : {})}>
              <span class="data-model-name">{name}</span>
              <span class="data-rows">{shortCount(rows.count, rows.isExact)}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="data-none">No model matches.</p>}
    </>
  );
}

/** Made once: that takes longer than drawing a line. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1.2M`: there is little room. */
function shortCount(count: number, isExact: boolean): string {
  const text = COMPACT.format(count);
  return isExact ? text : `~${text}`;
}
