import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, create, signIn, stop } = await startApplication();
after(stop);

const password = 'correct horse battery';
const tasks = '/teams/crew/projects/WEB/tasks';
let ada;
let sam;

before(async () => {
  const user = await create('User', { name: 'Ada', email: 'ada@example.com', password });
  await create('User', { name: 'Sam', email: 'sam@example.com', password });
  const team = await create('Team', { slug: 'crew', name: 'Crew' });
  await create('Membership', { team, user, role: 'admin' });
  ada = await signIn('ada@example.com');
  sam = await signIn('sam@example.com');
  assert.equal((await request('POST', '/teams/crew/projects', { key: 'WEB', name: 'Website' }, ada)).status, 201);
});

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
