/** A cell of the table. A double click, or Enter on a cell that has the focus, edits it in place. */
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Cell, DataColumn, DataModel } from '../../runtime/console/data/data-forms.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { Button } from '../ui/button.tsx';
import { FieldError } from '../ui/field.tsx';
import { isNumeric } from './cell.tsx';
import { recordPath } from './data-links.tsx';
import { type Draft, draftFrom, isEditable, valuesFrom } from './drafts.ts';
import { RawNote } from './record-form.tsx';
import { ValueInput } from './value-input.tsx';

interface EditableCellProps {
  readonly model: DataModel;
  readonly id: string;
  readonly column: DataColumn;
  readonly cell: Cell;
  /** The Tab key reaches one cell of the table; the arrows lead to the others. */
  readonly isFirst: boolean;
  readonly onChanged: () => void;
  readonly children: ComponentChildren;
}

export function EditableCell({ isFirst, children, ...edited }: EditableCellProps): JSX.Element {
  const { column, cell } = edited;
  const place = useRef<HTMLTableCellElement>(null);
  const [isEditing, setIsEditing] = useState(false);
  const canEdit = column.name !== 'id' && isEditable(cell);
  const end = (): void => {
    setIsEditing(false);
    place.current?.focus();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key !== 'Enter') moveBetweenCells(event);
    else if (canEdit) setIsEditing(true);
    else place.current?.querySelector('a')?.click();
  };
  return (
    <td
      ref={place}
      class={isEditing ? 'is-editing' : isNumeric(column) ? 'is-numeric' : ''}
      tabIndex={isFirst ? 0 : -1}
      onDblClick={() => setIsEditing(canEdit)}
      onKeyDown={keys}
    >
      {isEditing ? <CellEditor {...edited} onEnd={end} /> : children}
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

type CellEditorProps = Omit<EditableCellProps, 'children' | 'isFirst'> & { readonly onEnd: () => void };

function CellEditor({ model, id, column, cell, onChanged, onEnd }: CellEditorProps): JSX.Element {
  const before = draftFrom(column, cell);
  const [draft, setDraft] = useState<Draft>(before);
  const [own, setOwn] = useState<string | undefined>();
  const { isBusy, rejection, send } = useSending();
  const save = (): void => {
    // An unchanged draft is not sent: a secret shows nothing, and sending that would overwrite it.
    if (draft === before) {
      onEnd();
      return;
    }
    const { values, errors } = valuesFrom([column], { [column.name]: draft });
    setOwn(errors[column.name]);
    if (Object.keys(errors).length > 0) return;
    void send(async () => {
      await consoleApi.send(recordPath(model.name, id), { method: 'PATCH', body: { values } });
      onEnd();
      onChanged();
    });
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onEnd();
    const isLineBreak = event.currentTarget instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey;
    if (event.key !== 'Enter' || isLineBreak) return;
    event.preventDefault();
    save();
  };
  const error = own ?? rejection?.columns[column.name] ?? rejection?.message;
  return (
    <div class="cell-editor vertical">
      <ValueInput
        column={column}
        value={draft ?? ''}
        attributes={{ 'aria-label': `${column.name} of ${model.name} ${id}` }}
        placeholder={draft === null ? 'null' : undefined}
        onInput={setDraft}
        onKeyDown={keys}
        hasFocus
      />
      {error && <FieldError>{error}</FieldError>}
      <RawNote />
      <div class="buttons">
        <Button isSmall look="primary" isBusy={isBusy} onClick={save}>
          Save
        </Button>
        <Button isSmall onClick={onEnd}>
          Cancel
        </Button>
        {column.isNullable && draft !== null && (
          <Button isSmall onClick={() => setDraft(null)}>
            Set null
          </Button>
        )}
      </div>
    </div>
  );
}
