/** The groups at the side of the reference, with their operations where they are in view or found by the search. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { search } from '../search/search-index.ts';
import type { Api, ApiGroup, ApiOperation } from '../state/operations.ts';
import { hrefTo } from '../state/route.ts';
import { searchPhrase } from '../state/search-phrase.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge } from '../ui/badges.tsx';
import { viewedOperation } from './viewed-operation.ts';

/** A small API shows all of its operations at once. */
const MOST_OPEN = 80;
/** Of a search. The rest is found by more words. */
const MOST_FOUND = 200;

interface OutlineProps {
  readonly api: Api;
  readonly tag: string | null;
  readonly id: string | null;
}

export function Outline({ api, tag, id: named }: OutlineProps): JSX.Element {
  const id = useStore(viewedOperation) ?? named;
  const phrase = useStore(searchPhrase);
  const found = useMemo(() => foundIn(api, phrase), [api, phrase]);
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [id]);
  const isSmall = api.byId.size <= MOST_OPEN;
  const shown = found === null ? api.groups : api.groups.filter((group) => group.operations.some(found));
  return (
    <ul class="side-list outline">
      {shown.map((group) => (
        <OutlineGroup
          key={group.tag}
          group={group}
          isCurrent={id === null && group.tag === tag}
          operations={found ? group.operations.filter(found) : isSmall || group.tag === tag ? group.operations : []}
          id={id}
          current={current}
        />
      ))}
      {shown.length === 0 && <li class="outline-empty">Nothing was found.</li>}
    </ul>
  );
}

/** Null without a search. */
function foundIn(api: Api, phrase: string): ((operation: ApiOperation) => boolean) | null {
  if (phrase.trim() === '') return null;
  const ids = new Set(
    search(api, phrase)
      .slice(0, MOST_FOUND)
      .map(({ operation }) => operation.id),
  );
  return ({ id }) => ids.has(id);
}

interface OutlineGroupProps {
  readonly group: ApiGroup;
  readonly isCurrent: boolean;
  readonly operations: readonly ApiOperation[];
  readonly id: string | null;
  readonly current: { current: HTMLAnchorElement | null };
}

function OutlineGroup({ group, isCurrent, operations, id, current }: OutlineGroupProps): JSX.Element {
  const { tag, label, heading, depth } = group;
  return (
    <li class="outline-group" data-depth={Math.min(depth, 3)}>
      {heading !== null && <p class="outline-heading">{heading}</p>}
      <a class="outline-tag" href={hrefTo('reference', ['tag', tag])} data-tag={tag} {...currentIf(isCurrent)}>
        <span>{label}</span>
        <span class="outline-count">{group.operations.length}</span>
      </a>
      {operations.length > 0 && (
        <ul>
          {operations.map((operation) => (
            <li key={operation.id}>
              <a
                class="outline-operation"
                href={hrefTo('reference', [operation.id])}
                title={`${operation.method.toUpperCase()} ${operation.path}`}
                ref={operation.id === id ? current : null}
                data-operation={operation.id}
                {...currentIf(operation.id === id)}
              >
                <span class="outline-summary">{operation.operation.summary}</span>
                <MethodBadge method={operation.method} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function currentIf(isCurrent: boolean): { readonly 'aria-current'?: 'page' } {
  return isCurrent ? { 'aria-current': 'page' } : {};
}
