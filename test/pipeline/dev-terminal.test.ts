import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from './git/git-repository.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
const API = 'api { entrypoint Post as post { list endpoint {}, create endpoint {} } }';
const TITLE = 'field title { type string }';
const STARS = 'field stars { type integer, default 5 }';
const QUESTION = '[d/C] ';
const CTRL_C = '\u0003';

describe('kiln dev at a terminal', () => {
  const folder = temporaryFolder();
  let child: ChildProcessWithoutNullStreams | undefined;
  let said = '';
  let url = '';

  before(async function () {
    if (!existsSync('/usr/bin/script')) this.skip();
    write(TITLE, STARS);
    const { url: database } = await createDatabase();
    child = spawn('script', ['-qec', `'${process.execPath}' '${KILN}' dev '${folder}' --port 0`, '/dev/null'], {
      env: { ...process.env, DATABASE_URL: database, NO_COLOR: '1' },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    await happened(() => said.includes('Ready after'));
    url = /API\s+(\S+)/.exec(said)?.[1] as string;
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/post`, { method: 'POST', headers, body: '{"title":"Hello"}' });
  });

  after(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function write(...members: readonly string[]): void {
    writeFileSync(join(folder, 'app.kiln'), `model Post { ${members.join('  ')} }\n${API}\n`);
  }

  const happened = (isSo: () => boolean) => until(isSo, { otherwise: () => said });
  const type = (keys: string) => child?.stdin.write(keys);
  const posts = async (): Promise<unknown> => (await fetch(`${url}/post`)).json();

  /** What is said after `act`, up to these words. */
  async function saidAfter(act: () => void, words: string): Promise<string> {
    const before = said.length;
    act();
    await happened(() => said.slice(before).includes(words));
    return said.slice(before);
  }

  it('takes no line for an answer that was typed before the question', async () => {
    // The terminal shows what it keeps.
    await saidAfter(() => type('d\r'), 'd\r\n');
    await saidAfter(() => write(TITLE), QUESTION);
    await pause(500);
    expect(said.split(QUESTION).at(-1)).to.match(/^(\u001b\[\d+G)?$/);
    expect(await posts()).to.deep.equal([{ id: 1, title: 'Hello', stars: 5 }]);
    await saidAfter(() => type('c\r'), 'Cancelled.');
  });

  it('takes no letter for the beginning of an answer that was typed before the question', async () => {
    await saidAfter(() => type('nothing\rd'), 'nothing\r\nd');
    await saidAfter(() => write(TITLE, ''), QUESTION);
    await saidAfter(() => type('\r'), 'Cancelled.');
    expect(await posts()).to.deep.equal([{ id: 1, title: 'Hello', stars: 5 }]);
  });

  it('asks again after a save, without what was typed for the question before', async () => {
    await saidAfter(() => write(TITLE), QUESTION);
    await saidAfter(() => type('d'), 'd');
    await saidAfter(() => write(TITLE, ''), QUESTION);
    await saidAfter(() => type('\r'), 'Cancelled.');
  });

  it('takes the answer to the question', async () => {
    await saidAfter(() => write(TITLE), QUESTION);
    await saidAfter(() => type('d\r'), 'Ready after');
    expect(await posts()).to.deep.equal([{ id: 1, title: 'Hello' }]);
  });

  it('renames once more where the `was` of the rename before is still there', async () => {
    await saidAfter(() => write('field caption { type string, was title }'), 'Ready after');
    await saidAfter(() => write('field heading { type string, was title }'), '[1/d/C] ');
    expect(await saidAfter(() => type('1\r'), 'Ready after')).to.match(/Wrote `was caption` at \S*app\.kiln:1\./);
    expect(readFileSync(join(folder, 'app.kiln'), 'utf8')).to.include('{ field heading { type string, was caption } }');
    expect(await posts()).to.deep.equal([{ id: 1, heading: 'Hello' }]);
  });

  it('ends with Ctrl-C, also while it asks', async () => {
    await saidAfter(() => write('field heading { type string }', STARS), 'Ready after');
    await saidAfter(() => write('field heading { type string }'), QUESTION);
    const ended = new Promise((done) => child?.once('exit', (code) => done(code)));
    type(CTRL_C);
    expect(await ended).to.equal(0);
  });
});
