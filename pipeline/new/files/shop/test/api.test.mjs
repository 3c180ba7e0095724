import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);

test('shows the catalogue to everybody', async () => {
  const categories = await request('GET', '/store/categories');
  assert.equal(categories.status, 200);
  assert.deepEqual(categories.body, []);
});

test('keeps the back office to the staff', async () => {
  assert.equal((await request('GET', '/backoffice/orders')).status, 401);
});
