/** The reference: every operation of the API. */
import type { JSX } from 'preact';
import { apiDocument } from '../state/api-document.ts';
import { hrefTo, type ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge } from '../ui/badges.tsx';
import { Notice, Spinner } from '../ui/notice.tsx';
import { WithSidebar } from '../ui/sidebar.tsx';

export function ReferenceView(_: ViewProps): JSX.Element {
  const loaded = useStore(apiDocument);
  const operations =
    loaded.kind === 'loaded'
      ? Object.entries(loaded.value.paths).flatMap(([path, item]) =>
          Object.entries(item).map(([method, { operationId, summary }]) => ({ path, method, operationId, summary })),
        )
      : [];
  return (
    <WithSidebar
      label="Operations"
      sidebar={
        <ul>
          {operations.map(({ operationId, method, path }) => (
            <li key={operationId}>
              <a href={hrefTo('reference', [operationId])}>
                <MethodBadge method={method} /> {path}
              </a>
            </li>
          ))}
        </ul>
      }
    >
      {loaded.kind === 'loading' && <Spinner label="Loading the API …" />}
      {loaded.kind === 'failed' && <Notice kind="error">{loaded.message}</Notice>}
    </WithSidebar>
  );
}
