import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';
import { projectFolder } from './project-folder.ts';
import { runKilnHere } from './run-kiln.ts';

/** Without the option, `kiln check` says nothing about an order by a boolean. */
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

  it('warns at the endpoint that no index serves, and needs no database', async () => {
    const folder = projectFolder({ 'main.kiln': SOURCE });
    const { status, out, err } = await runKilnHere(['check', '--plans', folder], { DATABASE_URL: 'nonsense' });
    expect(err).to.equal(
      'warning: `GET /api/post` sorts every matching `Post` by `draft` to give a part of them\n' +
        `  --> ${folder}/main.kiln:7:5\n` +
        '  add `index` to `field draft` of `model Post`\n\n',
    );
    expect(out).to.match(/^Checked 1 file: no errors\nChecked the plans of 1 endpoint: 1 warning\n$/);
    expect(status).to.equal(0);
  });

  it('prints it as JSON, beside the warnings of every check', async () => {
    const source = SOURCE.replaceAll('draft', 'title').replace('boolean', 'string');
    const folder = projectFolder({ 'main.kiln': source });
    const { out } = await runKilnHere(['check', '--plans', '--json', folder], { DATABASE_URL: 'nonsense' });
    const { diagnostics, plans } = JSON.parse(out) as {
      diagnostics: readonly { code: string }[];
      plans: { endpoints: number; findings: readonly object[] };
    };
    expect(diagnostics.map(({ code }) => code)).to.deep.equal(['order-without-index']);
    expect(plans.endpoints).to.equal(1);
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

  it('says nothing where there are errors', async () => {
    const folder = projectFolder({ 'main.kiln': 'model Post { field title { type strng } }\n' });
    const { status, out } = await runKilnHere(['check', '--plans', '--json', folder], { DATABASE_URL: 'nonsense' });
    expect({ status, plans: JSON.parse(out).plans }).to.deep.equal({ status: 1, plans: null });
  });
});
