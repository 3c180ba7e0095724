/** The table of one model: sorted, filtered, a page at a time. Its state is in the address. */
import type { JSX } from 'preact';
import {
  type Cell,
  type DataColumn,
  type DataModel,
  type DataPage,
  isSortable,
} from '../../runtime/console/data/data-forms.ts';
import { useLoaded } from '../state/console-api.ts';
import { goTo } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';
import { Prose } from '../ui/text.tsx';
import { CellView, countText, grouped, isNumeric, textOf, typeText } from './cell.tsx';
import {
  Breadcrumb,
  type ModelPageProps,
  pagePath,
  recordHref,
  type TableWish,
  type Trail,
  tableHref,
  tableWishFrom,
  trailFrom,
} from './data-links.tsx';
import { loadOverview } from './data-state.ts';
import { EditableCell } from './editable-cell.tsx';
import { FilterBar } from './filter-bar.tsx';

export function TablePage({ model, query }: ModelPageProps): JSX.Element {
  const wish = tableWishFrom(query);
  const trail = trailFrom(query);
  const loaded = useLoaded<DataPage>(pagePath(model.name, wish));
  const show = (next: Partial<TableWish>): void => goTo(tableHref(model.name, { ...wish, page: 1, ...next }, trail));
  const refresh = (): void => {
    loaded.reload();
    void loadOverview();
  };
  return (
    <>
      <Breadcrumb trail={trail} model={model.name} />
      <div class="data-head row spaced">
        <h2>{model.name}</h2>
        <div class="buttons end">
          <Button isSmall onClick={refresh} isBusy={loaded.isLoading}>
            Refresh
          </Button>
          <Button isSmall look="primary" icon="plus" onClick={() => goTo(recordHref(model.name, 'new', trail))}>
            New record
          </Button>
        </div>
        {model.doc !== null && <Prose text={model.doc} />}
      </div>
      <FilterBar model={model} filters={wish.filters} onChange={(filters) => show({ filters })} />
      <Loaded of={loaded}>
        {(page) => (
          <>
            <Table
              model={model}
              wish={wish}
              trail={trail}
              page={page}
              isLoading={loaded.isLoading}
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

interface TableProps {
  readonly model: DataModel;
  readonly wish: TableWish;
  readonly trail: Trail;
  readonly page: DataPage;
  readonly isLoading: boolean;
  readonly show: (next: Partial<TableWish>) => void;
  readonly onChanged: () => void;
}

function Table(props: TableProps): JSX.Element {
  const { model, wish, page, isLoading, show } = props;
  if (page.rows.length === 0) return <Nothing hasFilters={wish.filters.length > 0} page={page.page} />;
  return (
    <section class="data-table box surface" aria-label={`Records of ${model.name}`} aria-busy={isLoading}>
      <table>
        <thead>
          <tr>
            {model.columns.map((column) => (
              <ColumnHead key={column.name} column={column} sort={wish.sort} onSort={(sort) => show({ sort })} />
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, at) => (
            <Row key={textOf(row[0] ?? null)} {...props} row={row} isFirst={at === 0} />
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
        <button
          type="button"
          class={`line ${isUp || isDown ? 'is-sorted' : ''}`}
          onClick={() => onSort(isUp ? `-${name}` : name)}
        >
          {text}
          <span class={`data-arrow ${isDown ? 'is-down' : ''}`}>
            <Icon name="chevron" />
          </span>
        </button>
      ) : (
        <span class="data-unsorted line">{text}</span>
      )}
    </th>
  );
}

interface RowProps extends TableProps {
  readonly row: readonly Cell[];
  readonly isFirst: boolean;
}

function Row({ model, row, page, trail, isFirst, onChanged }: RowProps): JSX.Element {
  const id = textOf(row[model.columns.findIndex(({ name }) => name === 'id')] ?? null);
  const further = [...trail, `${model.name}/${id}`];
  return (
    <tr>
      {model.columns.map((column, at) => {
        const cell = row[at] ?? null;
        const label = page.labels[column.name]?.[textOf(cell)];
        const shown =
          column.name === 'id' ? (
            <a class="cell-id link" href={recordHref(model.name, id, trail)} title={`Open ${model.name} ${id}`}>
              <CellView column={column} cell={cell} trail={further} />
            </a>
          ) : (
            <CellView column={column} cell={cell} label={label} trail={further} />
          );
        return (
          <EditableCell
            key={column.name}
            model={model}
            id={id}
            column={column}
            cell={cell}
            isFirst={isFirst && at === 0}
            onChanged={onChanged}
          >
            {shown}
          </EditableCell>
        );
      })}
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
