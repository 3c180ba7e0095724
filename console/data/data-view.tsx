/** The records of the database: a table for each model, and a page for each record. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { DataOverview } from '../../runtime/console/data/data-forms.ts';
import type { ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Failed, Notice, Spinner } from '../ui/notice.tsx';
import { WithSidebar } from '../ui/sidebar.tsx';
import { loadOverview, overview } from './data-state.ts';
import { ModelList } from './model-list.tsx';
import { NewRecord } from './new-record.tsx';
import { OverviewPage } from './overview-page.tsx';
import { RecordPage } from './record-page.tsx';
import { TablePage } from './table-page.tsx';

export function RecordsView({ path, query }: ViewProps): JSX.Element {
  const { value, error } = useStore(overview);
  useEffect(() => void loadOverview(), []);
  return (
    <WithSidebar label="Models" sidebar={value && <ModelList models={value.models} selected={path[0]} />}>
      <div class="data">
        {error !== null && <Failed error={error} onRetry={() => void loadOverview()} />}
        {value === null ? (
          error === null && <Spinner label="Loading …" />
        ) : (
          <Page data={value} path={path} query={query} />
        )}
      </div>
    </WithSidebar>
  );
}

function Page({ data, path: [name, id], query }: ViewProps & { readonly data: DataOverview }): JSX.Element {
  if (name === undefined) return <OverviewPage data={data} />;
  const model = data.models.find((each) => each.name === name);
  if (!model) return <Notice kind="empty">There is no model {name}.</Notice>;
  if (id === undefined) return <TablePage key={name} model={model} query={query} />;
  if (id === NEW) return <NewRecord key={name} model={model} query={query} />;
  return <RecordPage key={`${name}/${id}`} model={model} id={id} query={query} />;
}

/** No id looks like that: they are numbers or UUIDs. */
const NEW = 'new';
