import { expect } from 'chai';
import { CONSOLE_KEY_HEADER, literalPath } from '../../compiler/definition/contract/routes.ts';
import { devConsole } from '../../pipeline/cli/dev.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import { consoleRoutesWith, keyFor, WrongKeys } from '../../runtime/console/api/console-route.ts';
import { ApiError } from '../../runtime/errors/api-error.ts';
import type { Exchange } from '../../runtime/request/exchange.ts';

const KEY = 'a key that nobody guesses';
const LOCAL: ConsoleOptions = { key: KEY, place: 'root', hosts: ['localhost', '127.0.0.1', '[::1]'] };
const ON_NETWORK: ConsoleOptions = { key: KEY, place: 'root', isKeyPrinted: true };
const IN_IMAGE: ConsoleOptions = { key: KEY, place: 'docs' };

describe('the console of kiln dev', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.0.0.2'])
    it(`carries its key at ${host}`, () => {
      expect(devConsole({ host })).to.not.have.property('isKeyPrinted');
      expect(devConsole({ host }).hosts).to.include('localhost');
    });

  for (const host of ['0.0.0.0', '::', '192.168.1.5', '127.evil.example'])
    it(`asks for its key at ${host}`, () => {
      expect(devConsole({ host }).isKeyPrinted).to.equal(true);
    });
});

describe("the console's own API", () => {
  const ANSWERED: readonly (readonly [ConsoleOptions, string, string, number])[] = [
    [LOCAL, KEY, 'localhost:3000', 200],
    [LOCAL, KEY, 'LOCALHOST', 200],
    [LOCAL, KEY, '[::1]:3000', 200],
    [LOCAL, KEY, 'evil.example:3000', 403],
    [LOCAL, KEY, 'localhost.evil.example', 403],
    [LOCAL, '', 'localhost:3000', 403],
    [LOCAL, `${KEY}x`, 'localhost:3000', 403],
    [ON_NETWORK, KEY, '192.168.1.5:3000', 200],
    [ON_NETWORK, 'wrong', 'localhost:3000', 403],
    [IN_IMAGE, KEY, 'blog.example', 200],
    [IN_IMAGE, 'wrong', 'blog.example', 403],
  ];

  for (const [options, key, host, status] of ANSWERED) {
    it(`answers ${status} at \`${options.place}\` for the key \`${key}\` and the host \`${host}\``, async () => {
      expect(await statusOf(options, { [CONSOLE_KEY_HEADER]: key, host })).to.equal(status);
    });
  }

  it('answers 403 to a web page of others, whatever `CORS_ORIGIN` says', async () => {
    const headers = { [CONSOLE_KEY_HEADER]: KEY, host: 'localhost:3000' };
    expect(await statusOf(LOCAL, { ...headers, origin: 'https://evil.example' })).to.equal(403);
    expect(await statusOf(LOCAL, { ...headers, origin: 'null' })).to.equal(403);
    expect(await statusOf(LOCAL, { ...headers, origin: 'http://localhost:5173' })).to.equal(403);
    expect(await statusOf(LOCAL, { ...headers, origin: 'http://localhost:3000' })).to.equal(200);
    expect(keyFor({ ...headers, origin: 'https://evil.example' }, LOCAL)).to.equal(undefined);
    expect(keyFor({ ...headers, origin: 'http://localhost:5173' }, LOCAL)).to.equal(undefined);
  });

  it('answers 403 without a key', async () => {
    expect(await statusOf(LOCAL, { host: 'localhost' })).to.equal(403);
  });

  it('gives its key to a page of this machine alone, and to none in an image or on a network', () => {
    expect(keyFor({ host: 'localhost:3000' }, LOCAL)).to.equal(KEY);
    expect(keyFor({ host: 'evil.example:3000' }, LOCAL)).to.equal(undefined);
    expect(keyFor({ host: 'blog.example' }, IN_IMAGE)).to.equal('');
    expect(keyFor({ host: 'localhost:3000' }, ON_NETWORK)).to.equal('');
  });

  it('checks no secret for a minute after five different wrong ones', async () => {
    const options: ConsoleOptions = { ...IN_IMAGE };
    const guess = (key: string) => statusOf(options, { [CONSOLE_KEY_HEADER]: key });
    for (const key of ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'd']) expect(await guess(key)).to.equal(403);
    expect(await guess(KEY)).to.equal(200);
    expect(await guess('e')).to.equal(403);
    expect(await guess('f')).to.equal(429);
    expect(await guess(KEY)).to.equal(429);
    expect(await statusOf(options, { [CONSOLE_KEY_HEADER]: KEY }, '203.0.113.9'), 'of another address').to.equal(200);
  });

  it('checks secrets again after that minute', () => {
    const wrong = new WrongKeys();
    const add = (key: string, now: number) => wrong.add('203.0.113.7', key, now);
    const wait = (now: number) => wrong.wait('203.0.113.7', now);
    for (const key of ['a', 'b', 'c', 'd']) add(key, 0);
    expect(wait(0)).to.equal(0);
    add('e', 59_000);
    expect(wait(59_500)).to.equal(60);
    expect(wrong.wait('203.0.113.8', 59_500)).to.equal(0);
    expect(wait(119_000)).to.equal(0);
    for (const key of ['a', 'b', 'c', 'd']) add(key, 120_000);
    add('e', 180_000);
    expect(wait(180_000)).to.equal(0);
  });
});

async function statusOf(
  options: ConsoleOptions,
  headers: Readonly<Record<string, string>>,
  remoteAddress = '203.0.113.7',
): Promise<number> {
  const route = consoleRoutesWith(options)('GET', literalPath('data'), async () => ({
    status: 200,
    headers: {},
    body: '',
  }));
  expect(route.pattern).to.equal('/_console/data');
  try {
    return (
      (await route.handle({ request: { headers, socket: { remoteAddress } } } as unknown as Exchange))?.status ?? 0
    );
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}
