/** The table of one model: sorted, filtered, a page at a time. Its state is in the address. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  type Cell,
  type DataColumn,
  type DataModel,
  type DataPage,
  isSortable,
} from '../../runtime/console/data/data-forms.ts';
import { ConsoleApiError, consoleApi, useLoaded, useSending } from '../state/console-api.ts';
import { loadOverview } from '../state/records.ts';
import { goTo } from '../state/route.ts';
import { BROWSER, storedText, useStore } from '../state/store.ts';
import { Button, CheckBox } from '../ui/controls.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { counted, Loaded, Notice, Prose } from '../ui/text.tsx';
import { countText, grouped, isNumeric, textOf, typeText } from './cell.tsx';
import { pagePath, recordHref, recordPath, type TableWish, tableHref, tableWishFrom } from './data-links.ts';
import { EditableCell } from './editable-cell.tsx';
import { exportTable } from './export.ts';
import { FilterBar } from './filter-bar.tsx';
import { DeleteNote, leftOut } from './record-page.tsx';

const LIVE_MS = 1000;

interface TablePageProps {
  readonly model: DataModel;
  readonly query: URLSearchParams;
}

export function TablePage({ model, query }: TablePageProps): JSX.Element {
  const wish = tableWishFrom(query);
  const [columns, toggle] = useColumns(model);
  const hidden = model.columns.flatMap((column) => (columns.includes(column) ? [] : column.name));
  const path = pagePath(model.name, wish, hidden);
  const loaded = useLoaded<DataPage>(path);
  const [isLive, setIsLive] = useState(false);
  const [ticked, setChosen] = useState<readonly string[]>([]);
  const ids = loaded.value?.rows.map(idOf) ?? [];
  const chosen = ticked.filter((id) => ids.includes(id));
  const exporting = useSending();
  useEffect(() => setChosen([]), [path]);
  useEffect(() => {
    if (!isLive || loaded.isLoading) return;
    const timer = setTimeout(loaded.reload, LIVE_MS);
    return () => clearTimeout(timer);
  }, [isLive, loaded.isLoading]);
  const show = (next: Partial<TableWish>): void => goTo(tableHref(model.name, { ...wish, page: 1, ...next }));
  const refresh = (): void => {
    setChosen([]);
    loaded.reload();
    void loadOverview();
  };
  return (
    <>
      <div class="data-head row spaced">
        <h2>{model.name}</h2>
        <div class="buttons end">
          <CheckBox label="Live" isOn={isLive} onChange={setIsLive} />
          <Button isSmall onClick={refresh} isBusy={loaded.isLoading && !isLive}>
            Refresh
          </Button>
          {(['CSV', 'JSON'] as const).map((form) => (
            <Button
              key={form}
              isSmall
              isBusy={exporting.isBusy}
              onClick={() => void exporting.send(() => exportTable(model, columns, wish, form))}
            >
              {form}
            </Button>
          ))}
          <Button isSmall look="primary" icon="plus" onClick={() => goTo(recordHref(model.name, 'new'))}>
            New record
          </Button>
          <DeleteChosen model={model} ids={chosen} onDone={refresh} />
        </div>
        {model.doc !== null && <Prose text={model.doc} />}
      </div>
      {exporting.rejection && <Notice kind="error">{exporting.rejection.message}</Notice>}
      <FilterBar model={model} filters={wish.filters} onChange={(filters) => show({ filters })} />
      <details class="data-columns small">
        <summary>Columns</summary>
        <div class="row">
          {model.columns.slice(1).map((column) => (
            <CheckBox
              key={column.name}
              label={column.name}
              isOn={columns.includes(column)}
              onChange={() => toggle(column.name)}
            />
          ))}
        </div>
      </details>
      <Loaded of={loaded}>
        {(page) => (
          <>
            {page.slow && <Notice>{`${leftOut(page.slow)}. A filter may help.`}</Notice>}
            <Table
              model={model}
              columns={columns.filter(({ name }) => !page.hidden.includes(name))}
              wish={wish}
              page={page}
              isLoading={loaded.isLoading && !isLive}
              chosen={chosen}
              onChoose={setChosen}
              show={show}
              onChanged={refresh}
            />
            <Pager page={page} wish={wish} show={show} />
          </>
        )}
      </Loaded>
    </>
  );
}

const storedHidden = storedText(BROWSER, 'kiln-hidden-columns');

/** The shown columns, first the id and the column that tells which record it is; and a function that hides one or shows it again. */
function useColumns({ name, label, columns }: DataModel): readonly [readonly DataColumn[], (column: string) => void] {
  const hidden = new Set((useStore(storedHidden) ?? '').split(' '));
  const rank = (column: DataColumn): number => ['id', label].indexOf(column.name) + 1 || 3;
  const shown = columns.filter((column) => !hidden.has(`${name}.${column.name}`));
  const toggle = (column: string): void => {
    const key = `${name}.${column}`;
    if (!hidden.delete(key)) hidden.add(key);
    storedHidden.set([...hidden].join(' '));
  };
  return [shown.toSorted((one, other) => rank(one) - rank(other)), toggle];
}

