/** The operations of the API's document that work on a record, as links that open them with the record filled in. */
import type { Method, OpenApiDocument, Operation } from '../../compiler/emit/openapi/document.ts';
import type { DataModel, DataRecord, RecordOperation } from '../../runtime/console/data/data-forms.ts';
import { hrefTo } from '../state/route.ts';
import { draftFrom, isEditable, valueFrom } from './drafts.ts';

export interface ApiOperation {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly href: string;
}

/** Null where the document does not have it. */
export function operationFor(
  { method, path, parameters }: RecordOperation,
  document: OpenApiDocument,
  model: DataModel,
  values: DataRecord['values'],
): ApiOperation | null {
  const found = document.paths[path]?.[method.toLowerCase() as Method];
  if (!found) return null;
  const body = values.length === 0 ? null : bodyFrom(found, document, model, values);
  // `try` opens the form; parameters of the path are by their names, and `body` is JSON.
  const href = hrefTo('reference', [found.operationId], { try: '1', ...parameters, ...(body && { body }) });
  return { id: found.operationId, summary: found.summary, method, path, href };
}

/** In characters: what is longer is no address any more. */
const LONGEST_BODY = 4000;

/** The record's values for those inputs that are columns of it. Secrets are not known here. */
function bodyFrom(
  { requestBody }: Operation,
  document: OpenApiDocument,
  { columns }: DataModel,
  values: DataRecord['values'],
): string | null {
  const schema = requestBody?.content['application/json']?.schema;
  const name = schema?.$ref?.split('/').at(-1);
  const properties = (name === undefined ? schema : document.components.schemas[name])?.properties;
  if (!properties) return null;
  const entries = columns.flatMap((column, at) => {
    const cell = values[at] ?? null;
    if (!(column.name in properties) || column.isSecret || !isEditable(cell)) return [];
    const sent = valueFrom(column, draftFrom(column, cell));
    return sent.ok ? [[column.name, sent.value] as const] : [];
  });
  const text = JSON.stringify(Object.fromEntries(entries));
  return entries.length === 0 || text.length > LONGEST_BODY ? null : text;
}
