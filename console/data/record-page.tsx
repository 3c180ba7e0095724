/** One record: its values, what it refers to, what refers to it, and what can be done with it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataModel, DataRecord, Referrers } from '../../runtime/console/data/data-forms.ts';
import { consoleApi, useLoaded } from '../state/console-api.ts';
import { loadOverview } from '../state/records.ts';
import { goTo } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Loaded } from '../ui/notice.tsx';
import { CellView, countText, textOf, typeText } from './cell.tsx';
import {
  Breadcrumb,
  type ModelPageProps,
  recordHref,
  recordPath,
  type Trail,
  tableHref,
  trailFrom,
} from './data-links.tsx';
import { draftFrom, isComposed, isEditable, isOnlyWritten } from './drafts.ts';
import { Operations } from './operations.tsx';
import { RawNote, RecordForm } from './record-form.tsx';

export function RecordPage({ model, id, query }: ModelPageProps & { readonly id: string }): JSX.Element {
  const trail = trailFrom(query);
  const loaded = useLoaded<DataRecord>(recordPath(model.name, id));
  const [isEditing, setIsEditing] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const title = loaded.value?.label ?? `${model.name} ${id}`;
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    if (Object.keys(values).length > 0)
      await consoleApi.send(recordPath(model.name, id), { method: 'PATCH', body: { values } });
    setIsEditing(false);
    // The id itself may have been changed.
    if (values.id !== undefined && String(values.id) !== id) goTo(recordHref(model.name, String(values.id), trail));
    else loaded.reload();
  };
  return (
    <>
      <Breadcrumb trail={trail} model={model.name} current={title} />
      <Loaded of={loaded}>
        {(value) => (
          <>
            <div class="data-head row spaced">
              <h2>{title}</h2>
              <p class="soft medium">
                {model.name} {id}
              </p>
              {!isEditing && (
                <div class="buttons end">
                  <Button isSmall onClick={() => setIsEditing(true)}>
                    Edit
                  </Button>
                  <Button isSmall look="danger" onClick={() => setIsDeleting(true)}>
                    Delete …
                  </Button>
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
                <Values model={model} record={value} trail={[...trail, `${model.name}/${id}`]} />
                <References model={model} record={value} trail={[...trail, `${model.name}/${id}`]} />
              </>
            )}
            <DeleteDialog
              model={model}
              id={id}
              title={title}
              isOpen={isDeleting}
              onClose={() => setIsDeleting(false)}
            />
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
    if (!isEditable(cell)) return [];
    const placeholder = isOnlyWritten(column) ? { placeholder: 'unchanged' } : {};
    return [{ column, draft: draftFrom(column, cell), ...placeholder }];
  });
}

interface PartProps {
  readonly model: DataModel;
  readonly record: DataRecord;
  readonly trail: Trail;
}

function Values({ model, record, trail }: PartProps): JSX.Element {
  return (
    <dl class="data-record box surface lined spaced">
      {model.columns.map((column, at) => {
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
                column={column}
                cell={isComposed(column) && typeof cell === 'string' ? draftFrom(column, cell) : cell}
                label={label}
                trail={trail}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function References({ record: { referredBy, id }, trail }: PartProps): JSX.Element | null {
  if (referredBy.length === 0) return null;
  return (
    <section class="data-referrers" aria-label="Records that refer to this one">
      <h3>Referred to by</h3>
      <div class="cards">
        {referredBy.map((each) => (
          <Referring key={`${each.model}.${each.column}`} referrers={each} id={id} trail={trail} />
        ))}
      </div>
    </section>
  );
}

interface ReferringProps {
  readonly referrers: Referrers;
  readonly id: string;
  readonly trail: Trail;
}

function Referring({ referrers, id, trail }: ReferringProps): JSX.Element {
  const { model, column, reference, total, records } = referrers;
  return (
    <article class="box padded">
      <h4 class="row medium">
        {model}
        <span class="data-type">through {reference}</span>
        <span class="data-rows end">{countText(total, false)}</span>
      </h4>
      {records.length === 0 ? (
        <p class="cell-null soft tiny">none</p>
      ) : (
        <ul>
          {records.map((each) => (
            <li key={each.id}>
              <a class="link small ellipsis" href={recordHref(model, each.id, trail)}>
                {each.label ?? `${model} ${each.id}`}
                {each.label !== null && <span class="cell-key soft">{each.id}</span>}
              </a>
            </li>
          ))}
        </ul>
      )}
      {total.count > records.length && (
        <a class="small" href={tableHref(model, { filters: [`${column}:is:${id}`] }, trail)}>
          Show all
        </a>
      )}
    </article>
  );
}

interface DeleteDialogProps {
  readonly model: DataModel;
  readonly id: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ model, id, title, isOpen, onClose }: DeleteDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await consoleApi.send(recordPath(model.name, id), { method: 'DELETE' });
    void loadOverview();
    goTo(tableHref(model.name));
  };
  return (
    <Confirm title={`Delete ${title}?`} action="Delete" isOpen={isOpen} onClose={onClose} onConfirm={remove}>
      <DeleteNote />
    </Confirm>
  );
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
