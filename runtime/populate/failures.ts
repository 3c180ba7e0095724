/** What Postgres refused, told with the words of the program: the constraint's columns as fields, its line as a record. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Block } from './blocks.ts';
import { PopulateError } from './populate-error.ts';

/** Records of one block that lie one after the other in a COPY. */
export interface Stretch {
  readonly block: Block;
  readonly first: number;
  count: number;
}

interface PostgresError {
  readonly code?: string;
  readonly message: string;
  readonly detail?: string;
  readonly where?: string;
  readonly column?: string;
}

export function failureOfCopy(error: unknown, model: Model, stretches: readonly Stretch[]): PopulateError {
  const said = error as PostgresError;
  const fields = fieldsOf(said, model);
  const line = Number(/^COPY .*?, line (\d+)/.exec(said.where ?? '')?.[1] ?? 0);
  const found = line > 0 ? recordAt(line, stretches) : null;
  const block = found?.block ?? stretches[0]?.block;
  const field = fields.map(({ name, reference }) => reference ?? name).join(', ') || null;
  const place = { block: block?.path ?? model.name, model: model.name, record: found?.record ?? null, field };
  return new PopulateError(reasonOf(said, fields), place, error);
}

function recordAt(line: number, stretches: readonly Stretch[]): { block: Block; record: number } | null {
  let rest = line - 1;
  for (const { block, first, count } of stretches) {
    if (rest < count) return { block, record: first + rest };
    rest -= count;
  }
  return null;
}

/** `Key (organisation_id, number)=(1, 2) already exists.` */
function fieldsOf({ detail = '', where = '', column }: PostgresError, { fields }: Model): readonly Field[] {
  const key = /^Key \((.+?)\)=\(/.exec(detail)?.[1]?.split(', ') ?? [];
  const inLine = /, column ([^:]+):/.exec(where)?.[1];
  const columns = [...key, ...(key.length === 0 ? [column ?? inLine ?? ''] : [])].map(unquoted);
  return columns.flatMap((name) => fields.find((field) => field.column === name) ?? []);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

function reasonOf({ code, message, detail = '' }: PostgresError, fields: readonly Field[]): string {
  const value = fields.some(({ secret }) => secret) ? '' : (/\)=\((.*)\) /s.exec(detail)?.[1] ?? '');
  const shown = value === '' ? '' : ` ${value}`;
  if (code === '23505') return `the value${shown} already exists, but must be unique`;
  if (code === '23503') return `there is no record${shown} to refer to`;
  return fields.some(({ secret }) => secret) ? 'Postgres rejects the value' : `Postgres says: ${message}`;
}
