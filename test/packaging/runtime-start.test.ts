/** What the runtime of an image loads before it does anything. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/runtime/main.mjs');

/** Writes the names of Node's own modules that were loaded. */
const WATCH = 'data:text/javascript,process.once("exit",()=>console.log(process.moduleLoadList.join("\\n")))';

describe('the start of an image', () => {
  before(buildOnce);

  for (const command of ['serve', 'migrate']) {
    it(`loads the network, and not all of \`fetch\` (${command})`, () => {
      const env = { ...process.env, KILN_APP: '/nowhere', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
      const { stdout, stderr } = spawnSync(process.execPath, ['--import', WATCH, MAIN, command], {
        env,
        encoding: 'utf8',
      });
      expect(stderr).to.include('/nowhere/');
      expect(stdout).to.include('NativeModule net\n');
      expect(stdout).not.to.include('undici/undici');
    });
  }
});
