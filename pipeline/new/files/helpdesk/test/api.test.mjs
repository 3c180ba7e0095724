import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);

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
