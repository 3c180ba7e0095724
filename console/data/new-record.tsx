import type { JSX } from 'preact';
import type { DataColumn, DataModel } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { goTo } from '../state/route.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { recordHref, tableHref, trailFrom } from './data-links.ts';
import { loadOverview } from './data-state.ts';
import { Operations } from './operations.tsx';
import { type EditedColumn, RecordForm } from './record-form.tsx';

interface NewRecordProps {
  readonly model: DataModel;
  readonly query: URLSearchParams;
}

export function NewRecord({ model, query }: NewRecordProps): JSX.Element {
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
