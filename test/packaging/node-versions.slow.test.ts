/** Kiln in other versions of Node than that of the tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../pipeline/project-folder.ts';
import { KILN, type KilnRun, runProgram } from '../pipeline/run-kiln.ts';
import { buildOnce } from '../support/build-once.ts';
import { otherNodes } from '../support/other-nodes.ts';
import { createDatabase } from '../support/postgres.ts';

const BLOG = resolve(import.meta.dirname, '../../examples/blog');
const programs = otherNodes();

describe('other versions of Node', () => {
  before(buildOnce);

  it('are named for this test, or it is left out', function () {
    if (programs.length === 0) this.skip();
    expect(programs).to.have.length.greaterThan(1);
  });

  for (const program of programs) {
    it(`run commands that say nothing of their own: ${program}`, async () => {
      const compiled = projectFolder({});
      const expected = projectFolder({});
      const run = (...words: readonly string[]) => runProgram(program, [KILN, ...words]);
      // Twice: the second run uses the code that the first has kept.
      for (const words of [
        ['check', BLOG],
        ['check', BLOG],
        ['check', '--fix', '--dry-run', BLOG],
      ])
        expect(said(await run(...words)), words.join(' ')).to.deep.equal({ status: 0, err: '' });
      expect(said(await run('compile', BLOG, '--output', compiled))).to.deep.equal({ status: 0, err: '' });
      expect((await runProgram(process.execPath, [KILN, 'compile', BLOG, '--output', expected])).status).to.equal(0);
      expect(textsIn(compiled)).to.deep.equal(textsIn(expected));
    });

    it(`serve an application: ${program}`, async () => {
      const database = await createDatabase();
      const env = { ...process.env, DATABASE_URL: database.url, NO_COLOR: '1' };
      const child = spawn(program, [KILN, 'start', '--port', '0', BLOG], { env });
      try {
        const exit = once(child, 'exit');
        const answer = await fetch(`${await addressOf(child.stdout)}/post`);
        expect(answer.status).to.equal(200);
        child.kill('SIGTERM');
        expect(await exit).to.deep.equal([0, null]);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }
});

function said({ status, err }: KilnRun): Pick<KilnRun, 'status' | 'err'> {
  return { status, err };
}

function textsIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]));
}

async function addressOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk.toString();
    const address = /^Serving \S+ on (\S+)/m.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`it has ended: ${text}`);
}
