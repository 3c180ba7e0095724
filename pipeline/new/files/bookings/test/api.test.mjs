import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApplication } from './application.mjs';

const { request, create, signIn, stop } = await startApplication();
after(stop);

const password = 'correct horse battery';
let manager;
let member;

before(async () => {
  // Nobody chooses their own role: the first manager is made here.
  await create('Person', { name: 'Mona', email: 'mona@example.com', password, role: 'manager' });
  await create('Person', { name: 'Ada', email: 'ada@example.com', password });
  await create('Room', { name: 'Red Room', slug: 'red-room', seats: 8, features: ['screen'] });
  manager = await signIn('mona@example.com');
  member = await signIn('ada@example.com');
});

test('keeps the office to managers, and the first one does not let others in', async () => {
  assert.equal((await request('GET', '/office/rooms/usage', undefined, manager)).status, 200);
  assert.equal((await request('GET', '/office/rooms/usage', undefined, member)).status, 403);
  assert.equal((await request('POST', '/me/manager', {}, member)).status, 422);
});

test('gives a room to one of many who want it at the same time', async () => {
  const start = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 5, 1, 9)).toISOString();
  const wanted = [0, 15, 30, 45].map((minutes) => ({
    title: 'Rehearsal',
    start: new Date(Date.parse(start) + minutes * 60_000).toISOString(),
  }));
  const answers = await Promise.all(wanted.map((body) => request('POST', '/rooms/red-room/bookings', body, member)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 422, 422, 422]);
  const { body } = answers.find(({ status }) => status === 422);
  assert.equal(body.errors[0].code, 'taken');

  const { body: free } = await request('GET', `/rooms/free?start=${start}&duration=120`, undefined, member);
  assert.deepEqual(free.rooms, []);
});
