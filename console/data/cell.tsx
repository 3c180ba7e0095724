/** A value as people read it, by the type of its column. */
import type { JSX } from 'preact';
import { decimalText } from '../../compiler/definition/digits.ts';
import {
  type Cell,
  type Count,
  type DataColumn,
  type FileCell,
  HIDDEN,
} from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { FileView } from '../ui/file-view.tsx';
import { recordHref, shortId } from './data-links.ts';

interface CellProps {
  readonly column: DataColumn;
  readonly cell: Cell;
  /** The label of the record that the column refers to. */
  readonly label?: string | undefined;
  /** The path of its file in the console's API. */
  readonly path: string;
  /** Whether nothing is left out, as on the page of a record. */
  readonly isWhole?: boolean;
}

export function CellView({ column, cell, label, path, isWhole = false }: CellProps): JSX.Element {
  if (cell === null) return <em class="soft tiny">null</em>;
  if (column.isSecret) return <span title="A secret. Its value is never sent.">{HIDDEN}</span>;
  if (column.reference) {
    const id = textOf(cell);
    return (
      <a class="link" href={recordHref(column.reference.to, id)} title={`${column.reference.to} ${id}`}>
        {label ?? id}
        {label !== undefined && <span class="cell-key soft">{isWhole ? id : shortId(id)}</span>}
      </a>
    );
  }
  if (isFile(cell)) return <FileView file={cell} path={path} load={loadFile} />;
  return valueView(column, cell, isWhole);
}

async function loadFile(path: string): Promise<Blob> {
  return (await consoleApi.send(path)).blob();
}

function isFile(cell: Cell): cell is FileCell {
  return typeof cell === 'object' && cell !== null && 'size' in cell;
}

function valueView({ type, isList }: DataColumn, cell: NonNullable<Cell>, isWhole: boolean): JSX.Element {
  const text = textOf(cell);
  if (text === '') return <em class="soft tiny">empty</em>;
  const isCode = isList || type === 'json';
  const Tag = isCode ? 'code' : type === 'timestamp' ? 'time' : 'span';
  const shown = isCode || isWhole ? text : (SHORTENED[type]?.(text) ?? text);
  const look = type === 'boolean' || type === 'enum' ? `pill is-${text}` : DIGITS.has(type) ? 'cell-number' : '';
  return (
    <Tag class={isCode ? 'cell-code' : look} title={text}>
      {shown}
    </Tag>
  );
}

/** Types whose values are read digit by digit. */
const DIGITS: ReadonlySet<string> = new Set(['timestamp', 'integer', 'float', 'decimal', 'date', 'uuid']);

const SHORTENED: Readonly<Partial<Record<DataColumn['type'], (text: string) => string>>> = {
  timestamp: momentText,
  uuid: shortId,
};

/** The text of a cell, without the part that was cut off, of which only the length is known. */
export function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (isFile(cell)) return cell.name;
  return typeof cell === 'object' ? `${cell.cut}…` : String(cell);
}

/** `2026-11-16 08:30:12`, in UTC as the API has it. */
export function momentText(text: string): string {
  return text.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
}

/** The format is made once: that takes longer than drawing a cell. */
const GROUPED = new Intl.NumberFormat('en');

export function grouped(number: number): string {
  return GROUPED.format(number);
}

export function countText({ count, isExact }: Count, isEstimate = true): string {
  const number = grouped(count);
  if (isExact) return number;
  return isEstimate ? `about ${number}` : `more than ${number}`;
}

/** Whether the column has numbers, which are aligned to the right. */
export function isNumeric({ name, type, isList, reference }: DataColumn): boolean {
  return name !== 'id' && !isList && !reference && ['integer', 'float', 'decimal'].includes(type);
}

export function typeText({ type, digits, isList, isNullable, reference, isSecret, isComputed }: DataColumn): string {
  const name = isSecret ? 'secret' : (reference?.to ?? (digits ? decimalText(digits) : type));
  return `${isList ? `[${name}]` : name}${isNullable ? '?' : ''}${isComputed ? ' ƒ' : ''}`;
}
