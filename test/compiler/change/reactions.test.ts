import { expect } from 'chai';
import type pg from 'pg';
import type { Definition, Job, Reaction } from '../../../compiler/definition/definition.ts';
import type { Expression, Read, Step, Type } from '../../../compiler/definition/expression.ts';
import { compatibilitySchema, type UndoneStep } from '../../../compiler/definition/migration.ts';
import { migrationFrom, releaseBetween, undoBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';

const INTEGER: Type = { kind: 'integer' };
const STRING: Type = { kind: 'string' };

interface Work {
  readonly model?: string;
  readonly event?: Reaction['event'];
  /** The member that the job gets, by a field of the record or of the one at the end of a path. */
  readonly sends?: {
    readonly field: string;
    readonly type?: Type;
    readonly path?: readonly Step[];
    readonly of?: string;
  };
  readonly when?: { readonly field: string; readonly type: Type; readonly is: string };
  readonly job?: string;
}

/** The program with a job, and a reaction that hands it the id of the record and one more value. */
function programOf(
  text: string,
  { model = 'Order', event = 'update', sends, when, job = 'Tell' }: Work = {},
): Definition {
  const definition = definitionOf([{ path: 'main.kiln', text }]);
  const fieldRead = (name: string, type: Type, path: readonly Step[] = [], of = model): Read => {
    return { name, kind: 'value', value: { kind: 'field', path, model: of, field: name, type } };
  };
  const now = (read: string, type: Type, record = 'order'): Expression => ({ kind: 'snapshot', record, read, type });
  const isIt = (record: string): Expression | null =>
    when
      ? {
          kind: 'operation',
          operator: 'is',
          operands: [now(when.field, when.type, record), { kind: 'literal', type: when.type, value: when.is }],
          type: { kind: 'boolean' },
        }
      : null;
  const both = (is: Expression, was: Expression): Expression => {
    const not: Expression = { kind: 'operation', operator: 'not', operands: [was], type: { kind: 'boolean' } };
    return { kind: 'operation', operator: 'and', operands: [is, not], type: { kind: 'boolean' } };
  };
  const [is, was] = [isIt('order'), isIt('before')];
  const isUpdate = event === 'update';
  const input = (name: string, type: Type): Job['inputs'][number] => {
    return {
      kind: 'value',
      name,
      doc: null,
      type,
      required: true,
      default: null,
      validate: null,
      stores: null,
      finds: null,
    };
  };
  const type = sends?.type ?? STRING;
  return {
    ...definition,
    jobs: [
      {
        name: job,
        was: null,
        doc: null,
        inputs: [input('order_id', INTEGER), ...(sends ? [input('value', type)] : [])],
        retry: 8,
        timeout: 30,
        actions: [],
        onFailure: [],
      },
    ],
    reactions: [
      {
        event,
        model,
        record: 'order',
        reads: [
          fieldRead('id', INTEGER),
          ...(sends ? [fieldRead(sends.field, type, sends.path, sends.of)] : []),
          ...(when && when.field !== sends?.field ? [fieldRead(when.field, when.type)] : []),
        ],
        before: isUpdate && when ? [fieldRead(when.field, when.type)] : [],
        when: is && was && isUpdate ? both(is, was) : is,
        runs: [
          {
            kind: 'run',
            job,
            values: [
              { input: 'order_id', value: now('id', INTEGER) },
              ...(sends ? [{ input: 'value', value: now(sends.field, type) }] : []),
            ],
            due: null,
            once: null,
            line: null,
          },
        ],
      },
    ],
  };
}

/** A database while both releases are served, seen by either of them. */
class Served {
  readonly client: pg.Client;
  readonly #schema: string;

  constructor(client: pg.Client, previous: Definition) {
    this.client = client;
    this.#schema = compatibilitySchema(storageFingerprint(previous));
  }

  async asPrevious(sql: string): Promise<readonly unknown[]> {
    await this.client.query(`SET search_path = ${this.#schema}, public`);
    return this.#jobsAfter(sql);
  }

  async asNext(sql: string): Promise<readonly unknown[]> {
    await this.client.query('SET search_path = public');
    return this.#jobsAfter(sql);
  }

  /** The jobs that the statement stores. */
  async #jobsAfter(sql: string): Promise<readonly unknown[]> {
    await this.client.query(sql);
    const { rows } = await this.client.query<{ kind: string; input: object }>(
      'DELETE FROM kiln_jobs RETURNING kind, input',
    );
    await this.client.query('SET search_path = public');
    return rows.map(({ kind, input }) => ({ [kind.replace(/\(.*/, '')]: input }));
  }
}

/** The triggers of reactions and their functions, as Postgres has them. */
async function reactionsIn(client: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(`
    SELECT pg_get_triggerdef(pg_trigger.oid) AS trigger, prosrc, proconfig FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE tgname LIKE 'kiln%' ORDER BY 1`);
  const functions = await client.query(`
    SELECT pronamespace::regnamespace::text AS schema, proname FROM pg_proc WHERE prorettype = 'trigger'::regtype
      AND (pronamespace::regnamespace::text LIKE 'kiln%' OR proname LIKE 'kiln%') ORDER BY 2`);
  return [...rows, ...functions.rows];
}

async function madeFrom(definition: Definition): Promise<readonly unknown[]> {
  return reactionsIn((await databaseWithSchema(schemaSql(schemaFromDefinition(definition)))).client);
}

interface Case {
  readonly before: Definition;
  readonly after: Definition;
  readonly rows: string;
  readonly previously: readonly [sql: string, jobs: readonly unknown[]];
  readonly now: readonly [sql: string, jobs: readonly unknown[]];
}

async function expectEachItsOwn({ before, after, rows, previously, now }: Case): Promise<void> {
  const [first, second] = [await madeFrom(before), await madeFrom(after)];
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(before)));
  await client.query(`BEGIN; SET LOCAL kiln.reactions = 'off'; ${rows}; COMMIT`);
  const served = new Served(client, before);
  const { steps, contract } = releaseBetween(before, after);
  const undo = undoBetween(before, after);
  const wroteBefore = async () => {
    await client.query('BEGIN');
    expect(await served.asPrevious(previously[0])).to.deep.equal(previously[1]);
    await client.query('ROLLBACK; SET search_path = public');
  };
  // The previous release writes after each step of the way there and back, and starts its own jobs each time.
  await runSteps(client, steps, wroteBefore);
  for (const step of undo.toReversed() as readonly UndoneStep[]) await runSteps(client, step.steps, wroteBefore);
  expect(await reactionsIn(client)).to.deep.equal(first);
  await runSteps(client, steps, wroteBefore);
  expect(await served.asPrevious(previously[0])).to.deep.equal(previously[1]);
  expect(await served.asNext(now[0])).to.deep.equal(now[1]);
  await runSteps(client, contract);
  expect(await reactionsIn(client)).to.deep.equal(second);
}

