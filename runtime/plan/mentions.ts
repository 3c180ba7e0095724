/** Whether an expression anywhere inside reads one of these records. */
export function mentions(value: unknown, records: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, record } = value as { readonly kind?: unknown; readonly record?: unknown };
  if (kind === 'snapshot' && records.has(record as string)) return true;
  return Object.values(value).some((inner) => mentions(inner, records));
}

/** Whether an expression anywhere inside uses this read of the record. */
export function mentionsRead(value: unknown, record: string, read: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const node = value as { readonly kind?: unknown; readonly record?: unknown; readonly read?: unknown };
  if (node.kind === 'snapshot' && node.record === record && node.read === read) return true;
  return Object.values(value).some((inner) => mentionsRead(inner, record, read));
}

/** Whether the code of a hook stands in it. */
export function isHookInside(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'kind' in value && value.kind === 'hook' ? true : Object.values(value).some(isHookInside);
}
