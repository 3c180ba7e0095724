/** Uploads that the server takes by itself, as an address of the store allows them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { folderStore } from '../../../runtime/files/folder-store.ts';
import type { FileStore } from '../../../runtime/files/store.ts';
import { uploadRoutes } from '../../../runtime/files/upload-route.ts';
import { itSlowly } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { closeAll, LANES, ok, type Received, route, type Serving, serve } from '../http/serving.ts';
import { PNG } from './bucket.ts';

const FORM = { type: 'image/png', size: PNG.length };

for (const lane of LANES)
  describe(`uploads through the server, ${lane}`, () => {
    let folder: string;
    let store: FileStore;
    let serving: Serving;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'kiln-files-'));
      store = folderStore(folder);
      const other = route('GET /other', () => ok({}));
      serving = await serve([...uploadRoutes(store), other], { lane, config: { requestsMax: 1 } });
    });
    after(async () => {
      await closeAll();
      await rm(folder, { recursive: true });
    });

    const left = (id: string) => readdir(join(folder, 'uploads', id)).catch(() => []);

    async function put(
      change: (url: URL) => void = () => undefined,
      { body = PNG, type = FORM.type }: { readonly body?: Buffer; readonly type?: string } = {},
    ): Promise<Received & { readonly left: readonly string[] }> {
      const id = randomUUID();
      const url = new URL((await store.uploadAddress(id, FORM)).url, 'http://localhost');
      change(url);
      const headers = { 'content-type': type, 'content-length': body.length };
      const received = await serving.ask(`${url.pathname}${url.search}`, { method: 'PUT', headers, body });
      return { ...received, left: await left(id) };
    }

    it('are stored as they were sent', async () => {
      const id = randomUUID();
      const size = 5_000_000;
      const body = Buffer.alloc(size, 'ab');
      const { url, headers } = await store.uploadAddress(id, { type: 'application/x-own', size });
      expect((await serving.ask(url, { method: 'PUT', headers, body })).status).to.equal(204);
      expect(await store.keep(id, (_, found) => expect(found).to.equal(size))).to.equal(true);
      expect((await buffer(await store.read(id))).equals(body)).to.equal(true);
    });

    for (const [what, status, change, sent] of [
      ['another signature', 403, (url: URL) => url.searchParams.set('signature', 'x'), {}],
      ['a later end', 403, (url: URL) => url.searchParams.set('expires', String(Date.now() + 1e9)), {}],
      ['another id', 403, (url: URL) => (url.pathname = url.pathname.replace(/[^/]+$/, randomUUID())), {}],
      ['no parameters', 403, (url: URL) => (url.search = ''), {}],
      ['another length', 400, () => undefined, { body: PNG.subarray(1) }],
      ['another type', 415, () => undefined, { type: 'text/html' }],
    ] as const)
      it(`are refused with ${what}, and leave nothing`, async () => {
        const received = await put(change, sent);
        expect(received.status).to.equal(status);
        expect(received.left).to.deep.equal([]);
      });

    it('are refused with another type in words that fit it', async () => {
      const { url } = await store.uploadAddress(randomUUID(), FORM);
      const { json } = await serving.ask(url, { method: 'PUT', headers: { 'content-type': 'text/html' }, body: PNG });
      expect(json).to.include({
        title: 'The type of the body is not supported',
        detail: 'The type must be image/png.',
      });
    });

    it('are refused when the address is too old', async () => {
      const now = Date.now;
      const id = randomUUID();
      Date.now = () => now() - 16 * 60_000;
      const { url, headers } = await store.uploadAddress(id, FORM).finally(() => {
        Date.now = now;
      });
      const { status, json } = await serving.ask(url, { method: 'PUT', headers, body: PNG });
      expect(status).to.equal(403);
      expect(json.detail).to.equal('The address was not signed by this application, or it is too old.');
    });

    it('leave nothing when they are broken off, and take no capacity while they are slow', async () => {
      const id = randomUUID();
      const { url } = await store.uploadAddress(id, { type: 'image/png', size: 1000 });
      const socket = serving.connect();
      socket.write(`PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\n`);
      socket.write(PNG);
      await until(async () => (await left(id)).length === 1);
      expect((await serving.ask('/other')).status, 'the limit is one request').to.equal(200);
      socket.destroy();
      await until(async () => (await left(id)).length === 0);
    });
  });

describe('uploads through the server', () => {
  after(closeAll);

  // At once: Node looks for requests that take too long every 30 seconds.
  itSlowly('may take longer than other requests', async () => {
    await Promise.all(LANES.map(slowUpload));
  });
});

async function slowUpload(lane: (typeof LANES)[number]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kiln-files-'));
  const store = folderStore(folder);
  const { server, connect } = await serve(uploadRoutes(store), { lane, config: { requestsMax: 1 } });
  server.requestTimeout = 1000;
  server.headersTimeout = 1000;
  const id = randomUUID();
  const { url } = await store.uploadAddress(id, FORM);
  const socket = connect();
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.write(
    `PUT ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: image/png\r\nContent-Length: ${PNG.length}\r\n\r\n`,
  );
  for (let at = 0; at < 40; at++) {
    socket.write(PNG.subarray(at, at + 1));
    await sleep(1000);
  }
  socket.end(PNG.subarray(40));
  await until(() => received !== '');
  expect(received).to.match(/^HTTP\/1\.1 204 /);
  expect(await store.keep(id, (head) => expect(head.equals(PNG)).to.equal(true))).to.equal(true);
  await rm(folder, { recursive: true });
}
