import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceDiff } from '../../pipeline/cli/check-fix.ts';
import { buildOnce } from '../support/build-once.ts';
import { runKilnHere } from './run-kiln.ts';

const WRONG = `model Author {
  field name { type String }
  feild email { type string, unique }
}
`;
const RIGHT = WRONG.replace('String', 'string').replace('feild', 'field');
const GOOD = 'model Tag {\n  field name { type string }\n}\n';

describe('kiln check --fix', () => {
  let folder: string;

  before(buildOnce);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-fix-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const path = (name: string) => join(folder, name);
  const fix = (...words: string[]) => runKilnHere(['check', folder, '--fix', ...words]);

  it('applies edits in rounds, and writes the files that change', async () => {
    write('author.kiln', WRONG);
    write('tag.kiln', GOOD);
    const before = statSync(join(folder, 'tag.kiln')).mtimeMs;
    const { status, out, err } = await fix();
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    expect(out).to.equal(`Fixed 2 errors in \`${path('author.kiln')}\`\nChecked 2 files: no errors\n`);
    expect(read('author.kiln')).to.equal(RIGHT);
    expect(statSync(join(folder, 'tag.kiln')).mtimeMs).to.equal(before);
  });

  it('reports the errors that are left, and exits with 1', async () => {
    write('author.kiln', `${WRONG}\nmodel Post {\n  reference editor { to Nobody }\n}\n`);
    const { status, out, err } = await fix();
    expect(status).to.equal(1);
    expect(out).to.equal(`Fixed 2 errors in \`${path('author.kiln')}\`\n`);
    expect(err).to.include('error[unknown-model]').and.include('author.kiln:7:25');
    expect(read('author.kiln')).to.include(RIGHT);
  });

  it('leaves files as they are where no error has an edit', async () => {
    const text = 'model Post {\n  reference editor { to Nobody }\n}\n';
    write('post.kiln', text);
    const { status, out } = await fix();
    expect({ status, out }).to.deep.equal({ status: 1, out: 'No error can be fixed automatically\n' });
    expect(read('post.kiln')).to.equal(text);
  });

  it('shows a diff with --dry-run, and writes nothing', async () => {
    write('author.kiln', WRONG);
    const { status, out, err } = await fix('--dry-run');
    expect({ status, err }).to.deep.equal({ status: 1, err: '' });
    expect(out).to.equal(
      [
        '--- a/author.kiln',
        '+++ b/author.kiln',
        '@@ -1,4 +1,4 @@',
        ' model Author {',
        '-  field name { type String }',
        '-  feild email { type string, unique }',
        '+  field name { type string }',
        '+  field email { type string, unique }',
        ' }',
        '',
        '2 errors can be fixed. Nothing was written: leave out `--dry-run` to write the changes',
        '',
      ].join('\n'),
    );
    expect(read('author.kiln')).to.equal(WRONG);
  });

  it('says with --json what it has fixed', async () => {
    write('author.kiln', WRONG);
    const { status, out } = await fix('--json');
    const report = JSON.parse(out);
    expect({ status, diagnostics: report.diagnostics, fixed: report.fixed }).to.deep.equal({
      status: 0,
      diagnostics: [],
      fixed: { errors: 2, files: [path('author.kiln')] },
    });
  });

  it('finds nothing to do in sources without errors', async () => {
    write('tag.kiln', GOOD);
    expect(await fix('--dry-run')).to.deep.equal({ status: 0, out: 'No errors\n', err: '' });
    expect(await fix()).to.deep.equal({ status: 0, out: 'Checked 1 file: no errors\n', err: '' });
  });

  it('rejects --dry-run alone', async () => {
    write('tag.kiln', GOOD);
    const { status, err } = await runKilnHere(['check', folder, '--dry-run']);
    expect(status).to.equal(2);
    expect(err).to.equal('error: `--dry-run` shows what `--fix` would write: add `--fix`\n');
  });
});

describe('a diff of two sources', () => {
  it('shows each change with three lines around it', () => {
    const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const after = before.toSpliced(20, 1, 'new', 'newer').toSpliced(1, 1);
    const hunks = sourceDiff('a.kiln', `${before.join('\n')}\n`, `${after.join('\n')}\n`);
    expect(hunks).to.deep.equal([
      '--- a/a.kiln',
      '+++ b/a.kiln',
      '@@ -1,5 +1,4 @@',
      ' line 1',
      '-line 2',
      ' line 3',
      ' line 4',
      ' line 5',
      '@@ -18,7 +17,8 @@',
      ' line 18',
      ' line 19',
      ' line 20',
      '-line 21',
      '+new',
      '+newer',
      ' line 22',
      ' line 23',
      ' line 24',
    ]);
  });
});
