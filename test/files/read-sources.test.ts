import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readSources } from '../../files/read-sources.ts';

describe('reading sources', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-sources-'));
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

  function link(target: string, path: string): void {
    symlinkSync(target, join(folder, path));
  }

  const paths = () => readSources(folder).sources.map((source) => source.path);
  const problems = (path = folder) => readSources(path).problems.map((problem) => problem.message);

  it('reads every .kiln file below the folder, in the order of their paths', () => {
    write('b.kiln', 'b');
    write('models/z.kiln', 'z');
    write('models/a/a.kiln', 'a');
    write('a.kiln', 'a');
    write('README.md', 'no source');
    expect(paths()).to.deep.equal(['a.kiln', 'b.kiln', 'models/a/a.kiln', 'models/z.kiln']);
    expect(readSources(folder).problems).to.deep.equal([]);
  });

  it('leaves out installed packages, output, and what is hidden', () => {
    for (const skipped of ['node_modules', '.git', '.kiln', '.idea', 'build', 'dist', 'models/node_modules']) {
      write(`${skipped}/x.kiln`, 'x');
    }
    write('.#a.kiln', 'a lock of an editor');
    write('.kiln.bak/x.kiln', 'x');
    write('a.kiln', 'a');
    expect(paths()).to.deep.equal(['a.kiln']);
  });

  it('reads a single file', () => {
    const file = write('models/a.kiln', 'model A {}');
    expect(readSources(file)).to.deep.equal({
      folder: join(folder, 'models'),
      sources: [{ path: 'a.kiln', text: 'model A {}' }],
      problems: [],
    });
  });

  it('drops a byte order mark and keeps the line ends', () => {
    write('a.kiln', '\ufeffmodel A {\r\n}\r\n');
    expect(readSources(folder).sources[0]?.text).to.equal('model A {\r\n}\r\n');
  });

  it('says that a path does not exist', () => {
    const gone = join(folder, 'gone');
    expect(problems(gone)).to.deep.equal([`\`${gone}\` does not exist`]);
    const below = join(write('a.kiln', 'a'), 'b');
    expect(problems(below)).to.deep.equal([`\`${below}\` does not exist`]);
  });

  it('says that a path is no folder', () => {
    const file = write('notes.txt', 'x');
    expect(problems(file)).to.deep.equal([`\`${file}\` is neither a folder nor a \`.kiln\` file`]);
  });

  it('says that a folder is empty', () => {
    expect(problems()).to.deep.equal([`there are no sources in \`${folder}\`: the folder is empty`]);
  });

  it('says that no file below a folder is a source', () => {
    write('src/notes.txt', 'x');
    expect(problems()).to.deep.equal([
      `there are no sources in \`${folder}\`: no file in it or below it ends in \`.kiln\``,
    ]);
  });

  it('refuses a file over the limit', () => {
    write('big.kiln', new Uint8Array(20 * 1024 * 1024).fill(0x20));
    write('fits.kiln', new Uint8Array(4 * 1024 * 1024).fill(0x20));
    expect(problems()).to.deep.equal(['`big.kiln` is 20.0 MB; Kiln reads files up to 4 MB']);
  });

  it('says which byte is not UTF-8', () => {
    write('latin.kiln', Buffer.from('// ok\n// caf\xe9\n', 'latin1'));
    write('mixed.kiln', Buffer.concat([Buffer.from('// � ok\n\n//'), Buffer.from([0xe2, 0x82]), Buffer.from('x')]));
    write('cut.kiln', Buffer.from([0x61, 0xc3]));
    write('utf16.kiln', Buffer.from('\ufeffmodel A {}', 'utf16le'));
    expect(problems()).to.deep.equal([
      '`cut.kiln` is not UTF-8 text; save it as UTF-8',
      '`latin.kiln` is not UTF-8 text; save it as UTF-8',
      '`mixed.kiln` is not UTF-8 text; save it as UTF-8',
      '`utf16.kiln` is not UTF-8 text; save it as UTF-8',
    ]);
  });

  it('says where a zero byte is', () => {
    write('a.kiln', 'é\n\0');
    expect(problems()).to.deep.equal(['`a.kiln` is not UTF-8 text; save it as UTF-8']);
  });

  it('says that a folder has the name of a source', () => {
    write('x.kiln/readme.txt', 'x');
    expect(problems()).to.deep.equal(['`x.kiln` is a folder, though its name ends in `.kiln`']);
  });

  it('does not wait for a pipe', () => {
    execFileSync('mkfifo', [join(folder, 'pipe.kiln')]);
    expect(problems()).to.deep.equal(['`pipe.kiln` is not a regular file, though its name ends in `.kiln`']);
  });

  it('follows no links', () => {
    write('a.kiln', 'a');
    link('a.kiln', 'again.kiln');
    link('gone.kiln', 'dangling.kiln');
    link('.', 'self');
    expect(paths()).to.deep.equal(['a.kiln']);
    expect(problems()).to.deep.equal([
      '`again.kiln` is a link, though its name ends in `.kiln`',
      '`dangling.kiln` is a link, though its name ends in `.kiln`',
    ]);
  });

  it('reads a project that is reached by a link', () => {
    write('project/a/x.kiln', 'x');
    link('project', 'link');
    const { sources, problems } = readSources(join(folder, 'link'));
    expect(sources.map((source) => source.path)).to.deep.equal(['a/x.kiln']);
    expect(problems).to.deep.equal([]);
  });

  it('gathers all problems and still reads the other files', () => {
    write('a.kiln', 'a');
    write('b.kiln', '\0');
    write('c.kiln', new Uint8Array([0xff]));
    expect(paths()).to.deep.equal(['a.kiln']);
    expect(readSources(folder).problems.map(({ kind, path }) => [kind, path])).to.deep.equal([
      ['not-utf8', 'b.kiln'],
      ['not-utf8', 'c.kiln'],
    ]);
  });

  it('says that a file or a folder may not be read', () => {
    chmodSync(folder, 0o755);
    chmodSync(write('locked.kiln', 'x'), 0o000);
    mkdirSync(join(folder, 'sub'), { mode: 0o000 });
    expect(asNobody(() => problems())).to.deep.equal([
      '`locked.kiln` cannot be read: permission denied',
      'the folder `sub` cannot be read: permission denied',
    ]);
  });
});

/** Root may read everything, so a test that runs as root steps down while it looks. */
function asNobody<T>(look: () => T): T {
  if (process.getuid?.() !== 0) return look();
  process.seteuid?.(65534);
  try {
    return look();
  } finally {
    process.seteuid?.(0);
  }
}
