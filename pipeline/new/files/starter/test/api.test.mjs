import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, create, find, populate, stop } = await startApplication();
after(stop);

test('keeps a task until it is done', async () => {
  const task = await create('Task', { title: 'Water the plants' });
  const { body: page } = await request('GET', '/tasks');
  assert.equal(page.data[0].id, task.id);

  await request('PATCH', `/tasks/${task.id}`, { done: true });
  assert.equal((await request('GET', '/tasks')).body.totalCount, 0);
});

test('refuses a task without a title', async () => {
  const refused = await request('POST', '/tasks', { title: '' });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].path, 'title');
  assert.deepEqual(await find('Task', { title: '' }), []);
});

test('lists what is to do of the sample data', async () => {
  await populate();
  const open = await find('Task', { done: false });
  assert.equal((await request('GET', '/tasks')).body.totalCount, open.length);
});
