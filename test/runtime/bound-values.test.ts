/**
 * Whatever a client sends ends in a parameter: every string of every request of the examples is a hostile one, and the
 * statements that reach the database are still those that the definition alone gives.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { pino } from 'pino';
import { compile } from '../../compiler/compile.ts';
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint, Input } from '../../compiler/definition/endpoint.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { applicationRoutes } from '../../runtime/endpoints/application.ts';
import { createMetrics } from '../../runtime/observe/metrics.ts';
import { usesHooks } from '../../runtime/plan/mentions.ts';
import { openDatabase } from '../../runtime/query/connections/open-database.ts';
import type { Bound, Database, DataConnection, RequestDatabase, Statement } from '../../runtime/query/database.ts';
import { serveRoutes } from '../../runtime/server.ts';
import { createDatabase } from '../support/postgres.ts';
import { CONFIG } from './http/serving.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const HOSTILE = `'";drop table "post";--$1?\\marker`;

describe('values of clients', () => {
  before(() => loadGrammar());

  for (const example of ['blog', 'bookings', 'helpdesk', 'projects', 'shop']) {
    it(`are bound, never part of a statement, in the example ${example}`, async () => {
      const definition = definitionOf(join(EXAMPLES, example));
      const { texts, bound, statuses } = await attack(definition);
      expect([...texts].filter((text) => text.includes('marker'))).to.deep.equal([]);
      expect(bound.some((value) => value.includes('marker'))).to.equal(true);
      expect([...statuses].filter((status) => status >= 500)).to.deep.equal([]);
    });
  }
});

function definitionOf(folder: string): Definition {
  const { sources } = readSources(folder);
  const { definition } = compile(sources, fileTextIn(folder));
  if (!definition) throw new Error(`${folder} does not compile`);
  return withoutAuthorize(definition);
}

/** So that every request gets as far as it can. */
function withoutAuthorize(definition: Definition): Definition {
  return { ...definition, endpoints: definition.endpoints.map((endpoint) => ({ ...endpoint, authorize: [] })) };
}

/** A record of each model that the paths of the requests find. */
async function insertHostile({ table, fields }: Model, definition: Definition, client: pg.Client): Promise<void> {
  const values = fields.map(({ type }) => storedValue(type, definition));
  const columns = fields.map(({ column }) => `"${column}"`).join(', ');
  const places = values.map((_, at) => `$${at + 1}`).join(', ');
  await client.query('SET session_replication_role = replica');
  await client.query(`INSERT INTO "${table}" (${columns}) VALUES (${places})`, values);
}

function storedValue({ many, ...type }: Type, definition: Definition): unknown {
  const value = storedItem(type, definition);
  return many ? [value] : value;
}

function storedItem(type: Type, { enums }: Definition): unknown {
  if (type.enum !== undefined) return enums.find(({ name }) => name === type.enum)?.values[0]?.name;
  const value = fittingValue(type);
  return type.kind === 'json' ? JSON.stringify(value) : value;
}

interface Seen {
  readonly texts: Set<string>;
  readonly bound: string[];
  readonly statuses: Set<number>;
}

