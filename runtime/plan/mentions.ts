/** Whether an expression anywhere inside reads one of these records. */
export function mentions(value: unknown, records: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, record } = value as { readonly kind?: unknown; readonly record?: unknown };
  if (kind === 'snapshot' && records.has(record as string)) return true;
  return Object.values(value).some((inner) => mentions(inner, records));
}

/** Whether the code of a hook stands in it. */
export function isHookInside(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'kind' in value && value.kind === 'hook' ? true : Object.values(value).some(isHookInside);
}
