/** The records that an endpoint locks before it reads what a rule is about. Their ids are read with the records of the path. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint, RecordLock } from '../../compiler/definition/endpoint.ts';
import type { Expression, Type } from '../../compiler/definition/expression.ts';
import { modelIn } from '../../compiler/definition/lookup.ts';

export interface LockedRecord {
  readonly model: string;
  readonly id: Expression;
}

interface PlannedLocks {
  readonly endpoint: Endpoint;
  readonly locks: readonly LockedRecord[];
}

export function withLocks(endpoint: Endpoint, locks: readonly RecordLock[], definition: Definition): PlannedLocks {
  const records = endpoint.records.map((record) => {
    const fields = locks.filter((lock) => lock.record === record.record).map(({ field }) => field ?? 'id');
    const reads = fields.map((field) => {
      const value = {
        kind: 'field' as const,
        path: [],
        model: record.model,
        field,
        type: typeOf(record.model, field, definition),
      };
      return { name: nameOf(field), kind: 'value' as const, value };
    });
    return reads.length > 0 ? { ...record, reads: [...record.reads, ...reads] } : record;
  });
  return {
    endpoint: locks.length > 0 ? { ...endpoint, records } : endpoint,
    locks: locks.map(({ model, record, field }) => {
      const type = typeOf(model, 'id', definition);
      return { model, id: { kind: 'snapshot', record, read: nameOf(field ?? 'id'), type } };
    }),
  };
}

/** No author can give such a name. */
function nameOf(field: string): string {
  return `#lock.${field}`;
}

function typeOf(model: string, field: string, definition: Definition): Type {
  const { fields } = modelIn(definition, model) as Model;
  return (fields.find(({ name }) => name === field) as Model['fields'][number]).type;
}
