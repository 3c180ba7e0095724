/** What the runtime of an image loads before it does anything. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';
import { otherNodes } from '../support/other-nodes.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/runtime/main.mjs');

/** Writes the names of Node's own modules that were loaded. */
const WATCH = 'data:text/javascript,process.once("exit",()=>console.log(process.moduleLoadList.join("\\n")))';

describe('the start of an image', () => {
  before(buildOnce);

  for (const program of [process.execPath, ...otherNodes()]) {
    for (const [command, complaint] of [
      ['serve', /\/nowhere\//],
      ['migrate', /\/nowhere\//],
      ['health', /^$/],
    ] as const) {
      it(`loads the network, and not all of \`fetch\` (${command}, ${program})`, () => {
        const database = { KILN_APP: '/nowhere', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: '1' };
        const env = { ...process.env, ...database };
        const run = spawnSync(program, ['--import', WATCH, MAIN, command], { env, encoding: 'utf8' });
        expect(run.stderr).to.match(complaint);
        expect(run.status).to.be.greaterThan(0);
        expect(run.stdout).to.include('NativeModule net\n');
        expect(run.stdout).not.to.include('undici/undici');
      });
    }
  }
});
