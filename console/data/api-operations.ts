/** The operations of the API's document that work on a record. */
import type { Method, OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import type { RecordOperation } from '../../runtime/console/data/data-forms.ts';

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Null where the document does not have it. */
export function operationFor(
  { method, path, parameters }: RecordOperation,
  { paths }: OpenApiDocument,
): ApiOperation | null {
  const found = paths[path]?.[method.toLowerCase() as Method];
  return found ? { operationId: found.operationId, summary: found.summary, method, parameters } : null;
}