const ORDER = 'model Order { field status { type string } field note { type string, nullable } }';
const ROWS = `INSERT INTO "order" (status, note) VALUES ('open', 'a'), ('open', 'b')`;
const PAID = { field: 'status', type: STRING, is: 'paid' };
const pay = (id: number, column = 'status', table = '"order"') =>
  `UPDATE ${table} SET ${column} = 'paid' WHERE id = ${id}`;

describe('reactions of two releases', () => {
  before(() => loadGrammar());

  it('store a job with the change, only if the condition holds', async () => {
    const program = programOf(ORDER, { sends: { field: 'note' }, when: PAID });
    const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(program)));
    await client.query(ROWS);
    const served = new Served(client, program);
    expect(await served.asNext(pay(1))).to.deep.equal([{ Tell: { order_id: 1, value: 'a' } }]);
    expect(await served.asNext(`${pay(1)}; UPDATE "order" SET note = 'c' WHERE id = 2`)).to.deep.equal([]);
    expect(await served.asNext(`BEGIN; SET LOCAL kiln.reactions = 'off'; ${pay(2)}; COMMIT`)).to.deep.equal([]);
  });

  it('see what a cascade deletes', async () => {
    const text = `model Shop { relation orders { from Order, through shop } } model Order { reference shop { to Shop, on delete cascade } }`;
    const program = programOf(text, { event: 'delete' });
    const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(program)));
    await client.query('INSERT INTO shop DEFAULT VALUES; INSERT INTO "order" (shop_id) VALUES (1), (1)');
    expect(await new Served(client, program).asNext('DELETE FROM shop')).to.deep.equal([
      { Tell: { order_id: 1 } },
      { Tell: { order_id: 2 } },
    ]);
  });

  it('are shared where nothing has changed for them', async () => {
    const before = programOf(ORDER, { when: PAID });
    const after = programOf(ORDER.replace(/ \}$/, ' field size { type integer, default 1 } }'), { when: PAID });
    await expectEachItsOwn({
      before,
      after,
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1 } }]],
      now: [pay(2), [{ Tell: { order_id: 2 } }]],
    });
    expect(releaseBetween(before, after).contract).to.deep.equal([]);
  });

  it('are added, changed and removed', async () => {
    const first = programOf(ORDER, { when: PAID });
    const second = programOf(ORDER, { job: 'Tell', sends: { field: 'note' } });
    await expectEachItsOwn({
      before: first,
      after: second,
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1 } }]],
      now: [`UPDATE "order" SET note = 'c' WHERE id = 2`, [{ Tell: { order_id: 2, value: 'c' } }]],
    });
    const { reactions: _, ...silent } = first;
    await expectEachItsOwn({
      before: silent,
      after: first,
      rows: ROWS,
      previously: [pay(1), []],
      now: [pay(2), [{ Tell: { order_id: 2 } }]],
    });
    await expectEachItsOwn({
      before: first,
      after: silent,
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1 } }]],
      now: [pay(2), []],
    });
  });

  it('follow renamed fields', async () => {
    await expectEachItsOwn({
      before: programOf(ORDER, { sends: { field: 'note' }, when: PAID }),
      after: programOf(ORDER.replace('status {', 'state { was status,').replace('note {', 'remark { was note,'), {
        sends: { field: 'remark' },
        when: { ...PAID, field: 'state' },
      }),
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 'a' } }]],
      now: [pay(2, 'state'), [{ Tell: { order_id: 2, value: 'b' } }]],
    });
  });

  it('follow a renamed model', async () => {
    await expectEachItsOwn({
      before: programOf(ORDER, { sends: { field: 'note' }, when: PAID }),
      after: programOf(ORDER.replace('model Order', 'model Purchase was Order'), {
        model: 'Purchase',
        sends: { field: 'note' },
        when: PAID,
      }),
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 'a' } }]],
      now: [pay(2, 'status', 'purchase'), [{ Tell: { order_id: 2, value: 'b' } }]],
    });
  });

  it('keep a field that is dropped, and get one that is filled', async () => {
    await expectEachItsOwn({
      before: programOf(ORDER, { sends: { field: 'note' }, when: PAID }),
      after: programOf(
        'model Order { field status { type string } field size { type integer, backfill length(status) } drop note }',
        { sends: { field: 'size', type: INTEGER }, when: PAID },
      ),
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 'a' } }]],
      now: [pay(2), [{ Tell: { order_id: 2, value: 4 } }]],
    });
  });

  it('keep a model that is dropped', async () => {
    const { reactions: _, ...after } = programOf('model Other {} drop model Order', { model: 'Other' });
    await expectEachItsOwn({
      before: programOf(ORDER, { sends: { field: 'note' }, when: PAID }),
      after,
      rows: ROWS,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 'a' } }]],
      now: ['INSERT INTO other DEFAULT VALUES', []],
    });
  });

  it('read a field in its own type', async () => {
    const source = (type: string) => ORDER.replace(/ \}$/, ` field rank { type ${type} } }`);
    await expectEachItsOwn({
      before: programOf(source('integer'), { sends: { field: 'rank', type: INTEGER }, when: PAID }),
      after: programOf(source('string'), { sends: { field: 'rank' }, when: PAID }),
      rows: `INSERT INTO "order" (status, rank) VALUES ('open', 7), ('open', 8)`,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 7 } }]],
      now: [pay(2), [{ Tell: { order_id: 2, value: '8' } }]],
    });
  });

  it('compare with the values of their own enum', async () => {
    const source = (paid: string) => `enum Status { open, ${paid} } model Order { field status { type Status } }`;
    const status: Type = { kind: 'enum', enum: 'Status' };
    await expectEachItsOwn({
      before: programOf(source('paid'), { when: { ...PAID, type: status } }),
      after: programOf(source('settled was paid'), { when: { ...PAID, type: status, is: 'settled' } }),
      rows: `INSERT INTO "order" (status) VALUES ('open'), ('open')`,
      previously: [pay(1), [{ Tell: { order_id: 1 } }]],
      now: [`UPDATE "order" SET status = 'settled' WHERE id = 2`, [{ Tell: { order_id: 2 } }]],
    });
  });

  it('read other records as their own release sees them', async () => {
    const source = (customer: string, name: string) =>
      `model ${customer} { field ${name} { type string } relation orders { from Order, through customer } }
       model Order { field status { type string } reference customer { to ${customer.split(' ')[0]} } }`;
    const sends = (model: string, field: string) => {
      const step: Step = { kind: 'reference', name: 'customer', field: 'customer_id', model, nullable: false };
      return { field, path: [step], of: model };
    };
    await expectEachItsOwn({
      before: programOf(source('Customer', 'name'), { sends: sends('Customer', 'name'), when: PAID }),
      after: programOf(source('Client was Customer', 'title').replace('title {', 'title { was name,'), {
        sends: sends('Client', 'title'),
        when: PAID,
      }),
      rows: `INSERT INTO customer (name) VALUES ('Ada'); INSERT INTO "order" (status, customer_id) VALUES ('open', 1), ('open', 1)`,
      previously: [pay(1), [{ Tell: { order_id: 1, value: 'Ada' } }]],
      now: [pay(2), [{ Tell: { order_id: 2, value: 'Ada' } }]],
    });
  });

  it('are the same when a database is migrated at once', async () => {
    const before = programOf(ORDER, { sends: { field: 'note' }, when: PAID });
    const after = programOf(ORDER.replace('field note {', 'field remark { was note,'), {
      sends: { field: 'remark' },
      when: PAID,
    });
    const made = await madeFrom(after);
    const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(before)));
    await runSteps(client, migrationFrom(before, after).steps);
    expect(await reactionsIn(client)).to.deep.equal(made);
    expect(migrationFrom(before, after).says).to.deep.equal([
      'rename the column "note" of "order" to "remark"',
      'react when "order" changes',
      'drop a reaction of the previous release to changes of "order"',
    ]);
  });
});
