/** One record: its values, what it refers to, what refers to it, and what can be done with it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataModel, DataRecord, Referrers } from '../../runtime/console/data/data-forms.ts';
import { consoleApi, useLoaded } from '../state/console-api.ts';
import { loadOverview } from '../state/records.ts';
import { goTo } from '../state/route.ts';
import { Button } from '../ui/controls.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { BackLink } from '../ui/sidebar.tsx';
import { Loaded, Notice } from '../ui/text.tsx';
import { CellView, countText, textOf, typeText } from './cell.tsx';
import { recordHref, recordPath, shortId, tableHref } from './data-links.ts';
import { draftFrom, isComposed, isEditable, isOnlyWritten } from './drafts.ts';
import { Operations } from './operations.tsx';
import { RawNote, RecordForm } from './record-form.tsx';

export function RecordPage({ model, id }: { readonly model: DataModel; readonly id: string }): JSX.Element {
  const loaded = useLoaded<DataRecord>(recordPath(model.name, id));
  const [isEditing, setIsEditing] = useState(false);
  const title = loaded.value?.label ?? `${model.name} ${shortId(id)}`;
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    if (Object.keys(values).length > 0)
      await consoleApi.send(recordPath(model.name, id), { method: 'PATCH', body: { values } });
    setIsEditing(false);
    // The id itself may have been changed.
    if (values.id !== undefined && String(values.id) !== id) goTo(recordHref(model.name, String(values.id)));
    else loaded.reload();
  };
  const remove = async (): Promise<void> => {
    await consoleApi.send(recordPath(model.name, id), { method: 'DELETE' });
    void loadOverview();
    goTo(tableHref(model.name));
  };
  return (
    <>
      <BackLink href={tableHref(model.name)} to={model.name} />
      <Loaded of={loaded}>
        {(value) => (
          <>
            <div class="data-head row spaced">
              <h2>{title}</h2>
              {title !== `${model.name} ${id}` && (
                <p class="soft medium">
                  {model.name} {id}
                </p>
              )}
              {!isEditing && (
                <div class="buttons end">
                  <Button isSmall onClick={() => setIsEditing(true)}>
                    Edit
                  </Button>
                  <ConfirmButton text="Delete" title={`Delete ${title}?`} action="Delete" onConfirm={remove}>
                    <DeleteNote />
                  </ConfirmButton>
                </div>
              )}
            </div>
            {isEditing ? (
              <RecordForm
                model={model.name}
                columns={editedColumns(model, value)}
                action="Save"
                onSave={save}
                onCancel={() => setIsEditing(false)}
              />
            ) : (
              <>
                <Operations model={model} operations={value.operations} values={value.values} />
                {value.slow && <Notice>{`${leftOut(value.slow)}.`}</Notice>}
                <Values model={model} record={value} />
                <References record={value} />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The columns of the form, without values that are too long to be shown whole: saving them would cut them off. */
function editedColumns({ columns }: DataModel, { values }: DataRecord) {
  return columns.flatMap((column, at) => {
    const cell = values[at] ?? null;
    if (!isEditable(column, cell)) return [];
    const placeholder = isOnlyWritten(column) ? { placeholder: 'unchanged' } : {};
    return [{ column, draft: draftFrom(column, cell), ...placeholder }];
  });
}

interface PartProps {
  readonly model: DataModel;
  readonly record: DataRecord;
}

function Values({ model, record }: PartProps): JSX.Element {
  return (
    <dl class="data-record box surface lined spaced">
      {model.columns.map((column, at) => {
        if (record.slow?.includes(column.name)) return null;
        const cell = record.values[at] ?? null;
        const label = record.labels[column.name]?.[textOf(cell)];
        return (
          <div key={column.name}>
            <dt class="row medium" title={column.doc}>
              {column.name}
              <span class="data-type">{typeText(column)}</span>
            </dt>
            <dd class={isComposed(column) ? 'is-code' : ''}>
              <CellView
                isWhole
                column={column}
                cell={isComposed(column) && typeof cell === 'string' ? draftFrom(column, cell) : cell}
                label={label}
                path={`${recordPath(model.name, record.id)}/${column.name}`}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function References({ record: { referredBy, id } }: Pick<PartProps, 'record'>): JSX.Element | null {
  if (referredBy.length === 0) return null;
  return (
    <section class="data-referrers" aria-label="Records that refer to this one">
      <h3>Referred to by</h3>
      <div class="cards">
        {referredBy.map((each) => (
          <Referring key={`${each.model}.${each.column}`} referrers={each} id={id} />
        ))}
      </div>
    </section>
  );
}

interface ReferringProps {
  readonly referrers: Referrers;
  readonly id: string;
}

function Referring({ referrers, id }: ReferringProps): JSX.Element {
  const { model, column, reference, total, records } = referrers;
  return (
    <article class="box padded">
      <h4 class="row medium">
        {model}
        <span class="data-type">through {reference}</span>
        <span class="data-rows end">{countText(total, false)}</span>
      </h4>
      {records.length === 0 ? (
        <em class="soft tiny">none</em>
      ) : (
        <ul>
          {records.map((each) => (
            <li key={each.id}>
              <a class="link small ellipsis" href={recordHref(model, each.id)}>
                {each.label ?? `${model} ${each.id}`}
                {each.label !== null && <span class="cell-key soft">{each.id}</span>}
              </a>
            </li>
          ))}
        </ul>
      )}
      {total.count > records.length && (
        <a class="small" href={tableHref(model, { filters: [`${column}:is:${id}`] })}>
          Show all
        </a>
      )}
    </article>
  );
}

export function leftOut(slow: readonly string[]): string {
  return `Reading these took too long, so they are left out: ${slow.join(', ')}`;
}

export function DeleteNote(): JSX.Element {
  return (
    <>
      <RawNote />
      <p class="soft small">
        Records that refer to it with <code>on delete cascade</code> are deleted too. This cannot be undone.
      </p>
    </>
  );
}
