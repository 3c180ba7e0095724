import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { baseFromArchive } from '../../../pipeline/image/base-archive.ts';
import { until } from '../../support/until.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { FIRST, HOOKED } from '../push/pushed-sources.ts';
import { KILN, type KilnRun, runKiln } from '../run-kiln.ts';
import { smallBaseArchive } from './small-base.ts';

describe('kiln build of what cannot be built', () => {
  let base: string;

  before(async () => {
    base = join(temporaryFolder(), 'base.tar');
    writeFileSync(base, await smallBaseArchive());
  });

  interface Built extends KilnRun {
    readonly file: string;
  }

  async function built(folder: string, words: readonly string[] = [], more: NodeJS.ProcessEnv = {}): Promise<Built> {
    const file = join(temporaryFolder(), 'image.tar');
    const run = await runKiln(['build', folder, '--base-archive', base, '--output', file, ...words], more);
    return { ...run, file };
  }

  /** The one sentence that is said; nothing is recorded, and no image is there. */
  async function refused(folder: string, ...words: readonly string[]): Promise<string> {
    const { status, err, file } = await built(folder, words);
    expect(status, err).to.equal(1);
    expect(existsSync(file)).to.equal(false);
    if (existsSync(join(folder, '.git'))) expect(gitIn(folder, 'for-each-ref', 'refs/kiln')).to.equal('');
    expect(err).not.to.include('    at ');
    return err.trim();
  }

  function project(files: Readonly<Record<string, string>> = FIRST): string {
    const folder = newRepository();
    write(folder, files);
    return folder;
  }

  it('says that the folder is in no repository, and that a repository has no commits', async () => {
    expect(await refused(temporaryFolder())).to.match(/^error: .* is not in a git repository; .* run `git init`/);
    expect(await refused(project())).to.equal('error: the repository has no commits yet');
  });

  it('says that there is no such revision, and that a shallow clone may not have it', async () => {
    const folder = project();
    const first = commit(folder);
    commit(folder);
    expect(await refused(folder, '--rev', 'v9')).to.equal('error: the repository has no revision `v9`');
    const clone = join(temporaryFolder(), 'blog');
    gitIn(folder, 'clone', '--quiet', '--depth=1', `file://${folder}`, clone);
    expect(await refused(clone, '--rev', first))
      .to.include('this is a shallow clone, so')
      .and.to.include('--unshallow');
    expect(await refused(clone)).to.include(
      'error: this is a shallow clone, so the history of the revision is not known',
    );
  });

  it('says that a revision has no sources, and that submodules are not part of it', async () => {
    const folder = newRepository();
    write(folder, { 'README.md': '' });
    commit(folder);
    write(folder, FIRST);
    expect(await refused(folder)).to.include('none of its files ends in `.kiln`');
    const other = project();
    commit(other);
    gitIn(folder, 'submodule', '--quiet', 'add', other, 'shared');
    gitIn(folder, 'rm', '--quiet', '--cached', '-r', '--ignore-unmatch', 'models.kiln');
    gitIn(folder, 'commit', '--quiet', '-m', 'Module');
    expect(await refused(folder)).to.include('and submodules are not part of it');
  });

  it('says that a source is a link', async () => {
    const folder = project();
    symlinkSync('/etc/hostname', join(folder, 'secret.kiln'));
    commit(folder);
    expect(await refused(folder)).to.equal('error: `secret.kiln` is a link, though its name ends in `.kiln`');
  });

  it('takes no file of the machine that a hook imports, and no package that is installed there', async () => {
    const machine = temporaryFolder();
    write(machine, {
      'secret.json': '{ "token": "t0k3n" }',
      'node_modules/planted/index.js': "export const loud = () => 'planted';\n",
    });
    for (const from of [join(machine, 'secret.json'), '../../secret.json', 'planted']) {
      const code = `import * as all from ${JSON.stringify(from)};\nexport const loud = () => JSON.stringify(all);\n`;
      const folder = project({ ...HOOKED, 'hooks/loud.js': code });
      commit(folder);
      const { status, err } = await built(folder, [], { TMPDIR: machine });
      expect(status).to.equal(1);
      expect(err).to.include(`\`hooks/loud.js\` imports \`${from}\`, `).and.not.to.include('t0k3n');
    }
  });

  it('puts nothing of its environment into the image', async () => {
    const up = '../'.repeat(20);
    const code = `const n = 'on';\nexport const loud = () => import(\`${up}proc/self/envir\${n}\`, { with: { type: 'text' } });\n`;
    const folder = project({ ...HOOKED, 'hooks/loud.js': code });
    commit(folder);
    expect(await refused(folder))
      .to.include('the code of hooks cannot be bundled')
      .and.to.include('hooks/loud.js:2');
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`leaves no folder and no process where ${signal} ends it while hooks are bundled`, async () => {
      // esbuild goes through all files of the machine for it, which takes longer than this test.
      const code = `export const loud = ({ n }) => import(\`${'../'.repeat(20)}\${n}\`);\n`;
      const folder = project({ ...HOOKED, 'hooks/loud.js': code });
      commit(folder);
      const machine = temporaryFolder();
      const words = [KILN, 'build', folder, '--base-archive', base, '--output', join(machine, 'image.tar')];
      const child = spawn(process.execPath, words, { env: { ...process.env, TMPDIR: machine }, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const hasFolder = () => readdirSync(machine).some((name) => name.startsWith('kiln-hooks-'));
      await until(() => child.exitCode !== null || (hasFolder() && processesIn(machine).length > 0));
      child.kill(signal);
      await ended;
      await until(() => !hasFolder() && processesIn(machine).length === 0);
    });

  /** Where the system shows it. */
  function processesIn(folder: string): readonly string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    });
  }

  it('gives the same code of hooks wherever it is bundled', async () => {
    const folder = project({ ...HOOKED, 'hooks/loud.js': "export { loud } from './way.ts';\n" });
    write(folder, { 'hooks/way.ts': 'export class A { x?: number }\nexport const loud = () => String(new A().x);\n' });
    commit(folder);
    const machine = temporaryFolder();
    write(machine, { 'tsconfig.json': '{ "compilerOptions": { "useDefineForClassFields": false } }', 'real/x': '' });
    symlinkSync(join(machine, 'real'), join(machine, 'link'));
    const images = await Promise.all(
      [tmpdir(), machine, join(machine, 'link')].map(async (place, at) => {
        const file = join(machine, `${at}.tar`);
        const words = ['build', folder, '--base-archive', base, '--output', file];
        const { status, err } = await runKiln(words, { TMPDIR: place });
        expect(status, err).to.equal(0);
        return readFileSync(file);
      }),
    );
    expect(images.map((image) => image.equals(images[0] ?? Buffer.alloc(0)))).to.deep.equal([true, true, true]);
  });

  it('does not follow a link of a hook out of the project', async () => {
    const folder = project({ ...HOOKED, 'hooks/loud.js': "export { loud } from './way.js';\n" });
    const outside = join(temporaryFolder(), 'way.js');
    writeFileSync(outside, "export const loud = () => 'outside';\n");
    symlinkSync(outside, join(folder, 'hooks/way.js'));
    commit(folder);
    expect(await refused(folder)).to.include('the code of hooks cannot be bundled');
  });

  it('says what a hook imports that is not there', async () => {
    const folder = project({ ...HOOKED, 'hooks/loud.js': "import 'left-pad';\nexport const loud = () => '';\n" });
    commit(folder);
    const said = await refused(folder);
    expect(said).to.include('left-pad').and.to.include('hooks/loud.js:1');
  });

  it('quotes commits, settings and code of others without what steers a terminal', async () => {
    const hostile = '\u001b]0;owned\u0007\u009b31m\u202e';
    const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/;
    const folder = project({
      ...HOOKED,
      'hooks/loud.js': `import './${hostile}.js';\nexport const loud = () => '';\n`,
    });
    commit(folder, `Title ${hostile}\n\nBreaking: because ${hostile}`);
    expect(await refused(folder))
      .to.include('owned')
      .and.not.match(unsafe);
    write(folder, { 'kiln.json': JSON.stringify({ [`name\nerror: ${hostile}`]: 1 }) });
    commit(folder);
    expect(await refused(folder))
      .to.include('owned')
      .and.not.match(unsafe)
      .and.not.match(/\n/);
    gitIn(folder, 'rm', '--quiet', 'kiln.json');
    write(folder, { 'hooks/loud.js': "export const loud = () => '';\n" });
    commit(folder, `Title ${hostile}`);
    const { out, err } = await built(folder);
    const log = await runKiln(['pipeline', 'log', folder, 'main']);
    expect(log.out).to.include('owned');
    for (const text of [out, err, log.out, log.err]) expect(text).not.to.match(unsafe);
  });

  it('says where options contradict each other, or do not name an image', async () => {
    const folder = project();
    commit(folder);
    const said = async (...words: readonly string[]) => {
      const { status, err } = await runKiln(['build', folder, ...words]);
      expect(status).to.equal(2);
      return err;
    };
    expect(await said('--push', '--output', 'x.tar')).to.match(/^error: --push needs a Docker engine, and --output/);
    expect(await said('--base-archive', 'x.tar')).to.match(/^error: --base-archive is the base for --output/);
    for (const name of ['Shop:1', 'shop:', 'a b', 'host:5000/', 'shop:1:2'])
      expect(await said('--tag', name)).to.include(`\`${name}\` cannot name an image`);
  });

  it('builds files whose names have spaces and line breaks', async () => {
    const folder = newRepository('a b\nc');
    write(folder, { 'my models/po\nst "1".kiln': FIRST['models.kiln'], 'kiln.json': '{ "name": "odd" }' });
    commit(folder);
    const { status, err } = await built(folder);
    expect(status, err).to.equal(0);
  });

  it('neither reads a file of 1 GB that lies beside the sources, nor takes it into the image', async () => {
    const folder = project({ ...HOOKED, 'hooks/loud.js': 'export const loud = ({ headline }) => headline;\n' });
    // Modules are read to be bundled, so this is where a large file would be in the way.
    writeFileSync(join(folder, 'data.json'), '');
    truncateSync(join(folder, 'data.json'), 1024 ** 3);
    execFileSync('git', ['-c', 'core.compression=1', 'add', '--all'], { cwd: folder });
    commit(folder);
    const tell = "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))";
    const { status, err, file } = await built(folder, [], {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tell)}`,
    });
    expect(status, err).to.equal(0);
    expect(Number(/peak (\d+)/.exec(err)?.[1]) / 1024).to.be.lessThan(700);
    const { layers } = await baseFromArchive(file);
    expect(layers.at(-1)?.tar.length).to.be.lessThan(1024 ** 2);
  });
});
