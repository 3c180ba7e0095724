import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Model, ModelClass } from 'objection';
import type { HookContext } from '../../../runtime/hooks/context.ts';
import { type Code, type Running, run, stopAll } from './running.ts';
import { expectUnavailable } from './unavailable.ts';

const PROGRAM = `
model Post { field title { type string } }
api {
  entrypoint Post {
    list endpoint {}
    POST many "run" {
      action {
        create Post { set title "before" }
        execute as result { hook { source code from "code" } }
        respond { body result }
      }
    }
  }
}
`;

type Db = HookContext['db'];
type Loss = (db: Db, lose: (db: Db) => Promise<void>) => unknown;

const posts = (db: Db) => (db.Post as ModelClass<Model>).query();

const LOSSES: Readonly<Record<string, Loss>> = {
  'before a statement': async (db, lose) => {
    await lose(db);
    await db.knex.raw('SELECT 1');
  },
  'before a statement of a model': async (db, lose) => {
    await lose(db);
    await posts(db);
  },
  'during a statement': async (db, lose) => {
    await Promise.all([db.knex.raw('SELECT pg_sleep(60)'), lose(db)]);
  },
  'during a statement of a model': async (db, lose) => {
    await Promise.all([posts(db).whereRaw('pg_sleep(60) IS NULL'), lose(db)]);
  },
  'within a savepoint': (db, lose) =>
    db.knex.transaction(async (inner) => {
      await lose(db);
      await inner('post').insert({ title: 'inside' });
    }),
  'and caught': async (db, lose) => {
    await lose(db);
    await db.knex.raw('SELECT 1').catch(() => undefined);
  },
  'and told in words of its own': async (db, lose) => {
    await lose(db);
    await db.knex.raw('SELECT 1').catch(() => {
      throw new Error('I could not');
    });
  },
  'without a statement after it': (db, lose) => lose(db),
};

describe('a connection that is lost in a hook', () => {
  afterEach(stopAll);

  for (const [when, loss] of Object.entries(LOSSES)) {
    it(`${when} is a 503 with Retry-After, and nothing is stored`, async () => {
      const app: Running = await start(async (_, { db }) => {
        const { rows } = await db.knex.raw('SELECT pg_backend_pid() AS pid');
        const terminate = () => app.database.client.query('SELECT pg_terminate_backend($1::int)', [rows[0].pid]);
        await loss(db, async () => {
          await terminate();
          await new Promise((resolve) => setTimeout(resolve, 50));
        });
      });
      expectUnavailable(await app.ask('POST /api/post/run'), 'The database cannot be reached.');
      expect((await app.ask('GET /api/post')).json).to.deep.equal([]);
    });
  }

  it('does not change the answer that the hook has chosen', async () => {
    const app: Running = await start(async (_, { db }) => {
      const { rows } = await db.knex.raw('SELECT pg_backend_pid() AS pid');
      await app.database.client.query('SELECT pg_terminate_backend($1::int)', [rows[0].pid]);
      throw { status: 409, message: 'Sold out' };
    });
    expect((await app.ask('POST /api/post/run')).status).to.equal(409);
  });
});

describe('what a hook fails at by itself', () => {
  afterEach(stopAll);

  for (const [what, code] of Object.entries({
    'a file that is missing': () => readFile('/no/such/file'),
    'a server that does not answer': () => fetch('http://127.0.0.1:1/'),
  } satisfies Readonly<Record<string, Code>>)) {
    it(`is a 500, as ${what}, and no failure of the database`, async () => {
      const app = await start(code);
      expect((await app.ask('POST /api/post/run')).status).to.equal(500);
    });
  }
});

function start(code: Code): Promise<Running> {
  return run(PROGRAM, { code: { code } });
}
