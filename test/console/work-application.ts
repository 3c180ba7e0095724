/** An application with jobs and some that are stored, for the tests of the console. */
import type { Definition, Job } from '../../compiler/definition/definition.ts';
import { jobKind } from '../../compiler/definition/work.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const ORDER = {
  kind: 'value',
  name: 'order_id',
  doc: null,
  type: { kind: 'integer' },
  required: true,
  default: null,
  validate: null,
  stores: null,
  finds: null,
} as const;

const JOB: Job = {
  name: 'SendReceipt',
  was: null,
  doc: 'Sends the receipt of an order.',
  inputs: [ORDER],
  retry: 8,
  timeout: 30,
  actions: [],
  onFailure: [],
};
const CODE = { kind: 'execute', record: 'sent', hook: { file: 'hooks/mail.ts', name: 'send' } };

export const RECEIPT = jobKind(JOB, { enums: [] });
/** With an input that this release does not have. */
export const UNKNOWN = 'SendReceipt(copy boolean, order_id integer)';

export async function workApplication(): Promise<TestDatabase & { readonly definition: Definition }> {
  await loadGrammar();
  const plain = definitionOf([{ path: 'main.kiln', text: 'model Order { field total { type integer } }' }]);
  const sweep = { ...JOB, name: 'Sweep', inputs: [], actions: [CODE] } as unknown as Job;
  const definition = { ...plain, jobs: [JOB, sweep] };
  const database = await createDatabase();
  await database.client.query(schemaSql(schemaFromDefinition(definition)));
  return { ...database, definition };
}

/** Stores jobs 1 to 5: one of each state, and one of another release. */
export const STORED = `
  TRUNCATE kiln_jobs RESTART IDENTITY;
  INSERT INTO kiln_jobs (kind, input, due_at, attempt, running_on, failed_at, error) VALUES
    ('${RECEIPT}', '{"order_id": 1}', now() - interval '1 hour', 0, NULL, NULL, NULL),
    ('${RECEIPT}', '{"order_id": 2}', now() + interval '1 day', 1, NULL, NULL, 'the mail server is down'),
    ('${RECEIPT}', '{"order_id": 3}', now() + interval '20 s', 2, 'web-1', NULL, NULL),
    ('${RECEIPT}', '{"order_id": 4}', 'infinity', 9, NULL, now(), 'no such address'),
    ('${UNKNOWN}', '{"order_id": 5, "copy": true}', now(), 0, NULL, NULL, NULL);`;