/** Another record may have taken it along. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ConsoleApiError) || error.status !== 404) throw error;
}

interface DeleteChosenProps {
  readonly model: DataModel;
  readonly ids: readonly string[];
  readonly onDone: () => void;
}

function DeleteChosen({ model: { name }, ids, onDone }: DeleteChosenProps): JSX.Element | null {
  const what = counted(ids.length, 'record');
  const remove = async (): Promise<void> => {
    for (const id of ids) await consoleApi.send(recordPath(name, id), { method: 'DELETE' }).catch(unlessGone);
    onDone();
  };
  if (ids.length === 0) return null;
  return (
    <ConfirmButton text={`Delete ${what}`} title={`Delete ${what} of ${name}?`} action="Delete" onConfirm={remove}>
      <DeleteNote />
    </ConfirmButton>
  );
}

function idOf([id = null]: readonly Cell[]): string {
  return textOf(id);
}

interface TableProps {
  readonly model: DataModel;
  /** The shown columns. */
  readonly columns: readonly DataColumn[];
  readonly wish: TableWish;
  readonly page: DataPage;
  readonly isLoading: boolean;
  /** The ids of the selected records. */
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
  readonly show: (next: Partial<TableWish>) => void;
  readonly onChanged: () => void;
}

function Table(props: TableProps): JSX.Element {
  const { model, columns, wish, page, isLoading, chosen, onChoose, show } = props;
  if (page.rows.length === 0) return <Nothing hasFilters={wish.filters.length > 0} page={page.page} />;
  const ids = page.rows.map(idOf);
  return (
    <section class="data-table box surface" aria-label={`Records of ${model.name}`} aria-busy={isLoading}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.name} column={column} sort={wish.sort} onSort={(sort) => show({ sort })} />
            ))}
            <td class="data-choice">
              <CheckBox
                label="Select all"
                text=""
                isOn={ids.every((id) => chosen.includes(id))}
                onChange={(isOn) => onChoose(isOn ? ids : [])}
              />
            </td>
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, at) => (
            <Row key={ids[at]} {...props} row={row} id={ids[at] ?? ''} isFirst={at === 0} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Nothing({ hasFilters, page }: { readonly hasFilters: boolean; readonly page: number }): JSX.Element {
  if (page > 1) return <Notice kind="empty">There is no page {page}.</Notice>;
  return <Notice kind="empty">{hasFilters ? 'No record matches the filters.' : 'There are no records yet.'}</Notice>;
}

interface ColumnHeadProps {
  readonly column: DataColumn;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function ColumnHead({ column, sort, onSort }: ColumnHeadProps): JSX.Element {
  const { name, doc } = column;
  // Records are sorted by id by default.
  const isUp = sort === name || (sort === '' && name === 'id');
  const isDown = sort === `-${name}`;
  const kind = typeText(column);
  const numeric = isNumeric(column) ? 'is-numeric' : '';
  const text = (
    <span class="data-heading">
      {name}
      <span class="data-type">{kind}</span>
    </span>
  );
  return (
    <th scope="col" class={numeric} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'} title={doc}>
      {isSortable(column) ? (
        <button type="button" class="line" onClick={() => onSort(isUp ? `-${name}` : name)}>
          {text}
          <span aria-hidden="true">{isUp ? '↑' : isDown ? '↓' : ''}</span>
        </button>
      ) : (
        <span class="data-unsorted line">{text}</span>
      )}
    </th>
  );
}

interface RowProps extends TableProps {
  readonly row: readonly Cell[];
  readonly id: string;
  readonly isFirst: boolean;
}

function Row({ model, columns, row, id, page, isFirst, chosen, onChoose, onChanged }: RowProps): JSX.Element {
  return (
    <tr>
      {columns.map((column, at) => {
        const cell = row[model.columns.indexOf(column)] ?? null;
        return (
          <EditableCell
            key={column.name}
            model={model}
            id={id}
            column={column}
            cell={cell}
            label={page.labels[column.name]?.[textOf(cell)]}
            isFirst={isFirst && at === 0}
            onChanged={onChanged}
          />
        );
      })}
      <td class="data-choice">
        <CheckBox
          label={`Select ${model.name} ${id}`}
          text=""
          isOn={chosen.includes(id)}
          onChange={(isOn) => onChoose(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
        />
      </td>
    </tr>
  );
}

type PagerProps = Pick<TableProps, 'page' | 'wish' | 'show'>;

function Pager({ page: { page, pageSize, rows, hasMore, lastPage, total }, wish, show }: PagerProps): JSX.Element {
  const first = (page - 1) * pageSize + 1;
  const range = rows.length === 0 ? 'No records' : `${grouped(first)}–${grouped(first + rows.length - 1)}`;
  const of = total === null || rows.length === 0 ? '' : ` of ${countText(total, wish.filters.length === 0)}`;
  const isAtBound = hasMore && page >= lastPage;
  return (
    <nav class="data-pager row apart soft small" aria-label="Pages">
      <p class="numbers" role="status">
        {range}
        {of}
      </p>
      {isAtBound && <p>To see further records, use a filter or sort the other way round.</p>}
      <div class="buttons end">
        <Button isSmall disabled={page === 1} onClick={() => show({ page: page - 1 })}>
          Previous
        </Button>
        <Button isSmall disabled={!hasMore || isAtBound} onClick={() => show({ page: page + 1 })}>
          Next
        </Button>
      </div>
    </nav>
  );
}
