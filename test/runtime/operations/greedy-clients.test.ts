/** Clients that take more than their share, and others beside them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { run, stopAll } from './running.ts';
import { POSTS } from './unavailable.ts';

describe('a client that sends 100,000 requests at once', () => {
  afterEach(stopAll);

  it('keeps nobody else waiting', async () => {
    const app = await run(POSTS, { code: { slow: () => null } });
    await app.ask('POST /api/post', { title: 'x' });
    const flood = connect(app.port, '127.0.0.1');
    let answers = 0;
    flood
      .on('error', () => undefined)
      .on('data', (chunk) => {
        answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
      });
    const before = process.memoryUsage().rss;
    flood.write('GET /api/post HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100_000));
    await once(flood, 'data');
    for (let asked = 0; asked < 30; asked++) {
      expect((await app.ask('GET /api/post')).status).to.equal(200);
      expect((await app.ask('POST /api/post', { title: `polite ${asked}` })).status).to.equal(201);
    }
    expect(process.memoryUsage().rss - before).to.be.lessThan(400e6);
    expect(answers, 'it is answered, too, but the others did not wait for that').to.be.within(1, 99_999);
    flood.destroy();
  });
});

describe('a client that closes its side after the request', () => {
  afterEach(stopAll);

  it('is told that its record was made', async () => {
    const app = await run(POSTS, { code: { slow: () => null } });
    const body = '{"title":"half"}';
    const socket = connect(app.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.end(
      `POST /api/post HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'close');
    // An answer that is slow is announced.
    expect(received).to.match(/^(HTTP\/1\.1 102 Processing\r\n\r\n)*HTTP\/1\.1 201 Created\r\n[\s\S]*"title":"half"/);
    const { rows } = await app.database.client.query('SELECT title FROM post');
    expect(rows).to.deep.equal([{ title: 'half' }]);
  });
});
