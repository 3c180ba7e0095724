/**
 * A blog over five releases that work side by side, as the compiler writes them: a field is renamed, one is added, one
 * release changes only the API, and another field is renamed.
 */
import type { Model, ModelClass } from 'objection';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { compatibilitySchema, type MigrationStep, type ReleaseChain } from '../../../compiler/definition/migration.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { type ImageRelease, imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { type Application, startApplication } from '../../support/application.ts';
import { ask, type Received } from '../http/serving.ts';
import { type Code, definitionOf, modulesOf } from '../operations/running.ts';
import { transaction } from './ten-releases.ts';

const ENDPOINTS = `list endpoint {} create endpoint {} update endpoint {}
  POST many "copy" { action { execute as made { hook { source copy from "code" } } respond { body made } } }`;

/** Whatever the fields of a post are called. */
const copy: Code = async (_, { db }) => {
  const posts = db.Post as ModelClass<Model>;
  const { id, ...values } = (await posts.query().findById(1)) as Model & { readonly id: number };
  return posts.query().insertAndFetch(values);
};

const SOURCES: readonly string[] = [
  `model Post { field name { type string } } api { entrypoint Post as post { ${ENDPOINTS} } }`,
  `model Post { field title { type string } } api { entrypoint Post as post { ${ENDPOINTS} } }`,
  `model Post { field title { type string } field note { type string, nullable } } api { entrypoint Post as post { ${ENDPOINTS} } }`,
  `model Post { field title { type string } field note { type string, nullable } } api { entrypoint Post as post { ${ENDPOINTS} delete endpoint {} } }`,
  `model Post { field heading { type string } field note { type string, nullable } } api { entrypoint Post as post { ${ENDPOINTS} } }`,
];

const definitions = SOURCES.map((source) => definitionOf(source, { copy }));
const schemas = definitions.map(async (definition) => schemaFromDefinition(await definition));

/** As many releases as are wanted, from the first one on. */
export async function blog(count: number): Promise<ReleaseChain> {
  const all = await Promise.all(schemas.slice(0, count));
  const fingerprints = all.map((schema) => schemaFingerprint(schema));
  const releases = fingerprints.map((fingerprint, index) => {
    const revision = `${index + 1}`.repeat(40);
    const beside = fingerprints[index - 1];
    if (beside === undefined) return { revision, fingerprint, steps: [] };
    return { revision, fingerprint, beside, ...changesTo(index + 1, compatibilitySchema(beside)) };
  });
  const schema = all[count - 1];
  if (!schema) throw new Error(`there are ${SOURCES.length} releases`);
  return { version: 1, releases, schema, schemaSql: schemaSql(schema) };
}

interface Changes {
  readonly steps: readonly MigrationStep[];
  readonly contract: readonly MigrationStep[];
}

function changesTo(position: number, old: string): Changes {
  switch (position) {
    case 2:
      return rename('name', 'title', old, []);
    case 3:
      return { steps: [transaction('ALTER TABLE post ADD COLUMN note text')], contract: [] };
    case 5:
      return rename('title', 'heading', old, ['note']);
    default:
      return { steps: [], contract: [] };
  }
}

/** With what a release leaves in a table for the one before it, and two steps to remove it all. */
function rename(from: string, to: string, old: string, others: readonly string[]): Changes {
  const columns = ['id', `${to} AS ${from}`, ...others].join(', ');
  return {
    steps: [
      transaction('ALTER TABLE post ADD COLUMN kiln_kept text', 'CREATE INDEX kiln_kept_idx ON post (kiln_kept)'),
      transaction(
        `ALTER TABLE post RENAME COLUMN ${from} TO ${to}`,
        `ALTER TABLE post ADD CONSTRAINT kiln_kept_check CHECK (kiln_kept IS NULL)`,
        `CREATE SCHEMA IF NOT EXISTS ${old}`,
        `CREATE VIEW ${old}.post AS SELECT ${columns} FROM post`,
      ),
    ],
    contract: [
      transaction(`DROP SCHEMA ${old} CASCADE`),
      transaction('ALTER TABLE post DROP COLUMN kiln_kept', `SELECT 'contracted'`),
    ],
  };
}

export interface Image extends ImageRelease {
  readonly application: Application;
  ask(methodAndPath: string, body?: unknown): Promise<Received>;
}

export async function definitionAt(position: number): Promise<Definition> {
  const definition = await definitions[position - 1];
  if (!definition) throw new Error(`there is no release ${position}`);
  return definition;
}

/** The server of a release. */
export async function serveRelease(
  position: number,
  databaseUrl: string,
  log: (line: string) => void = () => undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<Image> {
  const release = imageReleaseOf(await blog(position));
  const definition = await definitionAt(position);
  const application = await startApplication({
    definition,
    databaseUrl,
    hooks: modulesOf({ copy }),
    release,
    log,
    environment,
  });
  const port = Number(new URL(application.url).port);
  return {
    ...release,
    application,
    ask: (methodAndPath, body) => {
      const [method = 'GET', path = '/'] = methodAndPath.split(' ');
      const json =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      return ask(port, path, { method, ...json });
    },
  };
}
