import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { clientAddress, isPrivateAddress } from '../../../runtime/request/client-address.ts';

/** What `look` makes of a request with that header, on a real connection. */
async function seenBy<T>(forwarded: string | null, look: (request: IncomingMessage) => T): Promise<T> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
  const sent = sendTo({ port, host: '127.0.0.1', headers, agent: false }).on('error', () => undefined);
  sent.end();
  try {
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    return look(request);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the address of a client', () => {
  for (const [forwarded, proxies, address] of [
    ['9.9.9.9', 0, '127.0.0.1'],
    ['9.9.9.9, 203.0.113.7', 1, '203.0.113.7'],
    ['9.9.9.9, 203.0.113.7, 10.0.0.1', 2, '203.0.113.7'],
    ['203.0.113.7:4711', 1, '203.0.113.7'],
    ['[2001:DB8::1]:4711', 1, '2001:db8::1'],
    ['::ffff:203.0.113.7', 1, '203.0.113.7'],
    // A request that passed fewer proxies than usual.
    ['203.0.113.7', 2, '203.0.113.7'],
    [null, 1, '127.0.0.1'],
    // What is no address does not let one before it take its place.
    ['9.9.9.9, unknown', 1, '127.0.0.1'],
    ['9.9.9.9, ', 1, '127.0.0.1'],
    ['9.9.9.9,,', 1, '127.0.0.1'],
    ['9.9.9.9, unknown, 10.0.0.1', 2, '127.0.0.1'],
    ['9.9.9.9, 203.0.113.7, unknown', 2, '203.0.113.7'],
  ] as const) {
    it(`is ${address} with ${forwarded ?? 'no header'} behind ${proxies}`, async () => {
      expect(await seenBy(forwarded, (request) => clientAddress(request, proxies))).to.equal(address);
    });
  }

  for (const proxies of [0, 1]) {
    it(`is empty where the connection is closed by then, behind ${proxies}`, async () => {
      const address = await seenBy(null, (request) => {
        request.socket.destroy();
        return clientAddress(request, proxies);
      });
      expect(address).to.equal('');
    });
  }

  it('is private also in the shared range of providers', () => {
    const privates = ['10.1.2.3', '100.64.0.1', '100.99.0.1', '100.110.0.1', '100.127.255.255', '172.31.0.1', '::1'];
    expect(privates.filter((address) => !isPrivateAddress(address))).to.deep.equal([]);
    const publics = ['100.63.255.255', '100.128.0.1', '100.6.0.1', '172.32.0.1', '203.0.113.7'];
    expect(publics.filter(isPrivateAddress)).to.deep.equal([]);
  });
});
