import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, create, find, populate, stop } = await startApplication();
after(stop);

test('shows a post once it is published', async () => {
  const author = await create('Author', { name: 'Ada', email: 'ada@example.com' });
  await create('Post', { author, slug: 'hello-world', title: 'Hello, world' });
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

test('keeps the drafts of the sample data to themselves', async () => {
  await populate();
  const drafts = await find('Post', { published: false });
  const { body } = await request('GET', '/post/drafts');
  assert.equal(body.length, drafts.length);
});
