import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, populate, find, signIn, stop } = await startApplication();
after(stop);

const email = 'user1@customers.example';

before(() => populate());

test('shows nothing to somebody who has not signed in', async () => {
  assert.equal((await request('GET', '/my-tickets')).status, 401);
});

test('shows customers their own tickets', async () => {
  const [requester] = await find('User', { email });
  const tickets = await find('Ticket', { requester });
  const open = tickets.filter(({ status }) => status !== 'closed');
  const { body } = await request('GET', '/my-tickets', undefined, await signIn(email));
  assert.equal(body.totalCount, open.length);
});

test('shows the agents to administrators alone', async () => {
  const admin = await signIn('admin@helpdesk.example');
  assert.equal((await request('GET', '/agents', undefined, admin)).status, 200);
  assert.equal((await request('GET', '/agents', undefined, await signIn(email))).status, 403);
});
