import { expect } from 'chai';
import { CONSOLE_KEY_HEADER, literalPath } from '../../compiler/definition/contract/routes.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import { consoleRoute, keyFor } from '../../runtime/console/api/console-route.ts';
import { ApiError } from '../../runtime/errors/api-error.ts';
import type { Exchange } from '../../runtime/request/exchange.ts';

const KEY = 'a key that nobody guesses';
const LOCAL: ConsoleOptions = { key: KEY, place: 'root', hosts: ['localhost', '127.0.0.1', '[::1]'] };
const IN_IMAGE: ConsoleOptions = { key: KEY, place: 'docs' };

describe("the console's own API", () => {
  const ANSWERED: readonly (readonly [ConsoleOptions, string, string, number])[] = [
    [LOCAL, KEY, 'localhost:3000', 200],
    [LOCAL, KEY, 'LOCALHOST', 200],
    [LOCAL, KEY, '[::1]:3000', 200],
    [LOCAL, KEY, 'evil.example:3000', 403],
    [LOCAL, KEY, 'localhost.evil.example', 403],
    [LOCAL, '', 'localhost:3000', 403],
    [LOCAL, `${KEY}x`, 'localhost:3000', 403],
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
    expect(await statusOf(LOCAL, { ...headers, origin: 'http://localhost:3000' })).to.equal(200);
    expect(keyFor({ ...headers, origin: 'https://evil.example' }, LOCAL)).to.equal(undefined);
  });

  it('answers 403 without a key', async () => {
    expect(await statusOf(LOCAL, { host: 'localhost' })).to.equal(403);
  });

  it('gives its key to a page of this machine alone, and to none in an image', () => {
    expect(keyFor({ host: 'localhost:3000' }, LOCAL)).to.equal(KEY);
    expect(keyFor({ host: 'evil.example:3000' }, LOCAL)).to.equal(undefined);
    expect(keyFor({ host: 'blog.example' }, IN_IMAGE)).to.equal('');
  });
});

async function statusOf(options: ConsoleOptions, headers: Readonly<Record<string, string>>): Promise<number> {
  const route = consoleRoute(options, 'GET', literalPath('data'), async () => ({ status: 200, headers: {}, body: '' }));
  expect(route.pattern).to.equal('/_console/data');
  try {
    return (await route.handle({ request: { headers } } as unknown as Exchange))?.status ?? 0;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}
