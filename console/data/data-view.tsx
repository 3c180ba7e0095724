/** The records of the database: a table for each model, and a page for each record. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ActionState, DataColumn, DataModel, DataOverview } from '../../runtime/console/data/data-forms.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { loadOverview, overview } from '../state/records.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { BackLink, ModelLinks, WithSidebar } from '../ui/sidebar.tsx';
import { counted, Loaded, Notice, withCode } from '../ui/text.tsx';
import { countText, grouped } from './cell.tsx';
import { recordHref, tableHref } from './data-links.ts';
import { Operations } from './operations.tsx';
import { type EditedColumn, RecordForm } from './record-form.tsx';
import { RecordPage } from './record-page.tsx';
import { TablePage } from './table-page.tsx';

export function RecordsView({ path, query }: ViewProps): JSX.Element {
  const state = useStore(overview);
  const { value } = state;
  useEffect(() => void loadOverview(), []);
  return (
    <WithSidebar label="Models" sidebar={value && <ModelList models={value.models} selected={path[0] ?? null} />}>
      <div class="data">
        <Loaded of={{ ...state, reload: () => void loadOverview() }}>
          {(data) => <Page data={data} path={path} query={query} />}
        </Loaded>
      </div>
    </WithSidebar>
  );
}

function Page({ data, path: [name, id], query }: ViewProps & { readonly data: DataOverview }): JSX.Element {
  if (name === undefined) return <OverviewPage data={data} />;
  const model = data.models.find((each) => each.name === name);
  if (!model) return <Notice kind="empty">There is no model {name}.</Notice>;
  if (id === undefined) return <TablePage key={name} model={model} query={query} />;
  if (id === NEW) return <NewRecord key={name} model={model} />;
  return <RecordPage key={`${name}/${id}`} model={model} id={id} />;
}

/** The id of a new record in the address. No id looks like this: they are numbers or UUIDs. */
const NEW = 'new';

// ── New record ───────────────────────────────────────────────────────────────────────────────────────────────────────

function NewRecord({ model }: { readonly model: DataModel }): JSX.Element {
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    const path = `data/${encodeURIComponent(model.name)}`;
    const { id } = await consoleApi.json<{ readonly id: string }>(path, { method: 'POST', body: { values } });
    void loadOverview();
    goTo(recordHref(model.name, id));
  };
  return (
    <>
      <BackLink href={tableHref(model.name)} to={model.name} />
      <div class="data-head row spaced">
        <h2>New {model.name}</h2>
      </div>
      <Operations model={model} operations={model.creates} values={[]} />
      <RecordForm
        model={model.name}
        columns={model.columns.filter(({ isComputed }) => !isComputed).map(emptyColumn)}
        action="Create"
        onSave={save}
        onCancel={() => goTo(tableHref(model.name))}
      />
    </>
  );
}

function emptyColumn(column: DataColumn): EditedColumn {
  if (column.hasDefault)
    return { column, draft: '', placeholder: column.name === 'id' ? 'given by the database' : 'default' };
  return column.isNullable ? { column, draft: null } : { column, draft: '', isRequired: true };
}

// ── Overview page ────────────────────────────────────────────────────────────────────────────────────────────────────

// All models at once, and the actions that fill and empty the database.

function OverviewPage({ data }: { readonly data: DataOverview }): JSX.Element {
  const { models } = data;
  const total = models.reduce((sum, { rows }) => sum + rows.count, 0);
  const isExact = models.every(({ rows }) => rows.isExact);
  return (
    <>
      <div class="data-head row spaced">
        <h2>Data</h2>
        <p class="soft medium">
          {counted(models.length, 'model')}, {countText({ count: total, isExact })} {total === 1 ? 'record' : 'records'}
        </p>
      </div>
      <Actions data={data} />
      <ul class="data-cards cards">
        {models.map(({ name, doc, rows, columns }) => (
          <li key={name}>
            <a class="box surface padded" href={tableHref(name)}>
              <strong class="ellipsis">{name}</strong>
              <span class="data-rows">{countText(rows)}</span>
              <small class="soft small">
                {doc === null ? `${columns.length} columns` : withCode(/^.*?[.!?](?=\s|$)/s.exec(doc)?.[0] ?? doc)}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

// ── Model list ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The models at the side, with the number of records of each.

interface ModelListProps {
  readonly models: readonly DataModel[];
  readonly selected: string | null;
}

function ModelList({ models, selected }: ModelListProps): JSX.Element {
  const links = models.map(({ name, rows: { count, isExact } }) => ({
    name,
    href: tableHref(name),
    mark: <span class="data-rows numbers">{`${isExact ? '' : '~'}${COMPACT.format(count)}`}</span>,
  }));
  const all = { name: ALL, href: hrefTo('data'), mark: null };
  return <ModelLinks count={models.length} links={[all, ...links]} selected={selected ?? ALL} />;
}

const ALL = 'All models';
/** `1.2M`, because there is little space. The format is made once: that takes longer than drawing a line. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

// ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Populate and reset, for the development database.

function Actions({ data: { populators, canReset } }: { readonly data: DataOverview }): JSX.Element | null {
  const { value: document } = useStore(apiDocument);
  const { isBusy, rejection, send } = useSending();
  const [done, setDone] = useState<string | null>(null);
  if (!canReset) return null;
  const act = (path: string, body: object, says: string): void => {
    setDone(null);
    void send(async () => {
      await consoleApi.send(path, { method: 'POST', body });
      await loadOverview();
      setDone(says);
    });
  };
  const reset = async (): Promise<void> => act('reset', {}, 'The database is empty. Its tables were made again.');
  return (
    <section class="data-actions spaced" aria-label="The development database">
      <div class="buttons">
        {populators.map(({ name, doc }) => (
          <span key={name} title={doc ?? undefined}>
            <Button
              icon="plus"
              isSmall
              isBusy={isBusy}
              onClick={() => act('populate', { populator: name }, `Populated with ${name}.`)}
            >
              Populate with {name}
            </Button>
          </span>
        ))}
        <ConfirmButton
          text="Reset the database"
          title="Reset the database"
          action="Delete everything"
          typed={document?.info.title ?? 'reset'}
          isBusy={isBusy}
          onConfirm={reset}
        >
          <p class="soft small">
            This deletes every record of every model, and makes the tables again. It cannot be undone.
          </p>
        </ConfirmButton>
      </div>
      {isBusy && <Progress />}
      {done !== null && !isBusy && (
        <p class="data-done apart soft small" role="status">
          {done}
        </p>
      )}
      {rejection && <Notice kind="error">{rejection.message}</Notice>}
    </section>
  );
}

const POLL_MS = 400;

function Progress(): JSX.Element {
  const [{ progress, running }, setState] = useState<ActionState>({ running: null, progress: null });
  useEffect(() => {
    const poll = (): void => void consoleApi.json<ActionState>('action').then(setState, () => undefined);
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="data-progress apart soft small">
      {progress ? (
        <progress max={progress.total} value={progress.done} aria-label="Rows" />
      ) : (
        <progress aria-label="Working" />
      )}
      <p role="status">
        {running === 'reset' ? 'Resetting …' : 'Populating …'}
        {progress && ` ${grouped(progress.done)} of ${grouped(progress.total)} rows`}
      </p>
    </div>
  );
}
