import type { Column, ColumnType } from '../../compiler/definition/schema.ts';
import type { CatalogColumn } from './catalog.ts';
import type { CatalogDefault } from './catalog-defaults.ts';

/** A sentence for each thing that is not as it should be: `"post.title" is text, but should be bigint.` */
export function columnDrift(
  table: string,
  wanted: Column,
  found: CatalogColumn | undefined,
  mayBeNull: boolean,
): readonly string[] {
  const column = `"${table}.${wanted.name}"`;
  if (!found) return [`The column ${column} is missing.`];
  return ASPECTS.flatMap((aspect) => {
    const is = aspect(found);
    const should = aspect(mayBeNull && found.nullable ? { ...wanted, nullable: true } : wanted);
    return is === should ? [] : [`${column} ${is}, but should ${INFINITIVE(should)}.`];
  });
}

type Aspect = (column: CatalogColumn) => string;

const ASPECTS: readonly Aspect[] = [
  ({ type }) => `is ${typeText(type)}`,
  ({ nullable }) => (nullable ? 'is nullable' : 'is not nullable'),
  ({ default: value }) => `has ${value === null ? 'no default' : `the default ${defaultText(value)}`}`,
  ({ identity }) => `is ${identity ? `counted by "${identity.sequence}"` : 'not counted'}`,
];

const INFINITIVE = (words: string): string => words.replace(/^is /, 'be ').replace(/^has /, 'have ');

function typeText(type: ColumnType | string): string {
  if (typeof type === 'string') return type;
  return `${type.many ? 'an array of ' : ''}the enum "${type.enum}"`;
}

function defaultText(value: CatalogDefault): string {
  return 'text' in value ? `${value.kind} '${value.text}'` : value.kind;
}
