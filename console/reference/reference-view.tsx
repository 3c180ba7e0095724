/** The reference: every operation of the API, what it takes, what it gives, who may call it, and a form to try it. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { apiDocument } from '../state/api-document.ts';
import { type Api, type ApiGroup, apiOf } from '../state/operations.ts';
import type { ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Notice, Spinner } from '../ui/notice.tsx';
import { WithSidebar } from '../ui/sidebar.tsx';
import { GroupPage } from './group-page.tsx';
import { Outline } from './outline.tsx';
import { Overview } from './overview.tsx';

export function ReferenceView({ path, query }: ViewProps): JSX.Element {
  const loaded = useStore(apiDocument);
  if (loaded.kind === 'loaded') return <Reference api={apiOf(loaded.value)} path={path} query={query} />;
  return (
    <main id="content" class="content" tabIndex={-1}>
      {loaded.kind === 'loading' ? (
        <Spinner label="Loading the API …" />
      ) : (
        <Notice kind="error">{loaded.message}</Notice>
      )}
    </main>
  );
}

function Reference({ api, path, query }: ViewProps & { readonly api: Api }): JSX.Element {
  const { group, id } = placeIn(api, path);
  const isUnknown = path.length > 0 && group === null;
  useEffect(() => {
    if (group === null) window.scrollTo(0, 0);
  }, [group]);
  return (
    <WithSidebar label="Operations" sidebar={<Outline api={api} tag={group?.tag ?? null} id={id} />}>
      {isUnknown && <Notice kind="error">The API has no operation or group {path.join('/')}.</Notice>}
      {group ? (
        <GroupPage api={api} group={group} id={id} isTried={query.has('try')} given={query} />
      ) : (
        <Overview api={api} />
      )}
    </WithSidebar>
  );
}

interface Place {
  readonly group: ApiGroup | null;
  readonly id: string | null;
}

/** `postList`, `tag/post`, and as earlier pages wrote them: `post`, `post/postList`. */
function placeIn(api: Api, path: readonly string[]): Place {
  const last = path.at(-1) ?? '';
  const operation = path[0] === 'tag' ? undefined : api.byId.get(last);
  const tag = operation?.tag ?? last;
  return { group: api.groups.find((group) => group.tag === tag) ?? null, id: operation?.id ?? null };
}
