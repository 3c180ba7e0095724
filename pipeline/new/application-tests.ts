/** The tests of new applications: what a newcomer reads first of the API, and changes first. */

const HEAD = `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);
`;

export const startTest = `${HEAD}
test('keeps a task until it is done', async () => {
  const created = await request('POST', '/tasks', { title: 'Water the plants' });
  assert.equal(created.status, 201);
  assert.equal(created.body.done, false);

  const { body: page } = await request('GET', '/tasks');
  assert.deepEqual(page.data, [created.body]);

  await request('PATCH', \`/tasks/\${created.body.id}\`, { done: true });
  assert.equal((await request('GET', '/tasks')).body.totalCount, 0);
});

test('refuses a task without a title', async () => {
  const refused = await request('POST', '/tasks', { title: '' });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].path, 'title');
});
`;

export const blogTest = `${HEAD}
test('shows a post once it is published', async () => {
  await request('POST', '/author', { name: 'Ada', email: 'ada@example.com' });
  const draft = { author_email: 'ada@example.com', slug: 'hello-world', title: 'Hello, world' };
  assert.equal((await request('POST', '/post', draft)).status, 201);
  assert.equal((await request('GET', '/post')).body.totalCount, 0);

  await request('POST', '/post/hello-world/publish');
  const { body: page } = await request('GET', '/post');
  assert.deepEqual(page.data.map(({ slug }) => slug), ['hello-world']);
});

test('refuses a slug that is reserved', async () => {
  const refused = await request('POST', '/post', { author_email: 'ada@example.com', slug: 'feed', title: 'My feed' });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].code, 'reserved-word');
});
`;

export const helpdeskTest = `${HEAD}
const email = 'ada@acme.example';
const password = 'correct horse battery';

test('shows nothing to somebody who has not signed in', async () => {
  assert.equal((await request('GET', '/my-tickets')).status, 401);
});

test('shows to somebody who has signed in what they may see', async () => {
  await request('POST', '/auth/register', { name: 'Ada', email, password });
  const { body: session } = await request('POST', '/auth/login', { email, password });

  const mine = await request('GET', '/my-tickets', undefined, session.token);
  assert.equal(mine.status, 200);
  assert.equal(mine.body.totalCount, 0);

  const agents = await request('GET', '/agents', undefined, session.token);
  assert.equal(agents.status, 403);
});
`;

export const shopTest = `${HEAD}
test('shows the catalogue to everybody', async () => {
  const categories = await request('GET', '/store/categories');
  assert.equal(categories.status, 200);
  assert.deepEqual(categories.body, []);
});

test('keeps the back office to the staff', async () => {
  assert.equal((await request('GET', '/backoffice/orders')).status, 401);
});
`;

/** Starts what the tests ask. The sources are copied, so that a test never meets the records of a developer. */
export const APPLICATION_MODULE = `// Starts the application on an empty database for the tests, and stops it again.
// The database is a Postgres of its own, or that of TEST_DATABASE_URL, which has to be empty.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const project = resolve(import.meta.dirname, '..');
const notCopied = ['.git', '.kiln', 'build', 'test'];

export async function startApplication() {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-'));
  cpSync(project, folder, { recursive: true, filter: (path) => !notCopied.includes(basename(path)) });
  const kiln = spawn(process.env.KILN ?? 'kiln', ['start', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: process.env.TEST_DATABASE_URL ?? '', LOG_LEVEL: 'error' },
  });
  const ended = new Promise((done) => kiln.once('close', done).once('error', done));
  const stop = async () => {
    kiln.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const api = await addressOf(kiln);
  if (api === undefined) {
    await stop();
    throw new Error('The application did not start. Is \`kiln\` on your PATH?');
  }
  const request = (method, path, body, token) => ask(api + path, method, body, token);
  return { request, stop };
}

/** \`kiln start\` says where it serves once it does; nothing where it ends before that. */
function addressOf(kiln) {
  return new Promise((found) => {
    createInterface(kiln.stdout).on('line', (line) => {
      const [, address] = /^Serving .* on (http\\S+)/.exec(line) ?? [];
      if (address) found(address);
    });
    kiln.once('close', () => found()).once('error', () => found());
  });
}

async function ask(url, method, body, token) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: \`Bearer \${token}\` }),
  };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}
`;
