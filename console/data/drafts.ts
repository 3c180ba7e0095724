/** Converts values to the drafts of a form, and back. */
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import type { Cell, DataColumn } from '../../runtime/console/data/data-forms.ts';
import { quietly } from '../state/quietly.ts';

const ROUNDED = 'has a number with more digits than JSON keeps: write it as a text, or change the record with SQL';

/** The content of a control. Null stands for the value null. */
export type Draft = string | null;

/** The drafts of a form, by the names of their columns. */
export type Drafts = Readonly<Record<string, Draft>>;

export function isEditable({ isComputed }: DataColumn, cell: Cell): boolean {
  return !isComputed && isWhole(cell);
}

/** The end of a cell that was cut would be lost. */
export function isWhole(cell: Cell): boolean {
  return cell === null || typeof cell !== 'object' || !('cut' in cell);
}

/** Secrets are never shown, and files are sent by themselves: an empty control means the existing value. */
export function isOnlyWritten({ isSecret, type }: DataColumn): boolean {
  return isSecret === true || type === 'file';
}

export function draftFrom(column: DataColumn, cell: Cell): Draft {
  if (cell === null) return null;
  if (isOnlyWritten(column)) return '';
  return isComposed(column) ? indented(String(cell)) : String(cell);
}

export function isComposed({ type, isList }: DataColumn): boolean {
  return isList || type === 'json';
}

function indented(text: string): string {
  if (hasInexactNumbers(text)) return text;
  return quietly(() => JSON.stringify(JSON.parse(text), null, 2)) ?? text;
}

export type Sent = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/**
 * The value for the API. A draft that is no value of the type is sent unchanged: the server explains what it must be.
 */
export function valueFrom(column: DataColumn, draft: Draft): Sent {
  // An empty control is an empty text only if the column has texts.
  const isNothing = draft === '' && column.isNullable && (column.type !== 'string' || column.isList);
  if (draft === null || isNothing) return { ok: true, value: null };
  if (column.isPassword && draft === '') return { ok: false, message: 'must not be empty' };
  if (isComposed(column)) return parsed(draft);
  const { type } = column;
  if (type === 'boolean') return { ok: true, value: draft === 'true' };
  const isNumber = (type === 'integer' || type === 'float') && draft.trim() !== '' && Number.isFinite(Number(draft));
  return { ok: true, value: isNumber ? Number(draft) : draft };
}

function parsed(text: string): Sent {
  if (hasInexactNumbers(text)) return { ok: false, message: ROUNDED };
  return quietly(() => ({ ok: true as const, value: JSON.parse(text) })) ?? { ok: false, message: 'must be JSON' };
}

/** A column of a form, and what its control shows before anybody has touched it. */
export interface DraftedColumn {
  readonly column: DataColumn;
  readonly draft: Draft;
}

/** The columns to send, without those that are only written and were left as they were. */
export function sentColumns(columns: readonly DraftedColumn[], drafts: Drafts): readonly DataColumn[] {
  const isSent = ({ column, draft }: DraftedColumn): boolean => !isOnlyWritten(column) || drafts[column.name] !== draft;
  return columns.filter(isSent).map(({ column }) => column);
}

/** The values for the server, and the errors by column. */
export function valuesFrom(columns: readonly DataColumn[], drafts: Drafts) {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const column of columns) {
    const draft = drafts[column.name];
    if (draft === undefined) continue;
    const sent = valueFrom(column, draft);
    if (sent.ok) values[column.name] = sent.value;
    else errors[column.name] = sent.message;
  }
  return { values, errors };
}
