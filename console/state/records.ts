/**
 * The models with their columns, and values of existing records for inputs that name one. The server provides them in
 * development, and with `CONSOLE=on`.
 */
import type { OpenApiDocument, Parameter, Schema } from '../../compiler/emit/openapi/document.ts';
import type {
  DataAccounts,
  DataModel,
  DataOverview,
  DataPage,
  DataRecord,
  SignedIn,
} from '../../runtime/console/data/data-forms.ts';
import { consoleApi, HAS_CONSOLE_API, useLoading } from './console-api.ts';
import { IS_DEVELOPMENT } from './page.ts';
import { withQuery } from './route.ts';
import { fieldsOf, type Named, namedBy } from './schema.ts';
import { loginIn, token } from './session.ts';
import { apiDocument, createStore, type Loaded, useStore } from './store.ts';

/** A change of a record changes the counts in it. */
export const overview = createStore<Loaded<DataOverview>>({ value: null, error: null });

let loading: Promise<void> | undefined;

export function loadOverview(): Promise<void> {
  loading ??= consoleApi
    .json<DataOverview>('data')
    .then(
      (value) => overview.set({ value, error: null }),
      ({ message }: Error) => overview.set({ value: overview.get().value, error: message }),
    )
    .finally(() => {
      loading = undefined;
    });
  return loading;
}

// The sources have changed, and the models may have too.
apiDocument.subscribe(() => {
  if (overview.get().value !== null) void loadOverview();
});

async function modelNamed(name: string): Promise<DataModel> {
  if (overview.get().value === null) await loadOverview();
  const found = overview.get().value?.models.find((model) => model.name === name);
  if (!found) throw new Error(`there is no model ${name}`);
  return found;
}

type Row = DataRecord['values'];

async function rowsOf(model: string): Promise<readonly Row[]> {
  return (await consoleApi.json<DataPage>(`data/${encodeURIComponent(model)}`)).rows;
}

export interface Suggestion {
  /** As JSON has it: the id of most records is a number. */
  readonly value: string | number;
  /** The name of the record, if the value does not show it. */
  readonly label: string;
}

/** The suggestions; empty if nothing is known. */
export async function suggestionsFor({ model, field }: Named): Promise<readonly Suggestion[]> {
  if (!HAS_CONSOLE_API) return [];
  const known = await modelNamed(model);
  const rows = await rowsOf(model);
  return rows.flatMap((row) => {
    const value = cellOf(known, row, field);
    const label = known.label === null ? null : cellOf(known, row, known.label);
    return value === null ? [] : [{ value, label: label === null || label === value ? '' : String(label) }];
  });
}

function cellOf({ columns }: DataModel, row: Row, name: string): string | number | null {
  const at = columns.findIndex((column) => column.name === name);
  const cell = row[at];
  return !columns[at]?.isSecret && (typeof cell === 'string' || typeof cell === 'number') ? cell : null;
}

/**
 * Values for all parameters of a path: those of an existing record, and of the records that it belongs to. Null if
 * there is no such record.
 */
export async function realPath(parameters: readonly Parameter[]): Promise<Readonly<Record<string, string>> | null> {
  const wanted = parameters.flatMap(({ name, description }) => {
    const named = namedBy(description);
    return named ? [{ name, named }] : [];
  });
  const last = wanted.at(-1);
  if (!HAS_CONSOLE_API || last === undefined || wanted.length < parameters.length) return null;
  const model = await modelNamed(last.named.model);
  // The newest is the one that a developer has just made.
  for (const row of (await rowsOf(last.named.model)).slice(0, 10)) {
    const values = await valuesOf(wanted, model, row);
    if (values) return values;
  }
  return null;
}

/** The same body with the first record that exists in each required input that names one, also in lists of objects. */
export async function withRealValues(body: unknown, schema: Schema, document: OpenApiDocument): Promise<unknown> {
  if (Array.isArray(body)) return Promise.all(body.map((item) => withRealValues(item, schema, document)));
  if (typeof body !== 'object' || body === null) return body;
  const values: Record<string, unknown> = { ...body };
  for (const { name, schema: own } of fieldsOf(schema, document).filter(({ isRequired }) => isRequired)) {
    const named = namedBy(own.description);
    const [first] = named ? await suggestionsFor(named) : [];
    values[name] = first?.value ?? (await withRealValues(values[name], own, document));
  }
  return values;
}

/** The values from the last parameter to the first, along the references. */
async function valuesOf(
  wanted: readonly { readonly name: string; readonly named: Named }[],
  model: DataModel,
  row: Row,
): Promise<Readonly<Record<string, string>> | null> {
  const last = wanted.at(-1);
  if (!last) return {};
  const value = cellOf(model, row, last.named.field);
  if (value === null) return null;
  const parent = wanted.at(-2);
  if (!parent) return { [last.name]: String(value) };
  const column = model.columns.find(({ reference }) => reference?.to === parent.named.model);
  const id = column && cellOf(model, row, column.name);
  if (!id) return null;
  const path = `data/${encodeURIComponent(parent.named.model)}/${encodeURIComponent(id)}`;
  const { values } = await consoleApi.json<DataRecord>(path);
  const above = await valuesOf(wanted.slice(0, -1), await modelNamed(parent.named.model), values);
  return above && { ...above, [last.name]: String(value) };
}

// ── Accounts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The accounts whose login contains the text; null as long as they are not known. */
export function useAccounts(search: string): DataAccounts | null {
  // Populating makes accounts, and so does a new source.
  const counts = useStore(overview);
  const { value: document } = useStore(apiDocument);
  const load = async (signal: AbortSignal): Promise<DataAccounts | null> => {
    // An application without passwords has no accounts to choose from.
    if (!IS_DEVELOPMENT || !document || !loginIn(document)) return null;
    return consoleApi.json(withQuery('accounts', { search }), { signal });
  };
  return useLoading(load, [search, counts, document]).value;
}

export async function signInAs(id: string): Promise<void> {
  const signedIn = await consoleApi.json<SignedIn>('sign-in', { method: 'POST', body: { id } });
  token.set(signedIn.token);
}
