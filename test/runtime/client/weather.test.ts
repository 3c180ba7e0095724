/** Clients when something is in the way: servers that fail, proxies, broken connections, callers who give up. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { PROBLEMS } from '../../../compiler/definition/contract/problems.ts';
import { ApiError, type Client, type ClientOptions, createClient } from '../../compiler/client/golden/blog.ts';
import * as helpdesk from '../../compiler/client/golden/helpdesk.ts';
import { failureOf } from './failure.ts';
import { type SmallServer, startServer } from './live.ts';

describe('a client', () => {
  let server: SmallServer | undefined;

  afterEach(() => server?.stop());

  const clientOf = async (
    answer: Parameters<typeof startServer>[0],
    options: Omit<ClientOptions, 'baseUrl'> = {},
  ): Promise<Client> => {
    server = await startServer(answer);
    return createClient({ baseUrl: server.url, ...options });
  };

  const json = (response: ServerResponse, value: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

  const html = (response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html>Bad gateway</html>');
  };

  describe('tries again', () => {
    for (const status of [429, 502, 503, 504]) {
      it(`a GET that is answered with ${status}`, async () => {
        const client = await clientOf((_, response, count) =>
          count < 3 ? html(response, status, { 'retry-after': '0' }) : json(response, []),
        );
        expect(await client.tag.list()).to.deep.equal([]);
        expect(server?.requests).to.deep.equal(['GET /api/tag', 'GET /api/tag', 'GET /api/tag']);
      });
    }

    it('a GET that gets no answer, after a while', async () => {
      const client = await clientOf((request, response, count) =>
        count < 3 ? request.socket.destroy() : json(response, []),
      );
      expect(await client.tag.list()).to.deep.equal([]);
      expect(server?.requests).to.have.length(3);
    });

    it('a GET whose answer breaks off', async () => {
      const client = await clientOf((_, response, count) => (count < 2 ? breakOff(response) : json(response, [])));
      expect(await client.tag.list()).to.deep.equal([]);
    });

    it('a PUT', async () => {
      server = await startServer((_, response, count) =>
        count < 3 ? html(response, 503, { 'retry-after': '0' }) : response.writeHead(204).end(),
      );
      await helpdesk.createClient({ baseUrl: server.url }).users('a').password({ new_password: 'x' });
      expect(server.requests).to.have.length(3);
    });

    it('as often as it is told', async () => {
      const client = await clientOf((_, response) => html(response, 503, { 'retry-after': '0' }), { retries: 4 });
      await client.tag.list.result();
      expect(server?.requests).to.have.length(5);
      await client.tag.list.result({ retries: 0 });
      expect(server?.requests).to.have.length(6);
    });
  });

  describe('does not try again', () => {
    it('what may have been done already', async () => {
      const client = await clientOf((_, response) => html(response, 503, { 'retry-after': '0' }));
      await client.tag.create.result({ name: 'a' });
      await client.post('a').update.result({});
      await client.post('a').delete.result();
      await client.post('a').publish.result();
      expect(server?.requests.map((each) => each.split(' ')[0])).to.deep.equal(['POST', 'PATCH', 'DELETE', 'POST']);
    });

    it('a POST that gets no answer', async () => {
      const client = await clientOf((request) => request.socket.destroy());
      expect((await failureOf(client.tag.create({ name: 'a' }), ApiError)).code).to.equal('network');
      expect(server?.requests).to.have.length(1);
    });

    it('what the server refuses for good', async () => {
      const client = await clientOf((_, response) => html(response, 500));
      await client.tag.list.result();
      expect(server?.requests).to.have.length(1);
    });

    it('when it is told to wait for longer than anybody would', async () => {
      const client = await clientOf((_, response) => html(response, 503, { 'retry-after': '3600' }));
      expect(await client.tag.list.result()).to.include({ ok: false, status: 503 });
      expect(server?.requests).to.have.length(1);
    });
  });

  describe('says', () => {
    it('that nobody answers', async () => {
      const client = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 });
      const error = await failureOf(client.tag.list(), ApiError);
      expect(error).to.include({ code: 'network', status: 0, problem: undefined, headers: undefined });
      expect(error.message).to.match(/^GET \/api\/tag got no complete response: fetch failed/);
      expect(error.cause).to.be.instanceOf(TypeError);
      expect(await client.tag.list.result()).to.include({ ok: false, code: 'network', status: 0 });
    });

    it('which of the problems it was, and `refused` for a code of custom code', async () => {
      const said: string[] = [];
      const codes = Object.keys(PROBLEMS);
      const client = await clientOf((_, response, count) => {
        const body = JSON.stringify({
          type: '',
          title: '',
          status: 400,
          code: codes[count - 1] ?? 'own',
          requestId: '',
        });
        response.writeHead(400, { 'content-type': 'application/problem+json' }).end(body);
      });
      for (const _ of [...codes, 'own']) said.push((await failureOf(client.tag.list(), ApiError)).code);
      expect(said).to.deep.equal([...codes, 'refused']);
    });

    it('that a proxy answered in place of the API', async () => {
      const client = await clientOf((_, response) => html(response, 502), { retries: 0 });
      const error = await failureOf(client.tag.list(), ApiError);
      expect(error).to.include({ code: 'unexpected-answer', status: 502 });
      expect(error.message).to.include('502 (text/html)').and.to.include('<html>Bad gateway</html>');
    });

    it('that a page came where data was expected', async () => {
      const client = await clientOf((_, response) => html(response, 200));
      expect(await client.tag.list.result()).to.include({ code: 'unexpected-answer', status: 200 });
    });

    it('that JSON is broken, or no problem document', async () => {
      const client = await clientOf((_, response, count) => {
        const type = count === 1 ? 'application/json' : 'application/problem+json';
        response.writeHead(count === 1 ? 200 : 400, { 'content-type': type }).end(count === 1 ? '[{' : '"oh"');
      });
      expect(await client.tag.list.result()).to.include({ code: 'unexpected-answer', status: 200 });
      expect(await client.tag.list.result()).to.include({ code: 'unexpected-answer', status: 400 });
    });

    it('that the answer broke off', async () => {
      const client = await clientOf((_, response) => breakOff(response), { retries: 0 });
      expect((await failureOf(client.tag.list(), ApiError)).code).to.equal('network');
    });

    it('that an address cannot be right', () => {
      expect(() => createClient({ baseUrl: 'https://example.com/?a=1' })).to.throw(
        TypeError,
        'baseUrl must not have a query',
      );
    });
  });

  describe('is given up', () => {
    it('by the signal of the caller, while it waits for the answer', async () => {
      const controller = new AbortController();
      const client = await clientOf(() => controller.abort('enough'));
      const error = await failureOf(client.tag.list({ signal: controller.signal }), ApiError);
      expect(error).to.include({ code: 'aborted', cause: 'enough' });
      expect(error.message).to.equal('GET /api/tag was aborted');
    });

    it('by the signal of the caller, while it waits to try again', async () => {
      const controller = new AbortController();
      const client = await clientOf((_, response) => {
        html(response, 503, { 'retry-after': '20' });
        setTimeout(() => controller.abort(), 50);
      });
      expect(await client.tag.list.result({ signal: controller.signal })).to.include({ code: 'aborted' });
      expect(server?.requests).to.have.length(1);
    });

    it('before it begins, where the signal has been fired already', async () => {
      const client = await clientOf((_, response) => json(response, []));
      expect(await client.tag.list.result({ signal: AbortSignal.abort() })).to.include({ code: 'aborted' });
      expect(server?.requests).to.deep.equal([]);
    });

    it('in the middle of the pages', async () => {
      const controller = new AbortController();
      const client = await clientOf((_, response, count) =>
        json(response, { page: count, pageSize: 1, totalPages: 9, totalCount: 9, data: [{ id: count }] }),
      );
      const seen: number[] = [];
      const visit = async () => {
        for await (const { id } of client.author.list.all({}, { signal: controller.signal })) {
          seen.push(id);
          if (id === 2) controller.abort();
        }
      };
      expect((await failureOf(visit(), ApiError)).code).to.equal('aborted');
      expect(seen).to.deep.equal([1, 2]);
    });

    it('when it takes too long, by the time of the call or of the client', async () => {
      const client = await clientOf(() => undefined, { timeout: 30 });
      expect(await client.tag.list.result()).to.include({ ok: false, code: 'timeout', status: 0 });
      const patient = createClient({ baseUrl: server?.url ?? '' });
      const error = await failureOf(patient.tag.create({ name: 'a' }, { timeout: 30 }), ApiError);
      expect(error).to.include({ code: 'timeout', message: 'POST /api/tag took too long' });
    });

    it('when the answer begins, but does not end', async () => {
      const client = await clientOf((_, response) => response.writeHead(200).write('['));
      expect(await client.tag.list.result({ timeout: 50 })).to.include({ code: 'timeout' });
    });
  });
});

/** The connection is gone before the body is. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('[', () => response.destroy());
}
