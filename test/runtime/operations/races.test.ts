import { expect } from 'chai';
import type { TestDatabase } from '../../support/postgres.ts';
import { bearer, countOf, type Running, run, stopAll } from './running.ts';

const POSTS = `
model Post {
  field slug { type string, unique }
  field votes { type integer, default 0 }
  relation comments { from Comment, through post }
}
model Comment { field text { type string }, reference post { to Post } }
api {
  entrypoint Post as post {
    identify { through slug }
    get endpoint {}
    create endpoint {}
    update endpoint {}
    delete endpoint {}
    POST one "vote" { action { update post { set votes post.votes + 1 } } }
    POST one "swap" {
      extra inputs { field with { type string } }
      action {
        update post { set votes post.votes + 1 }
        query as other { from Post, filter { slug is with }, update { set votes 7 } }
      }
    }
    entrypoint comments { create endpoint {} }
  }
}
`;

const AT_ONCE = 50;

/** Postgres looks for deadlocks at once, rather than after a second. */
async function createImpatientTables({ client }: TestDatabase, schema: string): Promise<void> {
  await client.query(schema);
  await client.query(`ALTER DATABASE ${client.database} SET deadlock_timeout = '10ms'`);
}

function times<T>(count: number, make: (at: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => make(at)));
}

const CREDITS = `
auth { model User, login email, password hash }
model User {
  field email { type string, unique }
  field hash { type string, secret }
  field credits { type integer, default 100 }
  relation posts { from Post, through author }
}
model Post { field n { type integer, default 0 }, reference author { to User } }
api {
  entrypoint Post as post {
    create endpoint {}
    POST many "spend" {
      authorize { @auth is not null and @auth.credits > 90 }
      action { update @auth { set credits @auth.credits - 1 } }
    }
    POST one "earn" { action { update post.author { set credits post.author.credits + 1 } } }
    POST one "found" {
      action {
        query as same { from Post, one, select { n } }
        update same { set n same.n + 1 }
      }
    }
  }
}
`;

describe('requests at the same time', () => {
  afterEach(stopAll);

  describe('that change what they have read', () => {
    const ACCOUNT = { email: 'a@x.org', password: 'a password' };
    let app: Running;
    beforeEach(async () => {
      app = await run(CREDITS);
      await app.ask('POST /api/auth/register', { ...ACCOUNT, credits: 100 });
      await app.ask('POST /api/post', { author_id: 1 });
    });

    it('spend no more than the caller has', async () => {
      const { token } = (await app.ask('POST /api/auth/login', ACCOUNT)).json;
      const answers = await times(AT_ONCE, () => app.ask('POST /api/post/spend', undefined, bearer(token)));
      const statuses = countOf(answers.map(({ status }) => status));
      expect([statuses.get(204), statuses.get(403)]).to.deep.equal([10, AT_ONCE - 10]);
      expect((await app.ask('GET /api/auth/me', undefined, bearer(token))).json.credits).to.equal(90);
    });

    it('lose nothing of a record that a path leads to', async () => {
      await times(AT_ONCE, () => app.ask('POST /api/post/1/earn'));
      const { rows } = await app.database.client.query('SELECT credits FROM "user"');
      expect(Number(rows[0].credits)).to.equal(100 + AT_ONCE);
    });

    it('lose nothing of a record that a query finds', async () => {
      await times(AT_ONCE, () => app.ask('POST /api/post/1/found'));
      const { rows } = await app.database.client.query('SELECT n FROM post');
      expect(Number(rows[0].n)).to.equal(AT_ONCE);
    });
  });

  for (const lane of ['fast', 'express'] as const) {
    describe(`on the ${lane} lane`, () => {
      let app: Running;

      beforeEach(async () => {
        app = await run(POSTS, { lane, prepare: createImpatientTables });
      });

      const numberOf = async (sql: string) =>
        Number((await app.database.client.query(`SELECT (${sql}) AS n`)).rows[0].n);

      it('create one record with a unique value', async () => {
        const answers = await times(AT_ONCE, () => app.ask('POST /api/post', { slug: 'one' }));
        const statuses = countOf(answers.map(({ status }) => status));
        expect(statuses.get(201)).to.equal(1);
        expect((statuses.get(409) ?? 0) + (statuses.get(422) ?? 0)).to.equal(AT_ONCE - 1);
        expect(await numberOf('SELECT count(*) FROM post')).to.equal(1);
      });

      it('lose no update of a value that is counted up', async () => {
        await app.ask('POST /api/post', { slug: 'one' });
        const answers = await times(AT_ONCE, () => app.ask('POST /api/post/one/vote'));
        expect([...countOf(answers.map(({ status }) => status))]).to.deep.equal([[204, AT_ONCE]]);
        expect((await app.ask('GET /api/post/one')).json.votes).to.equal(AT_ONCE);
      });

      it('delete a record once', async () => {
        await app.ask('POST /api/post', { slug: 'one' });
        const answers = await times(AT_ONCE, () => app.ask('DELETE /api/post/one'));
        expect(Object.fromEntries(countOf(answers.map(({ status }) => status)))).to.deep.equal({
          204: 1,
          404: AT_ONCE - 1,
        });
      });

      it('give one identifier to one of many records', async () => {
        await times(10, (at) => app.ask('POST /api/post', { slug: `p${at}` }));
        const answers = await times(10, (at) => app.ask(`PATCH /api/post/p${at}`, { slug: 'wanted' }));
        const statuses = answers.map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).to.have.length(1);
        expect(statuses.filter((status) => status !== 200 && status !== 409 && status !== 422)).to.deep.equal([]);
      });

      it('never leave a comment without its post', async () => {
        await app.ask('POST /api/post', { slug: 'one' });
        const [deleted, ...commented] = await Promise.all([
          app.ask('DELETE /api/post/one'),
          ...Array.from({ length: 10 }, () => app.ask('POST /api/post/one/comments', { text: 'x' })),
        ]);
        expect([204, 409]).to.include(deleted.status);
        for (const { status } of commented) expect([201, 404, 409]).to.include(status);
        expect(await numberOf('SELECT count(*) FROM comment WHERE post_id NOT IN (SELECT id FROM post)')).to.equal(0);
      });

      it('go on after a deadlock: the one that Postgres gave up is run again', async () => {
        await times(2, (at) => app.ask('POST /api/post', { slug: `p${at}` }));
        const answers = await times(6, (at) => app.ask(`POST /api/post/p${at % 2}/swap`, { with: `p${1 - (at % 2)}` }));
        const statuses = countOf(answers.map(({ status }) => status));
        expect((statuses.get(204) ?? 0) + (statuses.get(503) ?? 0)).to.equal(6);
        expect(statuses.get(204) ?? 0).to.be.greaterThan(0);
      });
    });
  }
});
