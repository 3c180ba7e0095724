import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '../..');

describe('a complaint', () => {
  it('keeps its lines, and shows no other control character', () => {
    expect(complaint('it is not so:\n  "show.starts" is \u001b[31mred')).to.equal(
      'error: it is not so:\n  "show.starts" is \ufffd[31mred\n',
    );
  });
});

function complaint(sentence: string): string {
  const terminal = join(ROOT, 'pipeline/cli/terminal.ts');
  const code = `import { complain } from ${JSON.stringify(terminal)}; complain(${JSON.stringify(sentence)});`;
  const options = ['--import', 'tsx', '--input-type=module', '--eval', code];
  return spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' }).stderr;
}
