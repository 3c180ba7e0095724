import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, stop } = await startApplication();
after(stop);

test('shows a post once it is published', async () => {
  await request('POST', '/author', { name: 'Ada', email: 'ada@example.com' });
  const draft = { author_email: 'ada@example.com', slug: 'hello-world', title: 'Hello, world' };
  assert.equal((await request('POST', '/post', draft)).status, 201);
  assert.equal((await request('GET', '/post')).body.totalCount, 0);

  await request('POST', '/post/hello-world/publish');
  const { body: page } = await request('GET', '/post');
  assert.deepEqual(
    page.data.map(({ slug }) => slug),
    ['hello-world'],
  );
});

test('refuses a slug that is reserved', async () => {
  const refused = await request('POST', '/post', { author_email: 'ada@example.com', slug: 'feed', title: 'My feed' });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].code, 'reserved-word');
});