async function attack(definition: Definition): Promise<Seen> {
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  for (const model of definition.models) await insertHostile(model, definition, client);
  if (definition.auth?.password) await client.query(insertToken(definition), [TOKEN_HASH]);
  const seen: Seen = { texts: new Set(), bound: [], statuses: new Set() };
  const log = pino({ level: 'silent' });
  const database = recording(openDatabase({ url, log, ...SETTINGS }), seen);
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bound-values-'));
  const hooks = new Proxy({}, { get: () => () => HOSTILE, getOwnPropertyDescriptor: () => PRESENT });
  const { routes } = applicationRoutes({
    definition,
    database,
    hooks,
    settings: {},
    hookTimeout: 1000,
    tokenLifetime: 60,
    loginLimit: null,
    trustedProxies: 0,
    listLimit: 1000,
    jwt: null,
    files: { kind: 'folder', folder },
    overflowed: () => undefined,
  });
  const isReady = async () => ({ ready: true }) as const;
  const close = () => database.close();
  const server = await serveRoutes({ routes, log, metrics: createMetrics(), isReady, close, config: SERVER });
  try {
    for (const endpoint of definition.endpoints)
      await attackEndpoint(endpoint, definition, `http://127.0.0.1:${server.port}`, seen);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return seen;
}

function insertToken({ auth, models }: Definition): string {
  const model = models.find(({ name }) => name === auth?.model);
  const hash = model?.fields.find(({ name }) => name === auth?.password?.hash);
  return `INSERT INTO kiln_tokens SELECT $1, id, now(), now() + '1 h', sha256(convert_to("${hash?.column}", 'UTF8'))
    FROM "${model?.table}" WHERE id = 1`;
}

const TOKEN = 'marker';
const TOKEN_HASH = createHash('sha256').update(TOKEN).digest();
const PRESENT = { configurable: true, enumerable: true, value: () => HOSTILE };
const SETTINGS = { poolMax: 4, statementTimeout: 0, acquireTimeout: 5000, applicationName: 'test' };
const SERVER = { ...CONFIG, bodyLimit: 100_000, shutdownTimeout: 5000 };

function recording(database: Database, seen: Seen): Database {
  const note = (statement: Statement, values: readonly Bound[]) => {
    seen.texts.add(statement.text);
    seen.bound.push(...values.flat().filter((value) => value !== null));
  };
  const noting = (connection: DataConnection): DataConnection => ({
    run(statement, values) {
      note(statement, values);
      return connection.run(statement, values);
    },
    fetch(statement, values) {
      note(statement, values);
      return connection.fetch(statement, values);
    },
  });
  const forRequest = (): RequestDatabase => ({
    ...noting(database),
    later: () => noting(database),
    transaction: (work, options) =>
      database.transaction(
        (inner) =>
          work({
            ...noting(inner),
            session: () => inner.session(),
          }),
        options,
      ),
  });
  return {
    ...forRequest(),
    forRequest,
    ping: () => database.ping(),
    close: () => database.close(),
    state: () => database.state(),
  };
}

/** Once with what fits where it must, so that as much as possible is let through, and once with nothing that fits. */
async function attackEndpoint(endpoint: Endpoint, definition: Definition, url: string, seen: Seen): Promise<void> {
  for (const isFitting of [true, false]) {
    const query = new URLSearchParams({ page: isFitting ? '1' : HOSTILE, [HOSTILE]: HOSTILE });
    const type = isFitting && endpoint.response.kind === 'upload' ? { type: 'image/png' } : {};
    const inputs = { ...valuesOf(endpoint.request.inputs, isFitting), ...type };
    if (endpoint.request.from === 'query')
      for (const [name, value] of Object.entries(inputs)) query.set(name, String(value));
    for (const [name, value] of filtersOf(endpoint, isFitting)) query.set(name, String(value));
    const response = await fetch(`${url}${pathOf(endpoint, isFitting)}?${query}`, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'x-request-id': 'marker',
        origin: 'http://marker.example',
      },
      ...(endpoint.request.from === 'body' ? { body: JSON.stringify({ ...inputs, [HOSTILE]: HOSTILE }) } : {}),
    });
    // What the code of hooks makes of such values is its own affair.
    if (!usesHooks(endpoint, definition)) seen.statuses.add(response.status);
  }
}

/** What a client may ask of a list: values that fit their fields, and words to search for. */
function filtersOf({ response }: Endpoint, isFitting: boolean): readonly (readonly [string, unknown])[] {
  if (response.kind !== 'list') return [];
  const { filterable = [], searchable } = response;
  const values = filterable.filter(({ value }) => !isFitting || value.type.kind !== 'enum');
  const filters = values.map(({ name, value }) => [name, isFitting ? fittingValue(value.type) : HOSTILE] as const);
  return searchable ? [...filters, ['q', HOSTILE]] : filters;
}

function pathOf({ path, records }: Endpoint, isFitting: boolean): string {
  const types = new Map(
    records.flatMap(({ identify }) => (identify ? [[identify.parameter, identify.type] as const] : [])),
  );
  const texts = path.map((segment) => {
    if (segment.kind === 'literal') return segment.text;
    const value = isFitting ? fittingValue(types.get(segment.name) as Type) : HOSTILE;
    return encodeURIComponent(String(value));
  });
  return `/${texts.join('/')}`;
}

function valuesOf(inputs: readonly Input[], isFitting: boolean): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    inputs.map((input) => {
      if (input.kind === 'group') return [input.name, valuesOf(input.inputs, isFitting)];
      if (input.kind === 'list') return [input.name, [valuesOf(input.inputs, isFitting)]];
      const hostile = input.type.many ? [HOSTILE] : HOSTILE;
      return [input.name, isFitting ? fittingValue(input.type) : hostile];
    }),
  );
}

function fittingValue({ kind, many }: Type): unknown {
  const one = kind in FITTING ? FITTING[kind] : HOSTILE;
  return many ? [one] : one;
}

const FITTING: Readonly<Partial<Record<Type['kind'], unknown>>> = {
  integer: 1,
  float: 1.5,
  decimal: '1.50',
  boolean: true,
  timestamp: '2026-11-15T00:00:00Z',
  date: '2026-11-15',
  uuid: '00000000-0000-7000-8000-000000000000',
  json: { [HOSTILE]: HOSTILE },
  file: null,
};
