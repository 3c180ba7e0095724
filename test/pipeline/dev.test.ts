import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
const MODEL = 'model Post { field title { type string } }';
const API = 'api { entrypoint Post as post { list endpoint {}, create endpoint {} } }';
const GENERATOR = 'generator client { target ts, output "web" }';
const LIKES = 'model Post { field heading { type string }  field likes { type integer, was stars } }';
const POPULATOR = 'populator Dev { populate Post { repeat as i 3  set title "Post " + i.current } }';

describe('kiln dev', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-dev-'));
  let child: ChildProcess;
  let said = '';
  let url = '';

  before(async () => {
    write(MODEL, API, POPULATOR);
    const { url: database } = await createDatabase();
    child = spawn(process.execPath, [KILN, 'dev', folder, '--port', '0'], {
      env: { ...process.env, DATABASE_URL: database },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    await happened(() => /Ready after/.test(said));
    url = /API\s+(\S+)/.exec(said)?.[1] as string;
  });
  after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function write(...parts: readonly string[]): void {
    writeFileSync(join(folder, 'app.kiln'), `${parts.join('\n')}\n`);
  }

  const happened = (isSo: () => boolean | Promise<boolean>) => until(isSo, { otherwise: () => said });

  async function titles(): Promise<unknown> {
    return (await fetch(`${url}/post`)).json();
  }

  it('serves what is described, with records in an empty database', async () => {
    expect(await titles()).to.deep.equal([1, 2, 3].map((id) => ({ id, title: `Post ${id}` })));
  });

  it('empties and fills the database for its console, whose requests are not in the log', async () => {
    const page = await (await fetch(new URL('/', url))).text();
    const key = /data-key="([^"]+)"/.exec(page)?.[1] as string;
    const act = async (path: string, body: object): Promise<number> => {
      const headers = { 'x-kiln-console': key, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(new URL(`/_console/${path}`, url), request)).status;
    };
    expect(await act('reset', {})).to.equal(204);
    expect(await titles()).to.deep.equal([]);
    expect(await act('populate', { populator: 'Dev' })).to.equal(204);
    expect(await titles()).to.have.lengthOf(3);
    expect(said).not.to.include('/_console/');
  });

  it('tells which keys of a body are ignored, and none of the values', async () => {
    await fetch(`${url}/post`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ titel: 'of great worth', colour: 'green' }),
    });
    await happened(() => said.includes('warn: POST /api/post ignores `titel`, `colour`: no input has these names'));
    expect(said).not.to.include('worth').and.not.to.include('green');
  });

  it('shows a mistake and goes on serving', async () => {
    write('model Post { field title { type sting } }', API, POPULATOR);
    await happened(() => /error\[.*\nThe last good version is still being served\.\n/s.test(said));
    expect(await titles()).to.have.lengthOf(3);
  });

  it('follows a change of the sources, and keeps the data', async () => {
    write('model Post { field title { type string }  field stars { type integer, default 5 } }', API, POPULATOR);
    await happened(async () => JSON.stringify(await titles()).includes('stars'));
    expect(await titles()).to.deep.include({ id: 1, title: 'Post 1', stars: 5 });
  });

  it('follows a file that is replaced again and again, and then written in place', async () => {
    for (const stars of [6, 7, 8]) {
      const text = `model Post { field title { type string }  field stars { type integer, default ${stars} } }\n${API}\n`;
      writeFileSync(join(folder, 'new.tmp'), text);
      renameSync(join(folder, 'new.tmp'), join(folder, 'app.kiln'));
      const before = said.length;
      await happened(() => said.slice(before).includes('Ready after'));
    }
    const before = said.length;
    write('model Post { field title { type string }  field stars { type integer, default 5 } }', API, POPULATOR);
    await happened(() => said.slice(before).includes('Ready after'));
  });

  it('loses nothing where there is nobody to ask', async () => {
    write('model Post { field stars { type integer, default 5 } }', API);
    await happened(() => said.includes('Nothing was changed; the last good version is still being served.'));
    expect(said).to.include('error[member-disappeared]: the field `Post.title`');
    expect(await titles()).to.deep.include({ id: 1, title: 'Post 1', stars: 5 });
  });

  it('says which value keeps a field from being unique, where, and what to do', async () => {
    const before = said.length;
    write('model Post {\n  field title { type string }\n  field stars { type integer, unique, default 5 }\n}', API);
    await happened(() => said.slice(before).includes('is still being served'));
    expect(said.slice(before)).to.match(
      /error: cannot add `unique` to `Post\.stars`: 3 records have the same value: "5"\n {2}--> \S*app\.kiln:3:9\n {2}To keep the records, change their values, or remove `unique`\./,
    );
    expect(await titles()).to.deep.include({ id: 1, title: 'Post 1', stars: 5 });
  });

  it('renames where the source says so', async () => {
    write('model Post { field heading { type string, was title }  field stars { type integer, default 5 } }', API);
    await happened(async () => JSON.stringify(await titles()).includes('heading'));
    expect(await titles()).to.deep.include({ id: 1, heading: 'Post 1', stars: 5 });
  });

  const turns = () => said.split('Ready after').length;

  async function follow(...parts: readonly string[]): Promise<void> {
    const before = turns();
    write(...parts);
    await happened(() => turns() > before);
  }

  it('keeps the clients that the sources ask for as they are', async () => {
    const client = () => readFileSync(join(folder, 'web', 'client.ts'), 'utf8');
    await follow('model Post { field heading { type string }  field stars { type integer } }', API, GENERATOR);
    expect(client()).to.include('stars');
    await follow(LIKES, API, GENERATOR);
    expect(client()).to.include('likes');
  });

  it('does not take its own client for a change of the sources', async () => {
    const before = turns();
    await follow(LIKES, API, GENERATOR.replace('web', 'elsewhere'));
    await pause(500);
    expect(turns()).to.equal(before + 1);
    expect(existsSync(join(folder, 'elsewhere', 'client.ts'))).to.equal(true);
  });

  it('goes on after errors of a hook that nobody waits for, and names the hook', async () => {
    const code = `export const stray = ({ heading }) => {
  if (heading === 'floating') void Promise.reject(new Error('nobody waits'));
  return heading === 'thrown' ? new Promise(() => setTimeout(() => JSON.parse('late'), 1)) : heading;
};\n`;
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(join(folder, 'hooks/stray.ts'), code);
    const hook = 'hook said { arg heading heading, source stray from "stray" }';
    await follow(LIKES.replace(/\}$/, `${hook} }`), API.replace('{ list', '{ response { said }, list'));
    const create = async (heading: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/post`, { method: 'POST', headers, body: JSON.stringify({ heading, likes: 1 }) }))
        .status;
    };
    for (const heading of ['floating', 'thrown']) expect(await create(heading)).to.equal(500);
    expect(await create('fine')).to.equal(201);
    expect(said).to.match(
      /error: a promise was rejected, and nothing handles it \(the hook `stray` of hooks\/stray\.ts\)\n {2}nobody waits\n {2}at \S*stray\.ts:2/,
    );
    expect(said).to.include('error: an error was thrown, and nothing catches it (the hook `stray` of hooks/stray.ts)');
  });

  it('waits for a setting, and reads `.env` again when it changes', async () => {
    const setting = 'setting TITLE {}';
    const api = API.replace('create endpoint {}', 'GET many "title" { action { respond { body setting(TITLE) } } }');
    write(LIKES, api, setting);
    await happened(() => said.includes('TITLE is not set: it is a setting of the application (string)'));
    const title = async () => (await fetch(`${url}/post/title`)).json().catch(() => null);
    for (const value of ['one', 'two']) {
      writeFileSync(join(folder, '.env'), `TITLE=${value}\n`);
      await happened(async () => (await title()) === value);
    }
  });

  it('ends with Ctrl-C', async () => {
    const ended = new Promise((done) => child.once('exit', (code) => done(code)));
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
  });
});
