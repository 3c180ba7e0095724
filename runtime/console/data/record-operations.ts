/**
 * The endpoints of the API that read, change or delete a record, with the parameters that lead there. The parameters of
 * the records around it are found through its references: a comment's path has the slug of its post.
 */
import { pathTemplate } from '../../../compiler/definition/contract/routes.ts';
import type { Endpoint, PathRecord } from '../../../compiler/definition/endpoint.ts';
import { quotedName } from '../../../compiler/definition/sql/names.ts';
import { type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataRow } from '../../query/data-row.ts';
import type { RecordOperation } from './data-forms.ts';
import { columnOf, type DataModels, type KnownModel } from './data-models.ts';

interface OperationReader {
  readonly columns: readonly Sql[];
  /** Those whose parameters are all there. `first` is where the columns begin in the row. */
  read(row: DataRow, first: number): readonly RecordOperation[];
}

interface Located {
  readonly endpoint: Endpoint;
  readonly parameters: readonly { readonly name: string; readonly value: Sql }[];
}

/** Endpoints that create a record of the model, and whose paths name no record. */
export function createOperations({ model }: KnownModel, { definition }: DataModels): readonly RecordOperation[] {
  return definition.endpoints
    .filter((endpoint) => endpoint.model === model.name && endpoint.kind === 'create' && endpoint.records.length === 0)
    .map((endpoint) => operationOf(endpoint, []));
}

/** Over a row that is called `#row`. */
export function operationReader(known: KnownModel, models: DataModels): OperationReader {
  const located = models.definition.endpoints
    .filter(({ model, kind }) => model === known.model.name && KINDS.includes(kind))
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .flatMap((endpoint) => locatedAt(endpoint, models));
  return {
    columns: located.flatMap(({ parameters }) => parameters.map(({ value }) => value)),
    read(row, first) {
      let at = first;
      return located.flatMap(({ endpoint, parameters }) => {
        const values = parameters.map(({ name }) => [name, row.text(at++)] as const);
        return values.some(([, value]) => value === null) ? [] : [operationOf(endpoint, values)];
      });
    },
  };
}

/** In the order in which they are shown. */
const KINDS: readonly Endpoint['kind'][] = ['get', 'update', 'delete'];

function operationOf(
  { kind, method, path }: Endpoint,
  values: readonly (readonly [string, string | null])[],
): RecordOperation {
  const parameters = Object.fromEntries(values) as Record<string, string>;
  return { kind: kind as RecordOperation['kind'], method, path: pathTemplate(path), parameters };
}

/** Empty where the path cannot be followed back from the record alone. */
function locatedAt(endpoint: Endpoint, models: DataModels): readonly Located[] {
  const parameters: { name: string; value: Sql }[] = [];
  let chain: readonly PathRecord[] = [];
  for (const record of endpoint.records.toReversed()) {
    if (record.identify === null || record.identify.path.length > 0 || record.origin !== undefined) return [];
    chain = [record, ...chain];
    parameters.unshift({ name: record.identify.parameter, value: valueAt(chain, models) });
    if (record.through !== null && record.through.kind !== 'relation') return [];
  }
  return [{ endpoint, parameters }];
}

/** The identifying value of the first record of the chain, whose last one is the row itself. */
function valueAt(chain: readonly PathRecord[], models: DataModels): Sql {
  return fieldAt(chain, chain[0]?.identify?.field as string, models);
}

/** A field of the first record. From each record, its key leads to the one around it. */
function fieldAt([first, ...inner]: readonly PathRecord[], name: string, models: DataModels): Sql {
  const known = models.model((first as PathRecord).model);
  const field = columnOf(known, name).name;
  const [next] = inner;
  if (!next) return sql`"#row".${field}`;
  const alias = quotedName(`#at${inner.length}`);
  const key = fieldAt(inner, (next.through as { readonly field: string }).field, models);
  return sql`(SELECT ${alias}.${field} FROM ${known.table} AS ${alias} WHERE ${alias}.${known.id.name} = ${key})`;
}
