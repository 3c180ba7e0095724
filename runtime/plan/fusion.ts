/**
 * Where nothing but the id is wanted of the records that a path names, finding them and writing is one statement: it
 * changes nothing where one of them is missing.
 */
import type { Create, Delete, Endpoint, Update } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { mentions } from './mentions.ts';

export function isFused(endpoint: Endpoint, single: Create | Update | Delete | null): boolean {
  const { records, actions, authorize, request, response } = endpoint;
  if (single === null || actions.length !== 1 || records.length === 0 || authorize.length > 0) return false;
  const names = new Set(records.map(({ record }) => record));
  if (single.kind === 'create' && single.onConflict) return false;
  const isTarget = single.kind === 'create' || isIdOfLast(targetOf(single), endpoint);
  return isTarget && !mentions([request, response, otherParts(single, endpoint)], names);
}

/** The id of the record at the end of the path. */
export function isIdOfLast(value: Expression, { records }: Endpoint): boolean {
  return value.kind === 'snapshot' && value.record === records.at(-1)?.record && value.read === 'id';
}

function targetOf(write: Update | Delete): Expression {
  if (write.kind === 'update') return write.id;
  if (write.target.kind === 'id') return write.target.id;
  throw new Error('not a delete of one record');
}

/** All that is not the id of the last record itself. */
function otherParts(write: Create | Update | Delete, endpoint: Endpoint): unknown {
  if (write.kind === 'delete') return [];
  const values = write.values.map(({ value }) => value);
  const others = write.kind === 'create' ? values.filter((value) => !isIdOfLast(value, endpoint)) : values;
  return [others, write.values.map(({ condition }) => condition), write.reads];
}
