/** A value as people read it, by the type of its column. */
import type { JSX } from 'preact';
import { type Cell, type Count, type DataColumn, HIDDEN } from '../../runtime/console/data/data-forms.ts';
import { recordHref, type Trail } from './data-links.ts';

interface CellProps {
  readonly column: DataColumn;
  readonly cell: Cell;
  /** Of the record that the column refers to. */
  readonly label?: string | undefined;
  /** For links to other records. */
  readonly trail: Trail;
}

export function CellView({ column, cell, label, trail }: CellProps): JSX.Element {
  if (cell === null) return <span class="cell-null">null</span>;
  if (column.isSecret) return <span title="A secret. Its value is never sent.">{HIDDEN}</span>;
  if (column.reference) {
    const id = textOf(cell);
    return (
      <a
        class="cell-reference"
        href={recordHref(column.reference.to, id, trail)}
        title={`${column.reference.to} ${id}`}
      >
        {label ?? id}
        {label !== undefined && <span class="cell-key">{shortId(id)}</span>}
      </a>
    );
  }
  return valueView(column, cell);
}

function valueView({ type, isList }: DataColumn, cell: NonNullable<Cell>): JSX.Element {
  const text = textOf(cell);
  if (text === '') return <span class="cell-null">empty</span>;
  if (isList || type === 'json')
    return (
      <code class="cell-code" title={text}>
        {text}
      </code>
    );
  switch (type) {
    case 'boolean':
      return <span class={`cell-tag is-${text}`}>{text}</span>;
    case 'enum':
      return <span class="cell-tag">{text}</span>;
    case 'timestamp':
      return (
        <time class="cell-number" dateTime={text} title={text}>
          {momentText(text)}
        </time>
      );
    case 'integer':
    case 'float':
    case 'decimal':
    case 'date':
      return <span class="cell-number">{text}</span>;
    case 'uuid':
      return (
        <span class="cell-number" title={text}>
          {shortId(text)}
        </span>
      );
    default:
      return <span title={text}>{text}</span>;
  }
}

/** Without what was cut off, of which only the length is known. */
export function textOf(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'object' ? `${cell.cut}…` : String(cell);
}

/** `2026-11-16 08:30:12`, in UTC as the API has it. */
function momentText(text: string): string {
  return text.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
}

/** The end of a UUID: those that were made at the same time begin alike. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

/** Made once: that takes longer than drawing a cell. */
const GROUPED = new Intl.NumberFormat('en');

export function grouped(number: number): string {
  return GROUPED.format(number);
}

export function countText({ count, isExact }: Count, isEstimate = true): string {
  const number = grouped(count);
  if (isExact) return number;
  return isEstimate ? `about ${number}` : `more than ${number}`;
}

/** Numbers are read from the right. */
export function isNumeric({ name, type, isList, reference }: DataColumn): boolean {
  return name !== 'id' && !isList && !reference && ['integer', 'float', 'decimal'].includes(type);
}

export function typeText({ type, isList, isNullable, reference, isSecret }: DataColumn): string {
  const name = isSecret ? 'secret' : (reference?.to ?? type);
  return `${isList ? `[${name}]` : name}${isNullable ? '?' : ''}`;
}
