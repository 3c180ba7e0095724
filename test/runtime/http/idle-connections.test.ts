import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { idleConnections, openSocketsOf } from '../../../runtime/respond/open-sockets.ts';
import { until } from '../../support/until.ts';

describe('idle connections', () => {
  it('are closed at once, however many there are', async () => {
    const server = createServer();
    const sockets = openSocketsOf(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await until(async () => sockets.size === clients.length);
    const open = [...sockets];
    let turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await idleConnections(server, 0)();
    clearImmediate(counting);
    expect(open.filter(({ destroyed }) => !destroyed)).to.have.length(0);
    expect(turns).to.be.lessThan(5);
    for (const client of clients) client.destroy();
    await once(server.close(), 'close');
  });
});
