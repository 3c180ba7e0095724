/** The tests of an application with jobs and accounts, on what `kiln new` writes for them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import texts from '../../../pipeline/new/files.json' with { type: 'json' };
import { buildOnce } from '../../support/build-once.ts';
import { projectFolder } from '../project-folder.ts';

const kilnFile = fileURLToPath(new URL('../../../dist/kiln.js', import.meta.url));

const SOURCE = `
model Order {
  field status { type string, default "open" }
  field receipt { type integer, nullable }
  field reminders { type integer, default 0 }
}
job MakeReceipt { input order { to Order } action { update order { set receipt order.id } } }
mail Paid { input order { to Order } to "ada@example.com" subject "Paid" body "paid.html" }
job Remind {
  input order { to Order }
  action {
    refuse "paid" when order.status is "paid" { message "The order is paid." }
    update order { set reminders order.reminders + 1 }
    run Remind { order: order } after days(3)
  }
}
on update of Order as order when order.status is "paid" and before.status is not "paid" { run MakeReceipt { order: order } send Paid { order: order } }
on create of Order as order { run Remind { order: order } after days(3) }
model User { field email { type string, unique } field password_hash { type string, secret } field tags { type [string], default [] } relation notes { from Note, through owner } }
model Note { reference owner { to User } field at { type timestamp } }
auth { model User, login email, password password_hash }
populator Dev { populate User { set email "sample@example.com", set password_hash cryptoHash("correct horse") } }
api { entrypoint Order as order { get endpoint {} update endpoint {} create endpoint {} } }`;

const TEST = `
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { days, hours, minutes, startApplication } from './application.mjs';

const { request, populate, create, find, run, signIn, work, travel, mails, stop } = await startApplication();
after(stop);

test('runs jobs when it says so', async () => {
  const { body: { id } } = await request('POST', '/order', {});
  const order = async () => (await request('GET', '/order/' + id)).body;
  assert.deepEqual(await work(), []);
  await travel(days(3) - hours(1));
  assert.deepEqual(await work(), []);
  await travel(hours(1));
  assert.deepEqual(await work(), [{ job: 'Remind', result: 'done' }]);
  assert.equal((await order()).reminders, 1);

  await request('PATCH', '/order/' + id, { status: 'paid' });
  assert.equal((await order()).receipt, null);
  assert.deepEqual((await work()).map(({ job, result }) => job + ' ' + result).sort(), ['MakeReceipt done', 'Paid done']);
  assert.equal((await order()).receipt, id);
  const [mail] = await mails();
  assert.deepEqual([mail.to, mail.subject, mail.text], ['ada@example.com', 'Paid', 'Order ' + id + ' is paid.\\n']);
  assert.deepEqual(await mails(), []);

  await travel(days(3));
  assert.deepEqual(await work(), [{ job: 'Remind', result: 'failed', error: 'The order is paid.' }]);
  await run('Remind', { order: { id } });
  assert.deepEqual((await work()).map(({ job, result }) => job + ' ' + result), ['Remind failed']);
  await assert.rejects(run('Nothing'), /no job Nothing/);
  await assert.rejects(run('Remind', { it: 1 }), /Remind has no input it/);
  const { headers } = await request('GET', '/order/' + id, undefined, undefined, { 'kiln-position': '0' });
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
});

test('makes records, finds them, and signs in', async () => {
  await populate();
  const me = (token) => request('GET', '/auth/me', undefined, token);
  assert.equal((await me(await signIn('sample@example.com'))).body.email, 'sample@example.com');
  const owner = await create('User', { email: 'ada@example.com', password: 'correct horse', tags: ['a', 'b'] });
  assert.deepEqual([owner.email, owner.tags, owner.password_hash], ['ada@example.com', ['a', 'b'], undefined]);
  const login = { email: 'ada@example.com', password: 'correct horse' };
  assert.equal((await request('POST', '/auth/login', login)).status, 200);

  const days = ['2027-01-01', '2027-01-02'];
  const notes = await Promise.all(days.map((day) => create('Note', { owner, at: day + 'T00:00:00Z' })));
  assert.deepEqual(notes.map(({ at }) => at.slice(0, 10)), days);
  assert.deepEqual(await find('Note', { owner: owner.id, id: notes[0].id }), [notes[0]]);

  await assert.rejects(create('User', { email: 3 }), /email must be a string/);
  await assert.rejects(create('User', { email: 'ada@example.com', password: 'x' }), /email another record has this value/);
  await assert.rejects(create('User', { nothing: 1 }), /nothing is no column of .User./);
  await assert.rejects(find('Usr'), /no model .Usr./);
  await assert.rejects(signIn('nobody'), /no User with the email nobody/);
  await assert.rejects(populate('No'), /no populator .No./);
});

test('leaves no listeners behind', async () => {
  const warnings = [];
  process.on('warning', ({ name }) => warnings.push(name));
  for (let count = 0; count < 12; count += 1) await travel(minutes(1));
  assert.deepEqual(warnings, []);
});

test('gives up where the application has ended', async () => {
  const other = await startApplication();
  await other.stop();
  await assert.rejects(other.work());
});
`;

describe('the tests of an application with jobs', () => {
  before(buildOnce);

  it('run what is due, and let time pass', () => {
    const folder = projectFolder({
      'app.kiln': SOURCE,
      'mails/paid.html': '<p>Order {{ order.id }} is paid.</p>',
      'test/application.mjs': texts['project/test/application.mjs'],
      'test/api.test.mjs': TEST,
      kiln: `#!/bin/sh\nexec '${process.execPath}' '${kilnFile}' "$@"\n`,
    });
    const kiln = join(folder, 'kiln');
    chmodSync(kiln, 0o755);
    expect(execFileSync(kiln, ['check', folder], { encoding: 'utf8' })).to.include('no errors');
    const { stdout, status } = spawnSync(process.execPath, ['--test', 'test/api.test.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, KILN: kiln },
    });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/^\S+ pass 4$/m);
  }).timeout(180_000);
});
