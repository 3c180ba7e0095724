import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);

const password = 'correct horse battery';
const tasks = '/teams/crew/projects/WEB/tasks';
let ada;
let sam;

before(async () => {
  ada = await tokenOf('Ada');
  sam = await tokenOf('Sam');
  await request('POST', '/teams', { slug: 'crew', name: 'Crew' }, ada);
  assert.equal((await request('POST', '/teams/crew/projects', { key: 'WEB', name: 'Website' }, ada)).status, 201);
});

async function tokenOf(name) {
  const email = `${name.toLowerCase()}@example.com`;
  await request('POST', '/auth/register', { name, email, password });
  return (await request('POST', '/auth/login', { email, password })).body.token;
}

test('shows a team to its members alone', async () => {
  assert.equal((await request('GET', '/teams/crew', undefined, ada)).status, 200);
  assert.equal((await request('GET', '/teams/crew', undefined, sam)).status, 404);
});

test('moves several tasks at once', async () => {
  const ids = [];
  for (const title of ['First', 'Second']) ids.push((await request('POST', tasks, { title }, ada)).body.id);
  const moves = ids.map((task_id, at) => ({ task_id, status: 'doing', position: 2 - at }));
  assert.equal((await request('POST', `${tasks}/move`, { moves }, ada)).status, 204);
  const { body } = await request('GET', `${tasks}?status=doing`, undefined, ada);
  assert.deepEqual(
    body.data.map(({ title }) => title),
    ['Second', 'First'],
  );
});
