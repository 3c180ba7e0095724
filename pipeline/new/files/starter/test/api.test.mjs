import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);

test('keeps a task until it is done', async () => {
  const created = await request('POST', '/tasks', { title: 'Water the plants' });
  assert.equal(created.status, 201);
  assert.equal(created.body.done, false);

  const { body: page } = await request('GET', '/tasks');
  assert.deepEqual(page.data, [created.body]);

  await request('PATCH', `/tasks/${created.body.id}`, { done: true });
  assert.equal((await request('GET', '/tasks')).body.totalCount, 0);
});

test('refuses a task without a title', async () => {
  const refused = await request('POST', '/tasks', { title: '' });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].path, 'title');
});
