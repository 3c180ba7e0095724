/** All models by name, with a search. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ModelChange } from '../../runtime/console/api/release-changes.ts';
import type { ModelGraph } from '../../runtime/console/model-graph.ts';
import { hrefTo } from '../state/route.ts';
import { ChangeMark } from './change-mark.tsx';

interface ModelListProps {
  readonly graph: ModelGraph;
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
}

export function ModelList({ graph, selected, changes }: ModelListProps): JSX.Element {
  const [text, setText] = useState('');
  const names = useMemo(() => namesIn(graph, changes), [graph, changes]);
  const wanted = text.trim().toLowerCase();
  const shown = names.filter((name) => name.toLowerCase().includes(wanted));
  return (
    <>
      <input
        class="input"
        type="search"
        placeholder={`Search ${names.length} models`}
        aria-label="Search the models"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul class="side-list model-names">
        {shown.map((name) => (
          <li key={name}>
            <a href={hrefTo('models', [name])} {...(name === selected ? { 'aria-current': 'true' as const } : {})}>
              <span class="model-list-name">{name}</span>
              <ChangeMark change={changes[name]?.change} />
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="no-models">No model has this name.</p>}
    </>
  );
}

/** `Model2` before `Model10`. */
const ORDER = new Intl.Collator('en', { numeric: true });

/** Also those that are gone. */
function namesIn({ models }: ModelGraph, changes: ModelListProps['changes']): readonly string[] {
  const gone = Object.entries(changes).flatMap(([name, { change }]) => (change === 'removed' ? [name] : []));
  return [...new Set([...models.map(({ name }) => name), ...gone])].toSorted(ORDER.compare);
}
