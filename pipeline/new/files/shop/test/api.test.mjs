import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, populate, find, stop } = await startApplication();
after(stop);

test('shows the catalogue to everybody', async () => {
  await populate();
  const { status, body } = await request('GET', '/store/categories');
  assert.equal(status, 200);
  assert.equal(body.length, (await find('Category', { parent: null })).length);
});

test('keeps the back office to the staff', async () => {
  assert.equal((await request('GET', '/backoffice/orders')).status, 401);
});
