/** Which endpoints a replica of the database may answer. Changes, code and rules about records use the primary. */
import type { Definition } from './definition.ts';
import type { Endpoint } from './endpoint.ts';
import { hasNode, isCode } from './lookup.ts';
import { reachedFrom } from './request-values.ts';

/** What keeps an endpoint at the primary; null where a replica may answer. */
export function needOfPrimary(endpoint: Endpoint, definition: Definition): string | null {
  const { method, actions, response, versioned } = endpoint;
  if (method !== 'GET') return `the method \`${method}\``;
  if (actions.length > 0) return '`action`';
  if (versioned) return '`versioned`';
  if (response.kind !== 'record' && response.kind !== 'list') return 'a response without records';
  if (response.kind === 'record' && rulesReadRecords(endpoint)) return 'a rule about the record';
  const parts = reachedFrom(endpoint, endpoint.model, definition);
  return hasNode(parts, isCode) ? 'the code of a hook' : null;
}

/** Whether it depends on records of the path who may call, or whether they are found. */
export function rulesReadRecords({ authorize, records }: Endpoint): boolean {
  const names = new Set<unknown>(records.map(({ record }) => record));
  const isRead = hasNode(authorize, ({ kind, record }) => kind === 'snapshot' && names.has(record));
  return isRead || records.some(({ only }) => readsCaller(only));
}

/** Whether it depends on who asks. */
export function readsCaller(value: unknown): boolean {
  return hasNode(value, ({ kind, record, from }) => kind === 'authenticated' || record === '@auth' || from === 'claim');
}
