import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Received, type Running, run, stopAll } from './running.ts';

const PROGRAM = `
model Post {
  field title { type string }
  relation comments { from Comment, through post }
  hook summary {
    arg comments query { from comments, select { text } }
    arg post query { select { title } }
    source summary from "code"
  }
}
model Comment { reference post { to Post, on delete cascade }, field text { type string } }
api {
  entrypoint Post as post {
    list endpoint { response { title, summary } }
    get endpoint { response { title, summary } }
  }
}
`;

type Given = {
  readonly comments: readonly { readonly text: string }[];
  readonly post: { readonly title: string } | null;
};

/** What the hook was given, as one text. */
function summary(given: unknown): string {
  const { comments, post } = given as Given;
  return `${post?.title ?? 'null'}: ${comments.map(({ text }) => text).join()}`;
}

describe('what hooks of a response are given', () => {
  let app: Running;

  beforeEach(async () => {
    app = await run(PROGRAM, { code: { summary } });
    await app.database.client.query(`INSERT INTO post (title) VALUES ('a'), ('b');
      INSERT INTO comment (post_id, text) VALUES (1, 'one'), (2, 'two')`);
  });

  afterEach(stopAll);

  /** The first post is deleted when the list was read, and before the arguments of its hooks are. */
  const whileDeleted = async (path: string): Promise<Received> => {
    const { client } = app.database;
    await client.query('BEGIN; LOCK TABLE comment IN ACCESS EXCLUSIVE MODE');
    const asked = app.ask(`GET ${path}`);
    await until(async () => (await client.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0);
    await client.query('DELETE FROM post WHERE id = 1');
    await client.query('COMMIT');
    return asked;
  };

  it('is of one moment in a list, though a record is deleted meanwhile', async () => {
    const { status, json } = await whileDeleted('/api/post');
    expect(status).to.equal(200);
    expect(json).to.deep.equal([
      { title: 'a', summary: 'a: one' },
      { title: 'b', summary: 'b: two' },
    ]);
  });

  it('is of one moment for a single record', async () => {
    expect((await whileDeleted('/api/post/1')).json).to.deep.equal({ title: 'a', summary: 'a: one' });
  });

  it('is of the next moment in the next request', async () => {
    await whileDeleted('/api/post');
    expect((await app.ask('GET /api/post')).json).to.deep.equal([{ title: 'b', summary: 'b: two' }]);
  });
});
