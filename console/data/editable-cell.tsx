/** A cell of the table. A double click, or Enter on a cell that has the focus, edits it in place. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Cell, DataColumn, DataModel } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { CellView, isNumeric } from './cell.tsx';
import { recordHref, recordPath } from './data-links.ts';
import { draftFrom, isEditable } from './drafts.ts';
import { RecordForm } from './record-form.tsx';

interface EditableCellProps {
  readonly model: DataModel;
  readonly id: string;
  readonly column: DataColumn;
  readonly cell: Cell;
  /** The label of the record that the column refers to. */
  readonly label: string | undefined;
  /** The Tab key reaches one cell of the table; the arrows lead to the others. */
  readonly isFirst: boolean;
  readonly onChanged: () => void;
}

export function EditableCell(props: EditableCellProps): JSX.Element {
  const { model, id, column, cell, label, isFirst, onChanged } = props;
  const place = useRef<HTMLTableCellElement>(null);
  const [isEditing, setIsEditing] = useState(false);
  const shown = (
    <CellView column={column} cell={cell} label={label} path={`${recordPath(model.name, id)}/${column.name}`} />
  );
  const canEdit = column.name !== 'id' && isEditable(column, cell);
  const end = (): void => {
    setIsEditing(false);
    place.current?.focus();
  };
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    // An unchanged draft is not sent: a secret shows nothing, and sending that would overwrite it.
    const isChanged = Object.keys(values).length > 0;
    if (isChanged) await consoleApi.send(recordPath(model.name, id), { method: 'PATCH', body: { values } });
    end();
    if (isChanged) onChanged();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') end();
    if (event.target !== event.currentTarget) return;
    if (event.key !== 'Enter') moveBetweenCells(event);
    else if (!canEdit) place.current?.querySelector('a')?.click();
    else {
      // The key would otherwise send the form that appears.
      event.preventDefault();
      setIsEditing(true);
    }
  };
  return (
    <td
      ref={place}
      class={isEditing ? 'is-editing' : isNumeric(column) ? 'is-numeric' : ''}
      tabIndex={isFirst ? 0 : -1}
      onDblClick={() => setIsEditing(canEdit)}
      onKeyDown={keys}
    >
      {isEditing ? (
        <div class="cell-editor">
          <RecordForm
            model={model.name}
            columns={[{ column, draft: draftFrom(column, cell) }]}
            action="Save"
            onSave={save}
            onCancel={end}
            hasFocus
          />
        </div>
      ) : column.name === 'id' ? (
        <a class="cell-id link" href={recordHref(model.name, id)} title={`Open ${model.name} ${id}`}>
          {shown}
        </a>
      ) : (
        shown
      )}
    </td>
  );
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Moves the focus between cells by the arrow keys. */
function moveBetweenCells(event: KeyboardEvent): void {
  const [across, down] = STEPS[event.key] ?? [0, 0];
  const cell = event.currentTarget as HTMLTableCellElement;
  const row = cell.parentElement as HTMLTableRowElement;
  const body = row.parentElement as HTMLTableSectionElement;
  const next = body.rows[row.sectionRowIndex + down]?.cells[cell.cellIndex + across];
  if ((across === 0 && down === 0) || !next) return;
  event.preventDefault();
  next.focus();
}
