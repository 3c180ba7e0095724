import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';
import { createDatabase } from '../support/postgres.ts';
import { projectFolder } from './project-folder.ts';
import { runKiln } from './run-kiln.ts';

/** Without a database, `kiln check` says nothing about an order by a boolean. */
const SOURCE = `model Post {
  field draft { type boolean }
}

api {
  entrypoint Post {
    list endpoint { order by { draft }, paginable }
  }
}
`;

describe('kiln check --plans', () => {
  before(buildOnce);

  it('warns at the endpoint that no index serves, and leaves no database behind', async () => {
    const { url, client } = await createDatabase();
    const folder = projectFolder({ 'main.kiln': SOURCE });
    const { status, out, err } = await runKiln(['check', '--plans', folder], { DATABASE_URL: url });
    expect(err).to.equal(
      'warning: `GET /api/post` sorts every matching `Post` by `draft` to give a part of them\n' +
        `  --> ${folder}/main.kiln:7:5\n` +
        '  add `index` to `field draft` of `model Post`\n\n',
    );
    expect(out).to.match(/^Checked 1 file: no errors\nExplained \d+ statements?: 1 warning\n$/);
    expect(status).to.equal(0);
    const { rows } = await client.query(`SELECT datname FROM pg_database WHERE datname LIKE 'kiln_temporary_%'`);
    expect(rows).to.deep.equal([]);
  });

  it('prints it as JSON, beside what is certain without a database', async () => {
    const { url } = await createDatabase();
    const source = SOURCE.replaceAll('draft', 'title').replace('boolean', 'string');
    const folder = projectFolder({ 'main.kiln': source });
    const { out } = await runKiln(['check', '--plans', '--json', folder], { DATABASE_URL: url });
    const { diagnostics, plans } = JSON.parse(out) as {
      diagnostics: readonly { code: string }[];
      plans: { findings: readonly object[]; skipped: string | null };
    };
    expect(diagnostics.map(({ code }) => code)).to.deep.equal(['order-without-index']);
    expect(plans.skipped).to.equal(null);
    expect(plans.findings).to.deep.equal([
      {
        sender: 'GET /api/post',
        endpoint: 'post.list',
        model: 'Post',
        lack: 'order',
        says: 'sorts every matching `Post` by `title` to give a part of them',
        advice: 'add `index` to `field title` of `model Post`',
        place: { file: `${folder}/main.kiln`, line: 7, column: 5 },
      },
    ]);
  });

  it('explains nothing where there are errors, and needs no database then', async () => {
    const folder = projectFolder({ 'main.kiln': 'model Post { field title { type strng } }\n' });
    const { status, out } = await runKiln(['check', '--plans', '--json', folder], { DATABASE_URL: 'nonsense' });
    expect({ status, plans: JSON.parse(out).plans }).to.deep.equal({ status: 1, plans: null });
  });

  it('says in a sentence why the server cannot be used', async () => {
    const folder = projectFolder({ 'main.kiln': SOURCE });
    const { status, err } = await runKiln(['check', '--plans', folder], {
      DATABASE_URL: 'postgres://me:geheim@127.0.0.1:1/blog',
    });
    expect(status).to.equal(2);
    expect(err)
      .to.include('the database `postgres` on 127.0.0.1:1 cannot be used: no server responds there')
      .and.not.include('geheim');
  });
});
