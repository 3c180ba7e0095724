/** What commands keep of their compiled code, and that they do without it. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { kiln } from '../../pipeline/cli/commands.ts';
import { commandOf, GROUPS } from '../../pipeline/cli/compile-flags.ts';
import { buildOnce } from '../support/build-once.ts';
import { KILN } from './run-kiln.ts';

/** Says of each script that has compiled code whether V8 rejected it. */
const WATCH = `
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options?.cachedData) console.error('rejected:', this.cachedDataRejected);
  }
};
require('node:module').syncBuiltinESMExports();
`;

/** As Node does where neither the environment nor the list of users says where it is. */
const HOMELESS = `
require('node:os').homedir = () => { throw new Error('there is no home'); };
require('node:module').syncBuiltinESMExports();
`;

describe('compiled code', () => {
  const home = mkdtempSync(join(tmpdir(), 'kiln-code-cache-'));
  const folder = join(home, 'kiln');
  const kept = (): string => join(folder, readdirSync(folder)[0] ?? '');

  before(buildOnce);
  after(() => rmSync(home, { recursive: true, force: true }));

  /** `kiln check`, since it changes the flags of V8 on its way. */
  function runCheck(sources: string, more: NodeJS.ProcessEnv = {}) {
    const file = join(home, 'a.kiln');
    writeFileSync(file, sources);
    const env = { ...process.env, XDG_CACHE_HOME: home, NODE_DISABLE_COMPILE_CACHE: '', ...more };
    return spawnSync(process.execPath, [KILN, 'check', file], { env, encoding: 'utf8' });
  }

  function check(sources: string, more: NodeJS.ProcessEnv = {}) {
    return runCheck(sources, more).status;
  }

  const RIGHT = 'model Note { field text { type string } }';

  it('is kept by a command that succeeds, and used by the next one', () => {
    expect(check('model')).to.equal(1);
    expect(check(RIGHT, { NODE_DISABLE_COMPILE_CACHE: '1' })).to.equal(0);
    expect(readdirSync(home)).to.deep.equal(['a.kiln']);
    expect(check(RIGHT)).to.equal(0);
    expect(readdirSync(folder)).to.have.length(1);
    const { ino } = statSync(kept());
    expect(check(RIGHT)).to.equal(0);
    expect(statSync(kept()).ino, 'it was written again').to.equal(ino);
  });

  it('is accepted by V8', () => {
    const watch = join(home, 'watch.cjs');
    writeFileSync(watch, WATCH);
    const { stderr } = runCheck(RIGHT, { NODE_OPTIONS: `--require ${watch}` });
    expect(stderr).to.equal('rejected: false\n');
  });

  it('is made again where it is damaged, or others may write it', () => {
    const bytes = readFileSync(kept());
    const foreign = join(folder, 'old-folder');
    mkdirSync(foreign);
    utimesSync(foreign, 0, 0);
    bytes.fill(0, bytes.length / 2);
    writeFileSync(kept(), bytes);
    expect(check(RIGHT)).to.equal(0);
    expect(
      readFileSync(kept())
        .subarray(-1000)
        .every((byte) => byte === 0),
    ).to.equal(false);
    chmodSync(kept(), 0o666);
    const { ino } = statSync(kept());
    expect(check(RIGHT)).to.equal(0);
    expect(statSync(kept()).ino).not.to.equal(ino);
    expect(statSync(kept()).mode & 0o777).to.equal(0o600);
  });

  it('is no matter of where it cannot be kept', () => {
    for (const place of ['/dev/null', '/proc']) expect(check(RIGHT, { XDG_CACHE_HOME: place })).to.equal(0);
  });

  it('is not kept for a user who has no home', () => {
    const homeless = join(home, 'homeless.cjs');
    writeFileSync(homeless, HOMELESS);
    expect(check(RIGHT, { XDG_CACHE_HOME: '', NODE_OPTIONS: `--require ${homeless}` })).to.equal(0);
  });

  it('is kept for each command', () => {
    const groups = kiln(() => undefined).commands.filter(({ commands }) => commands.length > 0);
    expect(GROUPS).to.deep.equal(groups.map((command) => command.name()).sort());
    expect(commandOf(['check', 'examples/blog'])).to.equal('check');
    expect(commandOf(['pipeline', 'init', '/srv/git/a.git'])).to.equal('pipeline-init');
    for (const words of [[], ['--version'], ['../x'], ['pipeline', '../x']]) expect(commandOf(words)).to.equal('none');
  });
});
