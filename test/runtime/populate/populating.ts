/** A program on a database of its own, and its populators run there. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type pg from 'pg';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import type { SourceFile } from '../../../compiler/source/source-file.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { environmentOf } from '../../../runtime/endpoints/compile-endpoint.ts';
import { validationOf } from '../../../runtime/expressions/compile-validation.ts';
import { emptyScope } from '../../../runtime/expressions/scope.ts';
import type { HookModules } from '../../../runtime/hooks/hook-code.ts';
import { type PopulateOptions, type PopulateResult, populate } from '../../../runtime/populate/populate.ts';
import { parserOf } from '../../../runtime/values/kinds.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { hookModulesFromTexts } from '../../support/hook-modules.ts';

export interface Populating {
  readonly definition: Definition;
  readonly client: pg.Client;
  readonly url: string;
  readonly hooks: HookModules;
  populate(options?: Partial<PopulateOptions>): Promise<PopulateResult>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

/** The files of an example, by path. */
export function exampleFiles(name: string): ReadonlyMap<string, string> {
  const folder = join(EXAMPLES, name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isOfProgram);
  return new Map(files.sort().map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

/** Not what `kiln dev` leaves there: its database, and a client. */
function isOfProgram(file: string): boolean {
  const [folder = ''] = file.split(sep);
  return /\.(kiln|ts|html)$/.test(file) && folder !== '.kiln' && folder !== 'client';
}

/** So that rows are the same on every day. */
const CLOCK = '2026-01-01';

/** Tables without rows, and a populator `Dev` to run. */
export async function populating(program: string | ReadonlyMap<string, string>): Promise<Populating> {
  const files = typeof program === 'string' ? new Map([['main.kiln', program]]) : program;
  const definition = await definitionOf(files);
  const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(definition)));
  const hooks = await hookModulesFromTexts(files);
  return {
    definition,
    client,
    url,
    hooks,
    populate: (options = {}) => populate(definition, 'Dev', { databaseUrl: url, hooks, clock: CLOCK, ...options }),
    rows: async (sql) => (await client.query(sql)).rows,
  };
}

async function definitionOf(files: ReadonlyMap<string, string>): Promise<Definition> {
  await loadGrammar();
  const sources: SourceFile[] = [...files]
    .filter(([path]) => path.endsWith('.kiln'))
    .map(([path, text]) => ({ path, text }));
  const { definition, diagnostics } = compile(sources, (path) => files.get(path));
  if (!definition) throw new Error(diagnostics.map(({ code }) => code).join(', '));
  return definition;
}

/** One text for all that is in the tables. */
export async function fingerprint({ definition, client }: Populating): Promise<string> {
  const hash = createHash('sha256');
  for (const { table } of definition.models) {
    const { rows } = await client.query(`SELECT t::text AS row FROM "${table}" t ORDER BY id`);
    hash.update(`${table}\n${rows.map(({ row }) => row).join('\n')}\n`);
  }
  return hash.digest('hex');
}

export async function counts({ definition, client }: Populating): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const { name, table } of definition.models) {
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM "${table}"`);
    found[name] = rows[0].count;
  }
  return found;
}

/** What the validators of the models would refuse, had a client sent it. */
export async function invalidValues({ definition, client, hooks }: Populating): Promise<readonly string[]> {
  const environment = environmentOf(definition, { modules: hooks, timeout: 1000 }, {}, () => {
    throw new Error('no validator reads the database');
  });
  const invalid: string[] = [];
  for (const { name: model, table, fields } of definition.models) {
    for (const { name, column, type, validate } of fields) {
      if (!validate) continue;
      const validation = validationOf(type, validate, environment);
      const text = type.many ? `to_json("${column}")::text` : `"${column}"::text`;
      const { rows } = await client.query(`SELECT ${text} AS value FROM "${table}"`);
      for (const { value } of rows) {
        const failures = await validation.check(parserOf(type)(value), emptyScope());
        invalid.push(...failures.map(({ message }) => `${model}.${name} ${message}: ${value}`));
      }
    }
  }
  return invalid;
}

/** The message of what a promise is rejected with. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was refused';
}
