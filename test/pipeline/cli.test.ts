import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';
import { runKilnHere } from './run-kiln.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kilnFile = join(root, 'dist', 'kiln.js');

const AUTHOR = 'model Author {\n  field name { type string }\n}\n';
const UNFORMATTED = 'model   Author{field name{type string}}';
const UNREADABLE = 'model {\n';

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('the command line', () => {
  let folder: string;

  before(buildOnce);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-cli-'));
    chmodSync(folder, 0o777);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, content: string | Uint8Array): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  const read = (path: string) => readFileSync(join(folder, path), 'utf8');

  async function kiln(words: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
    const { status, ...texts } = await runKilnHere(words, { NO_COLOR: '', ...env }, folder);
    return { code: status, ...texts };
  }

  function built(words: readonly string[], env: Record<string, string> = {}, uid?: number): Answer {
    const options = { cwd: folder, encoding: 'utf8' as const, env: { ...process.env, NO_COLOR: '', ...env } };
    const done = spawnSync('node', [kilnFile, ...words], uid === undefined ? options : { ...options, uid });
    return { code: done.status, out: done.stdout, err: done.stderr };
  }

  /** Root may do everything, so a test of what is forbidden runs as nobody. */
  function builtAsNobody(words: readonly string[]): Answer {
    return built(words, {}, process.getuid?.() === 0 ? 65534 : undefined);
  }

  const ok = (out: string): Answer => ({ code: 0, out, err: '' });
  const refused = (code: number, ...sentences: readonly string[]): Answer => ({
    code,
    out: '',
    err: sentences.map((sentence) => `error: ${sentence}\n`).join(''),
  });

  describe('in general', () => {
    it('prints its help when nothing is asked', async () => {
      const { code, out, err } = await kiln([]);
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      expect(out)
        .to.match(/^Usage: kiln/)
        .and.include('check [options] [dir]')
        .and.include('$ kiln check');
      expect(await kiln(['--help'])).to.deep.equal(ok(out));
      expect(await kiln(['help'])).to.deep.equal(ok(out));
    });

    for (const command of ['check', 'compile', 'fmt']) {
      it(`explains ${command} with examples`, async () => {
        const { code, out } = await kiln([command, '--help']);
        expect(code).to.equal(0);
        expect(out).to.include(`Usage: kiln ${command} [options] [dir]`).and.include(`$ kiln ${command}\n`);
        expect((await kiln(['help', command])).out).to.equal(out);
      });
    }

    it('prints its version', () => {
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      expect(built(['--version'])).to.deep.equal(ok(`${version}\n`));
    });

    it('starts by its own name', () => {
      expect(execFileSync(kilnFile, ['--version'], { encoding: 'utf8' })).to.match(/^\d/);
    });

    it('suggests the command, the option or the number of folders that may have been meant', async () => {
      const hint = 'Run `kiln --help` for the usage.';
      const hintOfCheck = 'Run `kiln check --help` for the usage.';
      expect(await kiln(['chekc'])).to.deep.equal(
        refused(2, `unknown command 'chekc'\n(Did you mean check?)\n${hint}`),
      );
      expect(await kiln(['check', '--jsn'])).to.deep.equal(
        refused(2, `unknown option '--jsn'\n(Did you mean --json?)\n${hintOfCheck}`),
      );
      expect((await kiln(['compile', '-o'])).code).to.equal(2);
      expect(await kiln(['check', 'a', 'b'])).to.deep.equal(
        refused(2, `too many arguments for 'check'. Expected 1 argument but got 2.\n${hintOfCheck}`),
      );
      expect((await kiln(['db', 'populate', '--seed', 'x'])).err).to.include('Run `kiln db populate --help`');
      expect((await kiln(['dev', '--clock', '2026-02-30'])).err).to.include('It must be a day such as 2026-01-01.');
    });

    it('owns up to its own failures in a sentence, and shows the stack', () => {
      write('a.kiln', AUTHOR);
      const preload = write(
        'fail.mjs',
        `import fs from 'node:fs';
         import { syncBuiltinESMExports } from 'node:module';
         fs.readdirSync = () => { throw new TypeError('boom'); };
         syncBuiltinESMExports();`,
      );
      const { code, err } = built(['check'], { NODE_OPTIONS: `--import=${preload}` });
      expect(code).to.equal(70);
      expect(err).to.match(
        /^error: Kiln failed \(TypeError: boom\); please report it with all of this\nTypeError: boom\n +at /,
      );
    });

    it('stops quietly when nobody reads on', () => {
      write('a.kiln', `model A {\n${'  reference b { to Nowhere }\n'.repeat(3000)}}\n`);
      const script = `node '${kilnFile}' check --json | head -c 1; echo " \${PIPESTATUS[0]}"`;
      const done = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
      expect(done.stderr).to.equal('');
      expect(done.stdout).to.match(/^\{ \d+\n$/);
      const both = spawnSync('bash', ['-c', `node '${kilnFile}' check 2>&1 | head -n 1`], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(both.stderr).to.equal('');
      expect(both.stdout).to.match(/^error\[.*\n$/);
    });
  });

  describe('what cannot be read', () => {
    for (const command of ['check', 'compile', 'fmt']) {
      it(`is a sentence and a 2 from ${command} where it is the path`, async () => {
        write('notes.txt', 'x');
        mkdirSync(join(folder, 'empty'));
        expect(await kiln([command, 'gone'])).to.deep.equal(refused(2, '`gone` does not exist'));
        expect(await kiln([command, 'notes.txt'])).to.deep.equal(
          refused(2, '`notes.txt` is neither a folder nor a `.kiln` file'),
        );
        expect(await kiln([command, 'empty'])).to.deep.equal(
          refused(2, 'there are no sources in `empty`: the folder is empty'),
        );
        expect(await kiln([command])).to.deep.equal(
          refused(2, 'there are no sources in `.`: no file in it or below it ends in `.kiln`'),
        );
      });
    }

    it('is a sentence each, all at once, where it is the files', async () => {
      write('a.kiln', AUTHOR);
      write('big.kiln', new Uint8Array(20 * 1024 * 1024).fill(0x20));
      mkdirSync(join(folder, 'folder.kiln'));
      write('latin.kiln', Buffer.from('// é', 'latin1'));
      symlinkSync('gone', join(folder, 'link.kiln'));
      write('zero.kiln', 'model A {}\n\0');
      expect(await kiln(['check'])).to.deep.equal(
        refused(
          1,
          '`big.kiln` is 20.0 MB; Kiln reads files up to 4 MB',
          '`folder.kiln` is a folder, though its name ends in `.kiln`',
          '`latin.kiln` is not UTF-8 text; save it as UTF-8',
          '`link.kiln` is a link, though its name ends in `.kiln`',
          '`zero.kiln` is not UTF-8 text; save it as UTF-8',
        ),
      );
    });

    it('is a 2 where the system forbids it', () => {
      chmodSync(write('a.kiln', AUTHOR), 0o000);
      expect(builtAsNobody(['check'])).to.deep.equal(refused(2, '`a.kiln` cannot be read: permission denied'));
    });
  });

  describe('check', () => {
    it('says how much it has checked', async () => {
      write('a.kiln', AUTHOR);
      expect(await kiln(['check'])).to.deep.equal(ok('Checked 1 file: no errors\n'));
      write('b/c.kiln', 'model Post {\n  field title { type string }\n}\n');
      expect(await kiln(['check', '.'])).to.deep.equal(ok('Checked 2 files: no errors\n'));
      expect(await kiln(['check', join(folder, 'b')])).to.deep.equal(ok('Checked 1 file: no errors\n'));
      expect(await kiln(['check', 'a.kiln'])).to.deep.equal(ok('Checked 1 file: no errors\n'));
    });

    it('reports the mistakes of all files, in their order, and counts them', async () => {
      write('c.kiln', 'model C {\n  reference a { to Nowhere }\n}\n');
      write('a.kiln', 'model A {\n  reference b { to Nobody }\n  reference c { to Nothing }\n}\n');
      write('b/b.kiln', 'model B {\n  reference c { to None }\n}\n');
      const { code, out, err } = await kiln(['check']);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err.match(/^ *--> .*/gm)).to.deep.equal([
        '  --> a.kiln:2:20',
        '  --> a.kiln:3:20',
        '  --> b/b.kiln:2:20',
        '  --> c.kiln:2:20',
      ]);
      expect(err).to.match(/^error\[unknown-model\]: `A\.b` refers to `Nobody`/);
      expect(err).to.match(/\n\n4 errors in 3 files\nFor more: kiln explain unknown-model\n$/);
    });

    it('finds the modules of hooks in the project', async () => {
      write('a.kiln', 'model A {\n  hook h { source greet from "greet.ts" }\n}\n');
      expect((await kiln(['check'])).code).to.equal(1);
      write('hooks/greet.ts', 'export const greet = () => "hello";\n');
      expect(await kiln(['check'])).to.deep.equal(ok('Checked 1 file: no errors\n'));
    });

    it('finds what is wrong with the files of hooks', async () => {
      write('a.kiln', 'model A {\n  hook h { source greet from "greet.ts" }\n}\n');
      write('hooks/greet.ts', 'export const greet = () =>\n  "hello" + ;\n');
      const { code, out, err } = await kiln(['check']);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err)
        .to.include('error[bad-hook-code]: `hooks/greet.ts` cannot be bundled')
        .and.include('  --> hooks/greet.ts:2:13\n')
        .and.match(/\nFor more: kiln explain bad-hook-code\n$/);
      const { diagnostics } = JSON.parse((await kiln(['check', '--json'])).out);
      expect(diagnostics).to.have.length(1);
      expect(diagnostics[0]).to.include({ code: 'bad-hook-code', severity: 'error', file: 'hooks/greet.ts' });
      expect(diagnostics[0].start).to.deep.equal({ line: 2, column: 13, offset: 39 });
    });

    it('shows the line of code that several projects share', async () => {
      write('app/a.kiln', 'model A {\n  hook h { source greet from "greet.ts" }\n}\n');
      write('app/hooks/greet.ts', "export { greet } from '../../shared/greet.ts';\n");
      write('shared/greet.ts', 'export const greet = (;\n');
      const { err } = await kiln(['check', 'app']);
      expect(err).to.include('shared/greet.ts:1:23\n1 | export const greet = (;\n  |                       ^');
      const { diagnostics } = JSON.parse((await kiln(['check', 'app', '--json'])).out);
      expect(diagnostics[0]).to.include({ file: 'app/../shared/greet.ts' });
      expect(diagnostics[0].start).to.include({ line: 1, column: 23 });
    });

    it('checks the types of hooks where the project has TypeScript', async () => {
      write(
        'a.kiln',
        'model A {\n  field size { type integer }\n  hook h { arg size size, source label from "label.ts" }\n}\n',
      );
      const types = "import type { LabelArgs } from '../.kiln/hooks.d.ts';\nimport { sep } from 'node:path';\n";
      const label = (code: string) =>
        write('hooks/label.ts', `${types}export const label = ({ size }: LabelArgs) => ${code};\n`);
      label('sep + size.trim()');
      expect((await kiln(['check'])).code).to.equal(0);
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const { code, err } = await kiln(['check']);
      expect(code).to.equal(1);
      expect(err)
        .to.include(
          "error[hook-type-error]: Property 'trim' does not exist on type 'number' (TS2339)\n  --> hooks/label.ts:3:",
        )
        .and.include('^^^^\n\n1 error in 1 file\n');
      const { diagnostics } = JSON.parse((await kiln(['check', '--json'])).out);
      expect(diagnostics[0]).to.include({ code: 'hook-type-error', severity: 'error', file: 'hooks/label.ts' });
      label('sep + size.toFixed()');
      expect((await kiln(['check'])).code).to.equal(0);
      // The options of the project's own configuration are used.
      label('({ f: (given) => given }).f(size)');
      expect((await kiln(['check'])).code).to.equal(0);
      write(
        'tsconfig.json',
        '{ "compilerOptions": { "module": "preserve", "strict": true, "types": ["node"] }, "include": ["web"] }',
      );
      expect((await kiln(['check'])).err).to.include("Parameter 'given' implicitly has an 'any' type (TS7006)");
    });

    it('names no explanation where there are only warnings', async () => {
      write('a.kiln', 'model Post {\n  field title { type string }\n  /// Nothing comes after this.\n}\n');
      const { code, err } = await kiln(['check']);
      expect(code).to.equal(0);
      expect(err).to.include('warning[misplaced-doc-comment]').and.not.include('kiln explain');
    });

    it('prints JSON for tools', async () => {
      write('a.kiln', 'model A {\n  reference b { to Nobody }\n}\n');
      const { code, out, err } = await kiln(['check', '--json']);
      expect({ code, err }).to.deep.equal({ code: 1, err: '' });
      const { files, diagnostics } = JSON.parse(out);
      expect(files).to.equal(1);
      expect(diagnostics).to.have.length(1);
      expect(diagnostics[0]).to.include({ code: 'unknown-model', severity: 'error', file: 'a.kiln' });
      expect(diagnostics[0].start).to.deep.equal({ line: 2, column: 20, offset: 29 });
      write('a.kiln', AUTHOR);
      expect(JSON.parse((await kiln(['check', '--json'])).out)).to.deep.equal({
        files: 1,
        complete: true,
        problems: [],
        diagnostics: [],
      });
    });

    it('prints JSON for tools also where sources cannot be read', async () => {
      write('a.kiln', 'model A {\0}');
      const { code, out } = await kiln(['check', '--json']);
      expect(code).to.equal(1);
      const { problems, diagnostics } = JSON.parse(out);
      expect(problems[0]).to.include({ kind: 'not-utf8', path: 'a.kiln' });
      expect(diagnostics).to.deep.equal([]);
    });

    it('says when the rules have not been checked yet', async () => {
      write('a.kiln', 'modle A {}\n');
      write('b.kiln', 'model B {\n  reference c { to Nobody }\n}\n');
      const { err } = await kiln(['check']);
      expect(err).to.include('did you mean `model`?').and.not.include('Nobody');
      expect(err).to.match(
        /1 error in 1 file\nThe rest is checked once all of this can be read\nFor more: kiln explain unknown-word\n$/,
      );
      expect(JSON.parse((await kiln(['check', '--json'])).out).complete).to.equal(false);
    });

    it('names files as they can be opened from here', async () => {
      write('shop/models/a.kiln', 'model A {\n  reference b { to Nobody }\n}\n');
      expect((await kiln(['check', 'shop'])).err).to.include('--> shop/models/a.kiln:2:20\n');
      expect(JSON.parse((await kiln(['check', 'shop', '--json'])).out).diagnostics[0].file).to.equal(
        'shop/models/a.kiln',
      );
    });

    it('is in colour on a terminal, unless NO_COLOR says otherwise', function () {
      if (!existsSync('/usr/bin/script')) this.skip();
      write('a.kiln', 'model A {\n  reference b { to Nobody }\n}\n');
      const onTerminal = (env: Record<string, string>) => {
        const command = `node '${kilnFile}' check`;
        const options = { cwd: folder, encoding: 'utf8' as const, env: { ...process.env, TERM: 'xterm', ...env } };
        return spawnSync('script', ['-qec', command, '/dev/null'], options).stdout;
      };
      expect(onTerminal({ NO_COLOR: '' })).to.include('\u001b[1;31merror[unknown-model]');
      expect(onTerminal({ NO_COLOR: '1' }))
        .to.include('error[unknown-model]')
        .and.not.include('\u001b');
    });
  });

  describe('compile', () => {
    it('writes the definition, the document of the API and the schema, the same bytes each time, and says so', async () => {
      write('a.kiln', AUTHOR);
      const { code, out, err } = await kiln(['compile']);
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      const said = out.replace(/[\d.]+ (bytes|kB|ms)/g, '…');
      expect(said).to.equal(
        'Wrote definition.json (…), openapi.json (…), client/client.ts (…), schema.sql (…) to build in …\n',
      );
      const files = ['client/client.ts', 'definition.json', 'openapi.json', 'schema.sql'];
      expect(readdirSync(join(folder, 'build'))).to.deep.equal(files.map((file) => file.replace(/\/.*/, '')));
      expect(JSON.parse(read('build/definition.json'))).to.include({ version: 1 });
      expect(JSON.parse(read('build/openapi.json'))).to.include({ openapi: '3.1.0' });
      expect(read('build/schema.sql')).to.include('CREATE TABLE "author" (\n').and.include('"name" text NOT NULL');
      expect((await kiln(['compile', '.', '-o', 'out/deep'])).out).to.match(/ to out\/deep in /);
      for (const file of files) expect(read(`out/deep/${file}`)).to.equal(read(`build/${file}`));
    });

    it('writes the clients that the sources ask for, and says so where they have changed', async () => {
      write('blog/a.kiln', `${AUTHOR}generator client { target js, output "web" }\n`);
      const lines = async () => (await kiln(['compile', 'blog'])).out.split('\n').slice(1);
      expect(await lines()).to.deep.equal(['Wrote blog/web/client.js', 'Wrote blog/web/client.d.ts', '']);
      expect(await lines()).to.deep.equal(['']);
      write('blog/web/client.js', '// mine\n');
      const { code, err } = await kiln(['compile', 'blog']);
      expect(code).to.equal(2);
      expect(err).to.include('`web/client.js` is not a file that Kiln has written');
    });

    it('writes nothing where there are errors', async () => {
      write('a.kiln', 'model A {\n  reference b { to Nobody }\n}\n');
      const { code, out, err } = await kiln(['compile']);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err).to.match(/\n1 error in 1 file\nFor more: kiln explain unknown-model\n$/);
      expect(existsSync(join(folder, 'build'))).to.equal(false);
    });

    it('says why the output cannot be written', async () => {
      write('src/a.kiln', AUTHOR);
      write('file', 'x');
      mkdirSync(join(folder, 'taken/definition.json'), { recursive: true });
      expect(await kiln(['compile', 'src', '-o', 'file'])).to.deep.equal(
        refused(2, '`file` is a file, but a folder is needed there'),
      );
      expect(await kiln(['compile', 'src', '-o', 'file/below'])).to.deep.equal(
        refused(2, 'the folder `file/below` cannot be made: a part of its path is not a folder'),
      );
      expect(await kiln(['compile', 'src', '-o', 'taken'])).to.deep.equal(
        refused(2, '`taken/definition.json` cannot be written: it is a folder'),
      );
      expect(readdirSync(join(folder, 'taken'))).to.deep.equal(['definition.json']);
    });

    it('says that the output may not be written', () => {
      write('a.kiln', AUTHOR);
      mkdirSync(join(folder, 'locked'), { mode: 0o555 });
      expect(builtAsNobody(['compile', '-o', 'locked/out'])).to.deep.equal(
        refused(2, 'the folder `locked/out` cannot be made: permission denied'),
      );
      expect(builtAsNobody(['compile', '-o', 'locked'])).to.deep.equal(
        refused(2, '`locked/definition.json` cannot be written: permission denied'),
      );
    });
  });

  describe('fmt', () => {
    it('rewrites the files that change, and only those', async () => {
      const formatted = write('a.kiln', AUTHOR);
      write('b/b.kiln', UNFORMATTED);
      const before = statSync(formatted).mtimeMs;
      expect(await kiln(['fmt'])).to.deep.equal(ok('b/b.kiln\n'));
      expect(read('b/b.kiln')).to.equal('model Author { field name { type string } }\n');
      expect(statSync(formatted).mtimeMs).to.equal(before);
      expect(await kiln(['fmt'])).to.deep.equal(ok('Checked 2 files: all in the canonical format\n'));
      expect(readdirSync(join(folder, 'b'))).to.deep.equal(['b.kiln']);
    });

    it('formats a single file', async () => {
      write('models/a.kiln', UNFORMATTED);
      write('models/b.kiln', UNFORMATTED);
      expect(await kiln(['fmt', 'models/a.kiln'])).to.deep.equal(ok('a.kiln\n'));
      expect(read('models/b.kiln')).to.equal(UNFORMATTED);
    });

    it('keeps permissions', async () => {
      const file = write('a.kiln', UNFORMATTED);
      chmodSync(file, 0o660);
      expect(await kiln(['fmt'])).to.deep.equal(ok('a.kiln\n'));
      expect(statSync(file).mode & 0o777).to.equal(0o660);
      expect(readFileSync(file, 'utf8')).to.equal('model Author { field name { type string } }\n');
    });

    it('only says what it would change when asked to check', async () => {
      write('a.kiln', AUTHOR);
      expect(await kiln(['fmt', '--check'])).to.deep.equal(ok('Checked 1 file: all in the canonical format\n'));
      write('b.kiln', UNFORMATTED);
      write('c.kiln', UNFORMATTED);
      expect(await kiln(['fmt', '--check'])).to.deep.equal({
        code: 1,
        out: 'b.kiln\nc.kiln\n',
        err: 'error: 2 files are not in the canonical format; `kiln fmt` rewrites such files\n',
      });
      expect(read('b.kiln')).to.equal(UNFORMATTED);
    });

    it('leaves a file with syntax errors alone, reports it, and formats the others', async () => {
      write('a.kiln', UNREADABLE);
      write('b.kiln', UNFORMATTED);
      write('c.kiln', '\0');
      const { code, out, err } = await kiln(['fmt']);
      expect({ code, out }).to.deep.equal({ code: 1, out: 'b.kiln\n' });
      expect(err).to.match(/^error: `c\.kiln` is not UTF-8 text/);
      expect(err)
        .to.include('--> a.kiln:1:')
        .and.match(/\n\n\d errors? in 1 file\nFor more: kiln explain [a-z-]+\n$/);
      expect(read('a.kiln')).to.equal(UNREADABLE);
    });

    it('says that a file may not be written', () => {
      chmodSync(write('a.kiln', UNFORMATTED), 0o444);
      expect(builtAsNobody(['fmt'])).to.deep.equal(refused(2, '`a.kiln` cannot be written: permission denied'));
      expect(read('a.kiln')).to.equal(UNFORMATTED);
    });
  });
});
