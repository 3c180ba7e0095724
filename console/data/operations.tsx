/** Links to the endpoints of the API that do the same with its rules. Each opens its form, filled in as far as can be. */
import type { JSX } from 'preact';
import type { Method, OpenApiDocument, Operation } from '../../compiler/emit/openapi/document.ts';
import type { DataModel, DataRecord, RecordOperation } from '../../runtime/console/data/data-forms.ts';
import { hrefTo } from '../state/route.ts';
import { resolved } from '../state/schema.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { MethodBadge } from '../ui/text.tsx';
import { draftFrom, isEditable, isOnlyWritten, valueFrom } from './drafts.ts';

interface OperationsProps {
  readonly model: DataModel;
  readonly operations: readonly RecordOperation[];
  /** The values of the record; empty if there is none yet. */
  readonly values: DataRecord['values'];
}

export function Operations({ model, operations, values }: OperationsProps): JSX.Element | null {
  const { value: document } = useStore(apiDocument);
  if (document === null) return null;
  const found = operations.flatMap((each) => operationFor(each, document, model, values) ?? []);
  if (found.length === 0) return null;
  return (
    <section class="data-operations spaced" aria-label="Through the API">
      <h3>Through the API, with its rules</h3>
      <ul class="row">
        {found.map(({ id, summary, method, path, href }) => (
          <li key={id}>
            <a class="button is-small" href={href} title={path}>
              <MethodBadge method={method} />
              <span class="ellipsis">
                {found.some((each) => each.id !== id && each.summary === summary) ? path : summary}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

// ── Api operations ───────────────────────────────────────────────────────────────────────────────────────────────────

// The operations of the API's document that work on a record, as links that open them with the record filled in.

/** The operation; null if the document does not have it. */
function operationFor(
  { method, path, parameters }: RecordOperation,
  document: OpenApiDocument,
  model: DataModel,
  values: DataRecord['values'],
) {
  const found = document.paths[path]?.[method.toLowerCase() as Method];
  if (!found) return null;
  const body = values.length === 0 ? null : bodyFrom(found, document, model, values);
  // `try` opens the form; parameters of the path are by their names, and `body` is JSON.
  const href = hrefTo('reference', [found.operationId], { try: '1', ...parameters, ...(body && { body }) });
  return { id: found.operationId, summary: found.summary, method, path, href };
}

/** The longest body in characters. A longer one makes the address too long. */
const LONGEST_BODY = 4000;

/** The record's values for those inputs that are columns of it. Secrets are not known here. */
function bodyFrom(
  { requestBody }: Operation,
  document: OpenApiDocument,
  { columns }: DataModel,
  values: DataRecord['values'],
): string | null {
  const schema = requestBody?.content['application/json']?.schema;
  const properties = schema && resolved(schema, document).properties;
  if (!properties) return null;
  const entries = columns.flatMap((column, at) => {
    const cell = values[at] ?? null;
    if (!(column.name in properties) || isOnlyWritten(column) || !isEditable(column, cell)) return [];
    const sent = valueFrom(column, draftFrom(column, cell));
    return sent.ok ? [[column.name, sent.value] as const] : [];
  });
  const text = JSON.stringify(Object.fromEntries(entries));
  return entries.length === 0 || text.length > LONGEST_BODY ? null : text;
}
