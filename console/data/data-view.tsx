/** The records of the database: a table for each model, and a page for each record. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DataColumn, DataModel, DataOverview } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { goTo, type ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Failed, Notice, Spinner } from '../ui/notice.tsx';
import { WithSidebar } from '../ui/sidebar.tsx';
import { withCode } from '../ui/text.tsx';
import { Actions } from './actions.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { countText, grouped } from './cell.tsx';
import { recordHref, tableHref, trailFrom } from './data-links.ts';
import { loadOverview, overview } from './data-state.ts';
import { ModelList } from './model-list.tsx';
import { Operations } from './operations.tsx';
import { type EditedColumn, RecordForm } from './record-form.tsx';
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

// ── New record ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface NewRecordProps {
  readonly model: DataModel;
  readonly query: URLSearchParams;
}

function NewRecord({ model, query }: NewRecordProps): JSX.Element {
  const trail = trailFrom(query);
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    const path = `data/${encodeURIComponent(model.name)}`;
    const { id } = await consoleApi.json<{ readonly id: string }>(path, { method: 'POST', body: { values } });
    void loadOverview();
    goTo(recordHref(model.name, id, trail));
  };
  return (
    <>
      <Breadcrumb trail={trail} model={model.name} current="New record" />
      <div class="data-head">
        <h2>New {model.name}</h2>
      </div>
      <Operations model={model} operations={model.creates} values={[]} />
      <RecordForm
        columns={model.columns.map(emptyColumn)}
        action="Create"
        onSave={save}
        onCancel={() => goTo(tableHref(model.name, {}, trail))}
      />
    </>
  );
}

function emptyColumn(column: DataColumn): EditedColumn {
  if (column.hasDefault)
    return { column, draft: '', placeholder: column.name === 'id' ? 'given by the database' : 'default' };
  return { column, draft: column.isNullable ? null : '' };
}

// ── Overview page ────────────────────────────────────────────────────────────────────────────────────────────────────

// All models at once, and what fills and empties the database.

/** More are drawn when somebody asks for them: the list at the side has all. */
const MANY = 100;

function OverviewPage({ data }: { readonly data: DataOverview }): JSX.Element {
  const { models } = data;
  const total = models.reduce((sum, { rows }) => sum + rows.count, 0);
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? models : models.slice(0, MANY);
  const isExact = models.every(({ rows }) => rows.isExact);
  return (
    <>
      <div class="data-head">
        <h2>Data</h2>
        <p class="data-sub">
          {grouped(models.length)} {models.length === 1 ? 'model' : 'models'}, {countText({ count: total, isExact })}{' '}
          {total === 1 ? 'record' : 'records'}
        </p>
      </div>
      <Actions data={data} />
      <ul class="data-cards">
        {shown.map(({ name, doc, rows, columns }) => (
          <li key={name}>
            <a href={tableHref(name)}>
              <strong>{name}</strong>
              <span class="data-rows">{countText(rows)}</span>
              <small>{doc === null ? `${columns.length} columns` : withCode(firstSentence(doc))}</small>
            </a>
          </li>
        ))}
      </ul>
      {shown.length < models.length && (
        <p class="data-more">
          <Button onClick={() => setIsAll(true)}>Show all {grouped(models.length)} models</Button>
        </p>
      )}
    </>
  );
}

function firstSentence(doc: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(doc)?.[0] ?? doc;
}
