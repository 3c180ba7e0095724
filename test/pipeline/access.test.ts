import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { readSources } from '../../files/read-sources.ts';
import { accessText } from '../../pipeline/cli/access.ts';
import { compileSources } from '../../pipeline/cli/project.ts';
import { placedMatrix } from '../../pipeline/difference/subject-place.ts';
import { buildOnce } from '../support/build-once.ts';
import { isUpdating } from '../support/case-file.ts';
import { commit, newRepository, write } from './git/git-repository.ts';
import { runKilnHere } from './run-kiln.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const NOTES = `model User { field email { type string, unique }, field hash { type string, secret } }
model Note { reference owner { to User }, field text { type string } }
auth { model User, login email, password hash }
api {
  entrypoint Note as note {
    list endpoint { authorize { @auth is not null }, filter { owner is @auth } }
    get endpoint { authorize { note.owner is @auth } }
  }
}
`;

const JOBS = `model Note { field text { type string } }
job Notify { input text { type string }  action { execute { hook { arg text text, inline "text" } } run Count {} } }
job Count { action { query { from Note as note, filter { note.id < 0 }, delete } } }
on create of Note as note { run Notify { text: note.text } }
on delete of Note as note { run Count {} }
api { entrypoint Note as note { create endpoint as made { authorize { true } action { create {} run Notify { text: made.text } } } } }
`;

describe('the access rules of an example', () => {
  for (const example of ['blog', 'bookings', 'helpdesk', 'projects', 'shop'])
    it(`are those of ${example}`, async () => {
      const read = readSources(join(ROOT, 'examples', example));
      const { definition, program } = await compileSources(read);
      if (!definition || !program) throw new Error(`${example} has errors`);
      const text = `${accessText(placedMatrix(definition, program, new SourceMap(read.sources)).rows)}\n`;
      const golden = join(import.meta.dirname, 'golden', `access-${example}.txt`);
      if (isUpdating) writeFileSync(golden, text);
      expect(text).to.equal(readFileSync(golden, 'utf8'));
    });
});

describe('kiln access', () => {
  let folder: string;

  before(() => {
    buildOnce();
    folder = newRepository('access');
    write(folder, { 'notes.kiln': NOTES });
    commit(folder);
    write(folder, { 'notes.kiln': NOTES.replace('authorize { note.owner is @auth }', '') });
  });

  const access = (...words: readonly string[]) => runKilnHere(['access', folder, ...words]);

  it('prints a line for each endpoint of the work tree, or of a revision', async () => {
    const now = await access();
    expect(now).to.include({ status: 0, err: '' });
    expect(now.out).to.match(/^GET \/api\/note\/\{note_id\} {2}yes +yes +\S*notes\.kiln:7 +anyone$/m);
    expect(now.out).to.match(
      /^6 endpoints \(2 of the sources, 4 of accounts\): 3 for anyone, 3 for everybody who is signed in, 0 under a condition$/m,
    );
    const before = await access('--rev', 'HEAD');
    expect(before.out).to.match(
      /^GET \/api\/note\/\{note_id\} {2}no +condition +notes\.kiln:7 +note\.owner is @auth$/m,
    );
  });

  it('prints JSON', async () => {
    const { status, out } = await access('--json', '--rev', 'HEAD');
    expect(status).to.equal(0);
    const rows = JSON.parse(out) as readonly { readonly id: string }[];
    expect(rows.find(({ id }) => id === 'note.list')).to.deep.equal({
      id: 'note.list',
      method: 'GET',
      path: '/api/note',
      anonymous: 'no',
      signedIn: 'yes',
      rule: '@auth is not null',
      records: 'owner is @auth',
      parallel: null,
      live: false,
      stale: null,
      place: { file: 'notes.kiln', line: 6, column: 5 },
    });
    expect(rows.find(({ id }) => id === 'auth.login')).to.include({ rule: 'anyone', records: null, place: null });
  });

  it('says how old the data of a response may be', async () => {
    const file = join(folder, 'stale.kiln');
    writeFileSync(
      file,
      'model Note { field text { type string } } api { entrypoint Note { list endpoint { stale minutes(1) } } }',
    );
    const { out } = await runKilnHere(['access', file]);
    expect(out)
      .to.match(/signed in +stale +place/)
      .and.to.match(/GET \/api\/note +yes +yes +60 s/);
  });

  it('lists the uploads and downloads of files, and no job that removes them', async () => {
    const file = join(folder, 'files.kiln');
    writeFileSync(
      file,
      'model Note { field scan { type file } } api { entrypoint Note as note { get endpoint {} create endpoint {} } }',
    );
    const { status, out } = await runKilnHere(['access', file]);
    expect(status).to.equal(0);
    expect(out).to.contain('GET /api/note/{note_id}/scan').and.to.contain('POST /api/note/scan/upload');
    expect(out).not.to.contain('remove file');
    expect(out).to.match(/^4 endpoints \(2 of the sources, 2 of files\): 4 for anyone/m);
  });

  it('says which lists are live', async () => {
    const file = join(folder, 'live.kiln');
    const list = 'list endpoint { paginable, order by { id }, live }';
    writeFileSync(file, `model Note {} api { entrypoint Note as note { ${list} get endpoint {} } }`);
    expect((await runKilnHere(['access', file])).out)
      .to.match(/^endpoint +anonymous +signed in +live +place +rule$/m)
      .and.match(/^GET \/api\/note +yes +yes +yes +\S+ +anyone$/m)
      .and.match(/^GET \/api\/note\/\{note_id\} +yes +yes +\S+live.kiln:1 +anyone$/m);
  });

  it('lists jobs with how often they are done, and what runs them', async () => {
    const file = join(folder, 'jobs.kiln');
    writeFileSync(file, JOBS);
    const { status, out } = await runKilnHere(['access', file]);
    expect(status).to.equal(0);
    const at = (line: number) => `${file}:${line}`;
    expect(out.trimEnd().split('\n').slice(-3)).to.deep.equal([
      `job     is done        parallel      ${'place'.padEnd(at(3).length)}  run by`,
      `Count   exactly once   serializable  ${at(3)}  job Notify, on delete of Note`,
      `Notify  at least once                ${at(2)}  POST /api/note, on create of Note`,
    ]);
    const rows = JSON.parse((await runKilnHere(['access', file, '--json'])).out) as readonly object[];
    expect(rows.at(-1)).to.deep.equal({
      job: 'Notify',
      guarantee: 'at least once',
      parallel: null,
      runBy: ['POST /api/note', 'on create of Note'],
      place: { file, line: 2, column: 5 },
    });
  });

  it('says in a sentence what it cannot read', async () => {
    expect(await access('--rev', 'nowhere')).to.deep.equal({
      status: 1,
      out: '',
      err: 'error: the repository has no revision `nowhere`\n',
    });
    const missing = join(folder, 'missing');
    expect(await runKilnHere(['access', missing])).to.deep.equal({
      status: 2,
      out: '',
      err: `error: \`${missing}\` does not exist\n`,
    });
    const wrong = join(folder, 'wrong.kiln');
    writeFileSync(wrong, 'model Note { reference owner { to Usr } }\n');
    const { status, out, err } = await runKilnHere(['access', wrong]);
    expect({ status, out }).to.deep.equal({ status: 1, out: '' });
    expect(err).to.include('error[unknown-model]');
  });
});
