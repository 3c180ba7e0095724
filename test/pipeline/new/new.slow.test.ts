/** `kiln new`, by doing: what it writes is compiled, served and tested. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { nameFromFolder, TEMPLATES, writeProject } from '../../../pipeline/new/project-files.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase } from '../../support/postgres.ts';
import { addFiles, projectFolder } from '../project-folder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kilnFile = join(root, 'dist', 'kiln.js');

interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(cwd: string, command: string, words: readonly string[], env: Record<string, string> = {}): Done {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', ...env } } as const;
  const { status, stdout, stderr } = spawnSync(command, words, options);
  return { code: status, out: stdout, err: stderr };
}

/** As where `kiln` was put on the path. */
function path(): string {
  const folder = projectFolder({ 'bin/kiln': `#!/bin/sh\nexec '${process.execPath}' '${kilnFile}' "$@"\n` });
  chmodSync(join(folder, 'bin/kiln'), 0o755);
  return [join(folder, 'bin'), process.env.PATH].join(delimiter);
}

const PACKAGE = 'git+https://git.example.com/acme/kiln.git#v1';

/** `kiln new` packs no Kiln then, which takes ten times as long as all else. */
const kiln = (cwd: string, ...words: readonly string[]) =>
  run(cwd, 'node', [kilnFile, ...words], { PATH: path(), KILN_PACKAGE: PACKAGE });

const packed = (cwd: string, ...words: readonly string[]) => run(cwd, 'node', [kilnFile, 'new', ...words]);

function filesIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function manifestIn(folder: string): { readonly devDependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

describe('kiln new', () => {
  before(buildOnce);

  for (const template of TEMPLATES) {
    it(`gives an application that is checked, formatted, and passes its own test (${template})`, async () => {
      const folder = projectFolder({});
      const choice = template === 'starter' ? [] : ['--template', template];
      expect(kiln(folder, 'new', 'my-app', ...choice).code).to.equal(0);
      const project = join(folder, 'my-app');
      expect(kiln(project, 'check')).to.deep.include({ code: 0, err: '' });
      expect(kiln(project, 'fmt', '--check')).to.deep.include({ code: 0, err: '' });
      const tested = run(project, 'npm', ['test'], {
        PATH: path(),
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        // To make a Postgres of its own takes longer than the rest.
        ...(template === 'starter' ? {} : { TEST_DATABASE_URL: (await createDatabase()).url }),
      });
      expect(tested.code, tested.out).to.equal(0);
      expect(tested.out)
        .to.match(/^\S+ fail 0$/m)
        .and.to.match(/^\S+ pass [1-9]/m);
      expect(existsSync(join(project, '.kiln')), 'a database of the test').to.equal(false);
    }).timeout(180_000);
  }

  it('says what to do next', () => {
    const { out } = kiln(projectFolder({}), 'new', 'my blog');
    expect(out).to.match(/^Wrote my blog, \d+ files\. Next:\n\n {2}cd 'my blog'\n {2}kiln dev\n {2}npm test\n\n$/);
  });

  it('says how to run Kiln where it is not on the path', () => {
    const { out } = run(projectFolder({}), process.execPath, [kilnFile, 'new', 'app'], {
      PATH: '/usr/bin:/bin',
      KILN_PACKAGE: PACKAGE,
    });
    expect(out).to.include('\n  cd app\n  npm install\n  npm run dev\n  npm test\n');
  });

  it('has the Kiln that wrote it as a dependency, packed into the project', () => {
    const folder = projectFolder({});
    packed(folder, 'app');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(manifestIn(join(folder, 'app')).devDependencies).to.deep.equal({
      'kiln-lang': `file:vendor/kiln-lang-${version}.tgz`,
    });
    expect(readdirSync(join(folder, 'app/vendor'))).to.deep.equal([`kiln-lang-${version}.tgz`]);
  });

  it('has the Kiln that KILN_PACKAGE names as a dependency', () => {
    const folder = projectFolder({});
    const make = (name: string) => run(folder, 'node', [kilnFile, 'new', 'app'], { KILN_PACKAGE: name });
    expect(make(PACKAGE).code).to.equal(0);
    expect(manifestIn(join(folder, 'app')).devDependencies).to.deep.equal({ 'kiln-lang': PACKAGE });
    expect(existsSync(join(folder, 'app/vendor'))).to.equal(false);
  });

  it("keeps the example's README, with its accounts and commands that run in the new folder", () => {
    const folder = projectFolder({});
    kiln(folder, 'new', 'desk', '--template', 'helpdesk');
    const readme = readFileSync(join(folder, 'desk/README.md'), 'utf8');
    expect(readme).to.match(/^# desk\n\nCustomers of several organisations/);
    expect(readme).to.include('| `admin@helpdesk.example` |').and.include('`correct horse`');
    expect(readme).to.include('$ kiln dev\n').and.include('docker compose up');
    expect(readme).not.to.match(/kiln\/examples|--template|console background/);
  });

  it('writes the same files every time', () => {
    const [one, two] = [projectFolder({}), projectFolder({})];
    for (const folder of [one, two]) packed(folder, 'app', '--template', 'shop');
    expect(filesIn(one)).to.deep.equal(filesIn(two));
    expect(Object.keys(filesIn(one))).to.include.members([
      'app/.env.example',
      'app/.github/workflows/kiln.yml',
      'app/.gitignore',
      'app/.vscode/extensions.json',
      'app/.vscode/settings.json',
      'app/README.md',
      'app/compose.yaml',
      'app/hooks/pricing.ts',
      'app/kubernetes/app.yaml',
      'app/store.kiln',
      'app/test/api.test.mjs',
    ]);
  });

  it('leaves a folder that is not empty as it is', () => {
    const folder = projectFolder({ 'app/notes.txt': 'mine' });
    const { code, err } = kiln(folder, 'new', 'app');
    expect(code).to.equal(2);
    expect(err).to.equal(
      'error: `app` is not empty: a new project needs a folder of its own, and `notes.txt` is in this one\n',
    );
    expect(filesIn(folder)).to.deep.equal({ 'app/notes.txt': 'mine' });
  });

  it('refuses an empty name, and leaves the files that are here as they are', () => {
    const folder = projectFolder({ 'package.json': '{}' });
    const { code, err } = kiln(folder, 'new', '');
    expect(code).to.equal(2);
    expect(err).to.equal('error: the name of the folder is empty; write `.` for this folder\n');
    expect(filesIn(folder)).to.deep.equal({ 'package.json': '{}' });
  });

  it('takes a folder that is empty, and a repository without files', () => {
    const folder = projectFolder({});
    mkdirSync(join(folder, 'empty'));
    execFileSync('git', ['init', '--quiet', join(folder, 'cloned')]);
    expect(kiln(folder, 'new', 'empty').code).to.equal(0);
    expect(kiln(join(folder, 'cloned'), 'new', '.').out).to.match(/^Wrote cloned, .*\n\n {2}kiln dev\n/);
  });

  it('takes back what it has written where it cannot write the rest', () => {
    const folder = projectFolder({});
    const files = ['one/a', 'two', 'two/b'].map((path) => ({ path, text: '' }));
    expect(writeProject(folder, files)).to.equal(`\`${join(folder, 'two')}\` is a file, but a folder is needed there`);
    expect(readdirSync(folder), 'the folder was there before').to.deep.equal([]);
  });

  it('takes back the folders that it has made, too', () => {
    const folder = projectFolder({ 'mine/notes.txt': '' });
    const files = ['one', 'one/a'].map((path) => ({ path, text: '' }));
    expect(writeProject(join(folder, 'mine/new/app'), files)).to.include('is a file, but a folder is needed there');
    expect(readdirSync(folder, { recursive: true })).to.have.members(['mine', 'mine/notes.txt']);
  });

  it('refuses a file, and a template that there is not', () => {
    const folder = projectFolder({ app: '' });
    expect(kiln(folder, 'new', 'app')).to.deep.include({
      code: 2,
      err: 'error: `app` is a file, or a part of its path is\n',
    });
    const { code, err } = kiln(folder, 'new', 'other', '--template', 'wiki');
    expect(code).to.equal(2);
    expect(err).to.include('blog, bookings, helpdesk, projects, shop');
    expect(existsSync(join(folder, 'other'))).to.equal(false);
  });

  it('tells Visual Studio Code where the errors of a source are', () => {
    const folder = projectFolder({});
    kiln(folder, 'new', 'app');
    const project = join(folder, 'app');
    addFiles(project, { 'wrong.kiln': 'model Note {\n  reference task { to Tsk }\n}\n' });
    const { err } = kiln(project, 'check');
    const [{ problemMatcher }] = JSON.parse(readFileSync(join(project, '.vscode/tasks.json'), 'utf8')).tasks;
    const [first, second] = problemMatcher.pattern.map(({ regexp }: { regexp: string }) => new RegExp(regexp));
    const lines = err.split('\n');
    const at = lines.findIndex((line) => first.test(line));
    expect(first.exec(lines[at])?.slice(1, 3)).to.deep.equal(['error', 'unknown-model']);
    expect(second.exec(lines[at + 1])?.slice(1)).to.deep.equal(['wrong.kiln', '2', '23']);
  });
});

describe('the name of a new project', () => {
  for (const [folder, name] of [
    ['blog', 'blog'],
    ['/srv/My Blog', 'my-blog'],
    ['a_b.c--d', 'a-b-c-d'],
    ['Übung', 'ubung'],
    ['2048', 'app-2048'],
    ['日本', 'app'],
    ['-x-', 'x'],
    [`${'long-'.repeat(20)}name`, 'long-long-long-long-long-long-long-long'],
  ] as const) {
    it(`is ${name} in ${folder}`, () => {
      expect(nameFromFolder(folder)).to.equal(name);
      expect(name).to.match(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
    });
  }
});
