/** The turns of deliveries to one host. */
import { expect } from 'chai';
import { HostSlots } from '../../../runtime/deliver/host-slots.ts';
import { ownCode } from '../../../runtime/deliver/own-code.ts';

const LIMITS = { most: 1, seconds: 60 };

describe('the slots of a host', () => {
  it('are free again when the job is aborted, whatever its work does', async () => {
    const slots = new HostSlots();
    const controller = new AbortController();
    const job = { id: '1', signal: controller.signal };
    const stuck = slots
      .use('a', LIMITS, job, () => new Promise(() => undefined))
      .catch((error: Error) => error.message);
    controller.abort(new Error('stopped'));
    expect(await stuck).to.equal('stopped');
    let isDone = false;
    await slots.use('a', LIMITS, { id: '2', signal: new AbortController().signal }, async () => {
      isDone = true;
    });
    expect(isDone).to.equal(true);
  }).timeout(5000);
});

describe('the slots of deliveries', () => {
  it('are not shared by the mail server and a receiver of the same name', async () => {
    const names: string[] = [];
    const use = async (name: string) => void names.push(name);
    const code = ownCode({ slots: { use }, isPrivateAllowed: true });
    const context = { job: { id: '1', attempt: 1, signal: new AbortController().signal } };
    await code['kiln:deliver#mail']?.({ to: ['a@example.com'], subject: ['a'], html: ['a'] }, context);
    await code['kiln:deliver#webhook']?.({ url: 'http://mail/', secret: '', body: '' }, context);
    expect(new Set(names).size).to.equal(2);
  });
});
