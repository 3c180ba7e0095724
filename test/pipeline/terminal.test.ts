import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '../..');

/** A title, a cleared screen, a colour in one byte, a turned text, and lines that seem to be Kiln's. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\rfine\u2028';
const SAFE = '\ufffd]0;owned\ufffd\ufffd[2J\ufffd31m\ufffdevil\ufffd\ufffdfine\ufffd';

describe('what is said at a terminal', () => {
  it('keeps its lines in a complaint, and has no other control character', () => {
    expect(said(`complain(${JSON.stringify(`it is so:\n  ${HOSTILE}`)})`).stderr).to.equal(
      `error: it is so:\n  ${SAFE}\n`,
    );
  });

  it('is one line where one is printed, and lines with tabs where a text is', () => {
    const text = JSON.stringify(`a\tb\n${HOSTILE}`);
    expect(said(`print(${text})`).stdout).to.equal(`a\ufffdb\ufffd${SAFE}\n`);
    expect(said(`printText(${text})`).stdout).to.equal(`a\tb\n${SAFE}\n`);
  });

  it('has the colours of Kiln, and none of others', () => {
    const text = JSON.stringify(`\u001b[1;31mbreaks\u001b[0m \u001b[8m${HOSTILE}`);
    expect(said(`printPainted(${text})`).stdout).to.equal(`\u001b[1;31mbreaks\u001b[0m \ufffd[8m${SAFE}\n`);
  });

  it('is the same value as JSON, with what is unsafe escaped', () => {
    const value = { name: `ä😀${HOSTILE}` };
    const { stdout } = said(`printJson(${JSON.stringify(JSON.stringify(value, undefined, 2))})`);
    expect(stdout)
      .to.include('ä😀')
      .and.not.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\u2066]/);
    expect(JSON.parse(stdout)).to.deep.equal(value);
  });
});

function said(call: string): { readonly stdout: string; readonly stderr: string } {
  const terminal = join(ROOT, 'pipeline/cli/terminal.ts');
  const code = `import * as terminal from ${JSON.stringify(terminal)}; terminal.${call};`;
  const options = ['--import', 'tsx', '--input-type=module', '--eval', code];
  return spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' });
}
