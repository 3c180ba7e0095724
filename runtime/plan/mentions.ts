import { hasNode } from '../../compiler/definition/lookup.ts';

/** Whether an expression anywhere inside reads one of these records. */
export function mentions(value: unknown, records: ReadonlySet<string>): boolean {
  return hasNode(value, ({ kind, record }) => kind === 'snapshot' && records.has(record as string));
}

/** Whether an expression anywhere inside uses this read of the record. */
export function mentionsRead(value: unknown, record: string, read: string): boolean {
  return hasNode(value, (node) => node.kind === 'snapshot' && node.record === record && node.read === read);
}

/** Whether the code of a hook stands in it. */
export function isHookInside(value: unknown): boolean {
  return hasNode(value, ({ kind }) => kind === 'hook');
}
