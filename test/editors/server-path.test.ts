import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Surroundings, serverPathFrom } from '../../editors/vscode/source/server-path.ts';

describe('which kiln Visual Studio Code runs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-editor-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is the one of the setting before all others', () => {
    program('project/node_modules/.bin/kiln');
    expect(found({ setting: program('elsewhere/kiln') })).to.equal(join(folder, 'elsewhere/kiln'));
  });

  it('is found by a relative setting in each folder that is open', () => {
    const file = program('second/tools/kiln');
    expect(found({ setting: 'tools/kiln', folders: [join(folder, 'first'), join(folder, 'second')] })).to.equal(file);
    expect(found({ setting: `\${workspaceFolder}/tools/kiln`, folders: [join(folder, 'second')] })).to.equal(file);
  });

  it('is that of the project before the one on the PATH', () => {
    const own = program('project/node_modules/.bin/kiln');
    expect(found({ path: dirname(program('bin/kiln')) })).to.equal(own);
  });

  it('is the first one on the PATH otherwise', () => {
    const file = program('two/kiln');
    expect(found({ path: ['', join(folder, 'one'), join(folder, 'two')].join(delimiter) })).to.equal(file);
  });

  it('is the command file on Windows', () => {
    const file = program('project/node_modules/.bin/kiln.cmd');
    program('project/node_modules/.bin/kiln');
    expect(found({ platform: 'win32' })).to.equal(file);
  });

  it('is no folder and no file that cannot be run', () => {
    mkdirSync(join(folder, 'one/kiln'), { recursive: true });
    chmodSync(program('two/kiln'), 0o644);
    const path = [join(folder, 'one'), join(folder, 'two')].join(delimiter);
    expect(serverPathFrom(surroundings({ path })).kind).to.equal('missing');
  });

  it('is not another one where the setting is wrong, and the message names the place', () => {
    program('project/node_modules/.bin/kiln');
    const answer = serverPathFrom(surroundings({ setting: 'tools/kiln' }));
    expect(answer.kind === 'missing' && answer.message).to.include(
      `“tools/kiln”, but there is no program at ${folder}`,
    );
  });

  it('is missed with a message that says where it was looked for', () => {
    const answer = serverPathFrom(surroundings({}));
    expect(answer.kind === 'missing' && answer.message)
      .to.include('node_modules/.bin')
      .and.to.include('PATH');
  });

  function found(changed: Partial<Surroundings>): string | undefined {
    const answer = serverPathFrom(surroundings(changed));
    return answer.kind === 'found' ? answer.file : undefined;
  }

  function surroundings(changed: Partial<Surroundings>): Surroundings {
    return { setting: '', folders: [join(folder, 'project')], path: '', platform: 'linux', ...changed };
  }

  function program(path: string): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  }
});
