/** One record of each model, all with the same id, so that every path of a document leads somewhere. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SignJWT } from 'jose';
import type pg from 'pg';
import type { Definition, Field, Model } from '../../../compiler/definition/definition.ts';
import type { Type } from '../../../compiler/definition/expression.ts';

/** So high that no record of a test comes there by itself. */
const ID = 1_000_000;
const UUID = '00000000-0000-7000-8000-000000001000';
const TEXT = 'seed1';

const VALUES: Readonly<Record<Exclude<Type['kind'], 'enum'>, unknown>> = {
  string: TEXT,
  integer: 3,
  float: 1.5,
  boolean: true,
  decimal: '10.5',
  timestamp: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  uuid: UUID,
  json: { a: 1 },
  file: null,
  record: null,
  any: null,
};

export function seededValue(field: Field, definition: Definition): unknown {
  const value = seededItem(field, definition);
  return field.type.many ? [value] : value;
}

function seededItem({ name, reference, type }: Field, { enums }: Definition): unknown {
  if (type.kind === 'enum') return enums.find((each) => each.name === type.enum)?.values.at(-1)?.name;
  const isKey = name === 'id' || reference !== null;
  return isKey && type.kind === 'integer' ? ID : VALUES[type.kind];
}

export function fieldIn({ models }: Definition, model: string, field: string): Field {
  const found = models.find(({ name }) => name === model)?.fields.find(({ name }) => name === field);
  if (!found) throw new Error(`no field ${model}.${field}`);
  return found;
}

/** Whatever was there before is gone. One statement after the other in one message: a test asks for it very often. */
export async function seed(definition: Definition, client: pg.Client): Promise<void> {
  const inserts = definition.models.map((model) => insertText(model, definition, client));
  const tables = definition.models.map(({ table }) => `DELETE FROM "${table}";`);
  const tokens = definition.auth?.password ? [tokenText(definition, client)] : [];
  await client.query(['SET session_replication_role = replica;', ...tables, ...inserts, ...tokens].join('\n'));
}

/** So that records are where their endpoints look for them: carts, and what is not in the trash. */
const EXCEPTIONS: Readonly<Record<string, string | null>> = {
  'order.status': 'cart',
  'project.deleted_at': null,
  'task.deleted_at': null,
};

function insertText({ table, fields }: Model, definition: Definition, client: pg.Client): string {
  const columns = fields.map(({ column }) => `"${column}"`).join(', ');
  const values = fields.map((field) => {
    const exception = EXCEPTIONS[`${table}.${field.column}`];
    const value = exception === undefined ? seededValue(field, definition) : exception;
    return value === null ? 'NULL' : client.escapeLiteral(stored(value, field));
  });
  return `INSERT INTO "${table}" (${columns}) VALUES (${values.join(', ')});`;
}

function stored(value: unknown, { type }: Field): string {
  if (Array.isArray(value)) return `{${value.map((item) => JSON.stringify(item)).join(',')}}`;
  return type.kind === 'json' ? JSON.stringify(value) : String(value);
}

function tokenText({ auth, models }: Definition, client: pg.Client): string {
  const model = models.find(({ name }) => name === auth?.model);
  const password = model?.fields.find(({ name }) => name === auth?.password?.hash);
  const hash = client.escapeLiteral(`\\x${createHash('sha256').update(OPAQUE).digest('hex')}`);
  const digest = `sha256(convert_to("${password?.column}", 'UTF8'))`;
  return `INSERT INTO kiln_tokens SELECT ${hash}, id, now(), now() + '1 h', ${digest} FROM "${model?.table}" WHERE id = ${ID}
    ON CONFLICT DO NOTHING;`;
}

// ── The caller ──────────────────────────────────────────────────────────────────────────────────────────────────────

const OPAQUE = 'a-token-of-the-contract';
const SECRET = 'a secret that is long enough for HS256!';
const ISSUER = 'https://id.example';
const AUDIENCE = 'contract';

const FILES = join(tmpdir(), `kiln-contract-files-${process.pid}`);
process.once('exit', () => rmSync(FILES, { recursive: true, force: true }));

export const ENVIRONMENT = {
  FILES_URL: pathToFileURL(FILES).href,
  WEBHOOK_PRIVATE: 'allow',
  KILN_JWT_SECRET: SECRET,
  KILN_JWT_ISSUER: ISSUER,
  KILN_JWT_AUDIENCE: AUDIENCE,
};

/** Of the one account that there is; null where nobody can be authenticated. */
export async function tokenFor({ auth }: Definition): Promise<string | null> {
  if (auth === null) return null;
  if (auth.password) return OPAQUE;
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(TEXT).setExpirationTime('1h');
  return token.setIssuer(ISSUER).setAudience(AUDIENCE).sign(new TextEncoder().encode(SECRET));
}
