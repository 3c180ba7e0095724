import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundleHooks, loadHooks } from '../../../pipeline/hooks/bundle-hooks.ts';
import { definitionIn, projectFolder } from '../../pipeline/project-folder.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { bearer, type Code, type Running, run, stopAll } from './running.ts';

const PROGRAM = `
model User { field login { type string, unique }, field hash { type string, secret }, field nick { type string, nullable } }
auth { model User, login login, password hash }
model Post { field title { type string } }
api {
  entrypoint Post as post {
    list endpoint {}
    create endpoint {}
    POST many "run" {
      action {
        create Post { set title "before" }
        execute as result { hook { arg many 2, source code from "code" } }
        respond { body result }
      }
    }
    POST many "responds" {
      action {
        create Post { set title "before" }
        execute { hook { source code from "code" } responds }
        execute { hook { source later from "code" } }
      }
    }
    POST many "refuses" {
      action {
        create Post { set title "before" }
        execute { hook { source code from "code" } }
        refuse "no" when true
      }
    }
    POST many "sets" { action { create Post { set title hook { source code from "code" } } } }
    POST many "calls" {
      action {
        create Post { set title "before" }
        call { hook { source code from "code" } on failure { create Post { set title "failed" } } }
        create Post { set title "behind" }
      }
    }
  }
}
`;

const nothing: Code = () => null;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a hook', () => {
  afterEach(stopAll);

  it('that runs again with its transaction leaves no headers of the first time', async () => {
    let runs = 0;
    const code: Code = async (_, { db, response }) => {
      response.appendHeader('set-cookie', `run=${++runs}`);
      if (runs === 1) await db.knex.raw(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
      return runs;
    };
    const app = await run(PROGRAM, { code: { code, later: nothing } });
    const { json, headers } = await app.ask('POST /api/post/run');
    expect([json, headers['set-cookie']]).to.deep.equal([2, ['run=2']]);
  });

  const start = (code: Code, environment = {}, later = nothing): Promise<Running> =>
    run(PROGRAM, { code: { code, later }, environment });

  const titles = async ({ database }: Running) =>
    (await database.client.query('SELECT title FROM post ORDER BY id')).rows.map(({ title }) => title);

  it('may return a value or a promise', async () => {
    for (const result of [4, Promise.resolve(4)]) {
      const app = await start(() => result);
      expect((await app.ask('POST /api/post/run')).json).to.equal(4);
    }
  });

  it('that throws is a 500 that says nothing, and nothing is stored', async () => {
    for (const code of [
      () => {
        throw new Error('marker-of-mistake');
      },
      () => Promise.reject(new Error('marker-of-mistake')),
      () => Promise.reject('marker-of-mistake'),
      () => Promise.reject({ status: 'x', message: 'marker-of-mistake' }),
      () => Promise.reject({ status: 200, message: 'marker-of-mistake' }),
      () => Promise.reject({ status: 600, message: 'marker-of-mistake' }),
      () => Promise.reject(undefined),
    ]) {
      const app = await start(code);
      const { status, json, text } = await app.ask('POST /api/post/run');
      expect(status).to.equal(500);
      expect(Object.keys(json).sort()).to.deep.equal(['code', 'requestId', 'status', 'title', 'type']);
      expect(text).to.not.include('marker-of-mistake').and.not.include('code.ts');
      expect(await titles(app)).to.deep.equal([]);
      expect(app.lines.find(({ requestId }) => requestId === json.requestId)).to.include({
        level: 'error',
        status: 500,
      });
    }
  });

  it('that throws a status of its own answers with it, and nothing is stored', async () => {
    const teapot = Object.assign(new Error('I am a teapot'), { status: 418 });
    for (const [thrown, status, code] of [
      [{ status: 409, message: 'Sold out' }, 409, 'conflict'],
      [teapot, 418, 'refused'],
      [{ status: 500, message: 'The press is broken' }, 500, 'internal'],
      [{ status: 502, message: 'The bank does not answer' }, 502, 'refused'],
      [{ status: 503, message: 'Come back later' }, 503, 'unavailable'],
      [{ status: 409, message: 'Sold out', code: 'sold-out' }, 409, 'sold-out'],
    ] as const) {
      const app = await start(() => Promise.reject(thrown));
      const answer = await app.ask('POST /api/post/run');
      expect(answer.status).to.equal(status);
      expect(answer.headers['content-type']).to.equal('application/problem+json');
      expect(answer.json).to.include({ status, code, detail: thrown.message });
      expect(await titles(app)).to.deep.equal([]);
    }
  });

  it('that throws a status is logged without a cause, unless it throws an error', async () => {
    const logged = async (thrown: object) => {
      const app = await start(() => Promise.reject(thrown));
      const { json } = await app.ask('POST /api/post/run');
      const line = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
      return [line.err.message, (line.err.cause as Error | undefined)?.message];
    };
    const later = 'Come back later';
    expect(await logged({ status: 503, message: later })).to.deep.equal([later, undefined]);
    const failure = Object.assign(new Error(later), { status: 503 });
    expect(await logged(failure)).to.deep.equal([later, later]);
  });

  it('that throws errors of inputs answers with them', async () => {
    const errors = [
      { path: 'lines.0.sku', code: 'sold-out', message: 'is sold out' },
      { path: '', code: 'too-late', message: 'we are closed', params: { until: 9 } },
    ];
    const app = await start(() => Promise.reject({ status: 422, message: 'Not today', code: 'shop-closed', errors }));
    const { status, json } = await app.ask('POST /api/post/run');
    expect(status).to.equal(422);
    expect(json).to.deep.include({ type: 'urn:kiln:problem:shop-closed', code: 'shop-closed', detail: 'Not today' });
    expect(json.errors).to.deep.equal([{ ...errors[0], params: {} }, errors[1]]);
    expect(await titles(app)).to.deep.equal([]);
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const throwing = {
    get status(): number {
      throw new Error('marker-of-mistake');
    },
  };
  class Unreadable extends Error {
    override get message(): string {
      throw new Error('marker-of-mistake');
    }
    override get stack(): string {
      throw new Error('marker-of-mistake');
    }
  }
  const refusing = (): never => {
    throw new Error('marker-of-mistake');
  };
  const hostile = new Proxy({}, { get: refusing, has: refusing, getPrototypeOf: refusing, ownKeys: refusing });
  for (const [what, thrown] of [
    ['a status that is no error', { status: 200 }],
    ['a status with a fraction', { status: 404.5 }],
    ['a status as a text', { status: '404' }],
    ['a message that is no text', { status: 404, message: circular }],
    ['a code that is no text', { status: 404, code: 7 }],
    ['errors that are no list', { status: 422, errors: circular }],
    ['an error that is no object', { status: 422, errors: ['x'] }],
    ['an error that is null', { status: 422, errors: [null] }],
    ['an error without a code', { status: 422, errors: [{ path: 'a', message: 'b' }] }],
    ['a path that is no text', { status: 422, errors: [{ path: ['a'], code: 'b' }] }],
    ['params that are a list', { status: 422, errors: [{ path: 'a', code: 'b', params: [1] }] }],
    ['circular params', { status: 422, errors: [{ path: 'a', code: 'b', params: circular }] }],
    ['a getter that throws', throwing],
    ['an error that cannot be read', new Unreadable()],
    ['a proxy that refuses everything', hostile],
  ] as const) {
    it(`that throws ${what} is a 500, with the reason in the log`, async () => {
      const app = await start(() => Promise.reject(thrown));
      const { status, text, json } = await app.ask('POST /api/post/run');
      expect([status, json.code, json.detail]).to.deep.equal([500, 'internal', undefined]);
      expect(text).to.not.include('marker-of-mistake');
      const line = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
      expect(line.err.message).to.match(
        /^the hook `code` of hooks\/code\.ts .* cannot be sent: its status must be an integer/,
      );
      expect(await titles(app)).to.deep.equal([]);
    });
  }

  it('that throws an error which hides its message is answered without it', async () => {
    const hidden = Object.assign(new Error('marker-of-mistake'), { status: 502, expose: false });
    const app = await start(() => Promise.reject(hidden));
    const { status, text } = await app.ask('POST /api/post/run');
    expect(status).to.equal(502);
    expect(text).to.not.include('marker-of-mistake');
  });

  it('that takes too long is a 504, nothing is stored, and the connection is free again', async () => {
    let calls = 0;
    const environment = { HOOK_TIMEOUT: '50ms', DATABASE_POOL_MAX: '1' };
    const app = await start(() => (++calls === 1 ? new Promise(() => undefined) : 'done'), environment);
    const { status, json } = await app.ask('POST /api/post/run');
    expect([status, json.code, json.detail]).to.deep.equal([504, 'took-too-long', 'Custom code took too long.']);
    expect(await titles(app)).to.deep.equal([]);
    expect(JSON.stringify(app.lines)).to.include('hooks/code.ts gave no result within 50 ms');
    expect((await app.ask('POST /api/post/run')).json).to.equal('done');
  });

  it('sees the transaction of its request, and its changes end with it', async () => {
    const app = await start(async (_, { db }) => {
      const before = await db.Post?.query().select('title');
      await db.Post?.query().insert({ title: 'from the hook' } as object);
      return before;
    });
    expect((await app.ask('POST /api/post/run')).json).to.deep.equal([{ title: 'before' }]);
    expect(await titles(app)).to.deep.equal(['before', 'from the hook']);

    const failing = await start(async (_, { db }) => {
      await db.Post?.query().insert({ title: 'from the hook' } as object);
      throw { status: 400, message: 'no' };
    });
    expect((await failing.ask('POST /api/post/run')).status).to.equal(400);
    expect(await titles(failing)).to.deep.equal([]);
  });

  it('cannot end the transaction that it is given', async () => {
    const app = await start(async (_, { db }) => {
      await db.knex.commit();
    });
    expect((await app.ask('POST /api/post/run')).status).to.equal(500);
    expect(await titles(app)).to.deep.equal([]);
  });

  it('knows who is authenticated, without secrets, and logs under the request', async () => {
    const app = await start((_, { auth, log, request }) => {
      log.info({ detail: 4 }, 'said by the hook');
      return { auth, method: request.method };
    });
    expect((await app.ask('POST /api/post/run')).json).to.deep.equal({ auth: null, method: 'POST' });
    await app.ask('POST /api/auth/register', { login: 'ada', password: 'a long password' });
    const { json } = await app.ask('POST /api/auth/login', { login: 'ada', password: 'a long password' });
    const answer = await app.ask('POST /api/post/run', undefined, { ...bearer(json.token), 'x-request-id': 'r-4' });
    expect(answer.json.auth).to.deep.equal({ id: 1, login: 'ada', nick: null });
    const line = app.lines.find(({ msg, requestId }) => msg === 'said by the hook' && requestId === 'r-4');
    expect(line).to.include({ detail: 4 });
  });

  it('that responds is heard after the commit', async () => {
    const app = await start((_, { response }) => response.writeHead(203, { 'x-own': 'yes' }).end('own'));
    const { status, headers, text } = await app.ask('POST /api/post/responds');
    expect([status, headers['x-own'], text]).to.deep.equal([203, 'yes', 'own']);
    expect(await titles(app)).to.deep.equal(['before']);
    await until(() => app.lines.some((line) => line.status === 203));
  });

  it('that responds is not heard when a later action fails', async () => {
    const app = await start(
      (_, { response }) => {
        response.statusCode = 203;
        response.setHeader('x-own', 'yes');
        response.write('ow');
        response.end('n');
      },
      {},
      () => Promise.reject({ status: 409, message: 'Too late' }),
    );
    const { status, headers, json } = await app.ask('POST /api/post/responds');
    expect([status, headers['x-own']]).to.deep.equal([409, undefined]);
    expect(headers['content-type']).to.equal('application/problem+json');
    expect(json.detail).to.equal('Too late');
    expect(await titles(app)).to.deep.equal([]);
  });

  it('that responds with an error is heard, and nothing is stored', async () => {
    const later = { calls: 0 };
    for (const code of [
      (_, { response }) => response.writeHead(422, { 'x-own': 'yes' }).end('own'),
      (_, { response }) => {
        response.statusCode = 422;
        response.setHeader('x-own', 'yes');
        response.end('own');
      },
      (_, { response }) => response.writeHead(422, 'Own Words', ['x-own', 'yes']).end(Buffer.from('own')),
    ] satisfies readonly Code[]) {
      const app = await start(code, {}, () => ++later.calls);
      const { status, headers, text } = await app.ask('POST /api/post/responds');
      expect([status, headers['x-own'], text]).to.deep.equal([422, 'yes', 'own']);
      expect(await titles(app)).to.deep.equal([]);
      await until(() => app.lines.some((line) => line.status === 422));
    }
    expect(later.calls).to.equal(0);
  });

  it('that responds with what cannot be sent is a 500, and nothing is stored', async () => {
    for (const code of [
      (_, { response }) => response.writeHead(200, { 'x-own': 'a\r\nx-evil: yes' }).end('own'),
      (_, { response }) => response.writeHead(99).end('own'),
      (_, { response }) => response.end(7 as never),
      (_, { response }) => response.setHeader('bad name', 'x').end('own'),
    ] satisfies readonly Code[]) {
      const app = await start(code);
      const { status, headers } = await app.ask('POST /api/post/responds');
      expect([status, headers['x-evil'], headers['content-type']]).to.deep.equal([
        500,
        undefined,
        'application/problem+json',
      ]);
      expect(await titles(app)).to.deep.equal([]);
    }
  });

  it('that responds without `responds` is a 500, and nothing is stored', async () => {
    for (const write of [
      (response) => response.writeHead(409, { 'x-own': 'yes' }).end('own'),
      (response) => response.write('own'),
      (response) => void setImmediate(() => response.end('own')),
    ] satisfies readonly ((response: Parameters<Code>[1]['response']) => unknown)[]) {
      const app = await start((_, { response }) => {
        write(response);
        return 'x';
      });
      for (const path of ['run', 'refuses', 'sets', 'calls']) {
        const { status, headers, json } = await app.ask(`POST /api/post/${path}`);
        expect([path, status, headers['x-own']]).to.deep.equal([path, path === 'refuses' ? 422 : 500, undefined]);
        if (path === 'refuses') continue;
        const line = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
        expect(line.err.message).to.equal(
          'a hook has responded, but only the hook of an `execute` with `responds` may',
        );
        expect(line.err.stack).to.contain('hooks.test.ts');
      }
      // The part before a call is committed when its code runs.
      expect(await titles(app)).to.deep.equal(['before', 'failed']);
    }
  });

  it('that flushes its headers sends nothing before the commit', async () => {
    const app = await start(
      (_, { response }) => {
        response.flushHeaders();
        response.write('a');
        response.end('b');
      },
      {},
      () => Promise.reject({ status: 409, message: 'Too late' }),
    );
    expect((await app.ask('POST /api/post/responds')).status).to.equal(409);
  });

  it('sets headers of the answer, which are gone where the request fails', async () => {
    const app = await start((_, { request, response }) => {
      response.setHeader('cache-control', 'public, max-age=60');
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.removeHeader('x-content-type-options');
      if (request.headers['x-fail']) throw { status: 409, message: 'no' };
      return 1;
    });
    const { headers } = await app.ask('POST /api/post/run');
    expect(headers['cache-control']).to.equal('public, max-age=60');
    expect(headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
    expect(headers).to.not.have.property('x-content-type-options');
    const failed = await app.ask('POST /api/post/run', undefined, { 'x-fail': '1' });
    expect(failed.headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(failed.headers).to.not.have.property('set-cookie');
  });

  it('may set headers with any text', async () => {
    const app = await start((_, { response }) => {
      response.setHeader('x-name', 'Иван 李');
      response.setHeader('location', '/кошка/é?a=b%20c');
      response.setHeader('content-disposition', 'attachment; filename="отчёт \\"1\\".csv"');
      response.appendHeader('x-list', '李');
      response.appendHeader('x-list', 'é');
      return 1;
    });
    const { headers } = await app.ask('POST /api/post/run');
    expect(Buffer.from(String(headers['x-name']), 'latin1').toString()).to.equal('Иван 李');
    expect(headers.location).to.equal('/%D0%BA%D0%BE%D1%88%D0%BA%D0%B0/%C3%A9?a=b%20c');
    expect(headers['content-disposition']).to.equal(
      `attachment; filename="_____ \\"1\\".csv"; filename*=UTF-8''${encodeURIComponent('отчёт "1".csv')}`,
    );
  });

  it('that ends its response twice fails, and nothing is stored', async () => {
    const app = await start((_, { response }) => {
      response.end('once');
      response.end('twice');
    });
    expect((await app.ask('POST /api/post/responds')).status).to.equal(500);
    expect(await titles(app)).to.deep.equal([]);
  });

  it('that writes after its response was sent is in the log, and the server goes on', async () => {
    const app = await start((_, { response }) => {
      response.once('prefinish', () => response.write('late'));
      response.end('in time');
    });
    expect((await app.ask('POST /api/post/responds')).text).to.equal('in time');
    await until(() => app.lines.some(({ msg }) => msg === 'a hook wrote to a response that has ended'));
    expect((await app.ask('GET /api/post')).status).to.equal(200);
  });

  it('sees the query and the JSON body as they were sent', async () => {
    const app = await start((_, { request }) => {
      const { body, query, rawBody } = request as never as Record<string, unknown>;
      return { body, query, raw: rawBody === undefined ? null : String(rawBody) };
    });
    for (const [sent, body] of [
      [
        { a: { b: [1] }, title: 'x' },
        { a: { b: [1] }, title: 'x' },
      ],
      [
        [1, 2],
        [1, 2],
      ],
      [null, null],
      ['text', 'text'],
    ]) {
      const { json } = await app.ask('POST /api/post/run?x=1&y=a&y=b', sent);
      expect(json).to.deep.equal({ body, query: { x: '1', y: ['a', 'b'] }, raw: JSON.stringify(sent) });
    }
    const { json } = await app.ask('POST /api/post/run');
    expect(json).to.deep.equal({ query: {}, raw: null });
  });

  it('leaves the stream of a body that is no JSON to the hook', async () => {
    const app = await start(async (_, { request }) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    });
    const headers = { 'content-type': 'text/plain' };
    const { json } = await ask(app.port, '/api/post/run', { method: 'POST', headers, body: 'a,b' });
    expect(json).to.equal('a,b');
  });

  it('that changes the body does not change the inputs', async () => {
    const source = `
      model Post { field title { type string } }
      api {
        entrypoint Post {
          create endpoint { action { execute { hook { source code from "code" } }, create { } } }
        }
      }`;
    const app = await run(source, {
      code: {
        code: (_, { request }) => {
          const { body } = request as never as { body: { title: string; more: object } };
          body.title = `${body.title} changed`;
        },
      },
    });
    const { status, json } = await app.ask('POST /api/post', { title: 'as sent', more: {} });
    expect([status, json.title]).to.deep.equal([201, 'as sent']);
    for (const body of ['{"title":', '[1]', 'null'])
      expect((await ask(app.port, '/api/post', { method: 'POST', headers: JSON_TYPE, body })).status).to.equal(400);
  });

  it('whose result does not fit is a 500, and the log names the code and the type', async () => {
    const source = `
      model Post { field title { type string } }
      api {
        entrypoint Post {
          POST many "found" {
            action {
              execute as wanted { hook { source code from "code" } }
              query as found { from Post as p, filter { p.title is wanted } }
              respond { body found }
            }
          }
          POST many "made" { action { create Post { set title hook { source code from "code" } } } }
          POST many "listed" {
            action {
              execute as wanted { hook { source list from "code" } }
              query as listed { from Post as p, filter { p.title in wanted } }
              respond { body listed }
            }
          }
        }
      }`;
    const app = await run(source, { code: { code: () => 7, list: () => ['tea', 7] } });
    for (const [path, reason] of [
      ['found', 'the code behind `wanted` returned a value that is not of type string: it must be a string'],
      ['made', 'the hook `code` of hooks/code.ts returned a value that is not of type string: it must be a string'],
      [
        'listed',
        'the code behind `wanted` returned a value that is not of type list of string: item 2 must be a string',
      ],
    ]) {
      const { status, json } = await app.ask(`POST /api/post/${path}`);
      expect(status).to.equal(500);
      const line = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
      expect(line.err.message).to.equal(reason);
    }
  });

  it('that gives something else than it declares is a 500, and the log says what, without the value', async () => {
    const returns = '{ name: string, ids: [integer], at: timestamp nullable, state: State }';
    const source = `
      enum State { open, closed }
      model Post { field title { type string } }
      api {
        entrypoint Post {
          POST many "run" { action { execute as made { hook { source code from "code", returns ${returns} } }, respond { body made } } }
          POST many "list" { action { execute as made { hook { source list from "code", returns [string] } }, respond { body made } } }
        }
      }`;
    const fine = { name: 'tea', ids: [1], state: 'open' };
    let result: unknown = fine;
    const app = await run(source, { code: { code: () => result, list: () => ['tea', null] } });
    expect((await app.ask('POST /api/post/run')).json).to.deep.equal({ ...fine, at: null });
    const refused = async (path: string) => {
      const { status, json, text } = await app.ask(`POST /api/post/${path}`);
      expect([status, json.code, json.detail]).to.deep.equal([500, 'internal', undefined]);
      expect(text).to.not.include('marker-of-value');
      const line = app.lines.find(({ requestId }) => requestId === json.requestId) as { readonly err: Error };
      expect(JSON.stringify(line.err.message)).to.not.include('marker-of-value');
      return line.err.message;
    };
    const inJson = { ...fine, toJSON: () => 'marker-of-value' };
    for (const [given, reason] of [
      [{ ...fine, name: 7 }, '`name` must be a string; it is a number'],
      [{ ...fine, ids: [1, 'marker-of-value'] }, '`ids[1]` must be an integer; it is a string'],
      [{ ...fine, ids: 'marker-of-value' }, '`ids` must be a list of integer; it is a string'],
      [{ ...fine, state: 'marker-of-value' }, '`state` must be one of open, closed; it is a string'],
      [{ ids: [], state: 'open' }, '`name` must be a string; it is null or missing'],
      [['marker-of-value'], 'the result must be an object; it is a list'],
      [inJson, 'the result must be an object; it is a string'],
      [undefined, 'the result must be an object; it is null or missing'],
    ] as const) {
      result = given;
      expect(await refused('run')).to.equal(
        `the hook \`code\` of hooks/code.ts returned a value that does not match its \`returns\`: ${reason}`,
      );
    }
    expect(await refused('list')).to.include('item 1 of the result must be a string; it is null');
    result = Object.defineProperty({ ...fine }, 'name', {
      get: () => {
        throw new Error('marker-of-value');
      },
    });
    expect(await refused('run')).to.equal('the hook `code` of hooks/code.ts returned a result that cannot be read');
  });

  it('that was to respond and did not is a 500', async () => {
    const app = await start(nothing);
    expect((await app.ask('POST /api/post/responds')).status).to.equal(500);
  });
});

const FILE = `import { priceOf } from './prices.ts';

export function code(): number {
  return priceOf('tea');
}
export const later = () => null;
`;
const IMPORTED = `interface Price { readonly cents: number }

export function priceOf(name: string): Price['cents'] {
  throw new Error('no price for ' + name);
}
`;

describe('an error in the code of a project', () => {
  afterEach(stopAll);

  it("is logged with the author's own files and lines, and is not in the answer", async () => {
    const folder = projectFolder({ 'main.kiln': PROGRAM, 'hooks/code.ts': FILE, 'hooks/prices.ts': IMPORTED });
    const bundle = await bundleHooks(folder, await definitionIn(folder));
    if (!bundle || !('text' in bundle)) throw new Error('no bundle');
    const hooks = await loadHooks(folder, bundle.text);
    if (typeof hooks === 'string') throw new Error(hooks);
    const app = await run(PROGRAM, { hooks, code: { code: nothing, later: nothing } });
    const { status, text } = await app.ask('POST /api/post/run');
    expect(status).to.equal(500);
    expect(text).to.not.include('price').and.not.include('hooks');
    const { err } = app.lines.find((line) => line.status === 500) as { readonly err: { readonly cause: Error } };
    expect(err).to.include({ message: 'the hook `code` of hooks/code.ts failed' });
    expect(err.cause.message).to.equal('no price for tea');
    const lineOf = (file: string, marker: string) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .findIndex((line) => line.includes(marker)) + 1;
    expect(err.cause.stack).to.include(`${join(folder, 'hooks/prices.ts')}:${lineOf('hooks/prices.ts', 'throw')}:`);
    expect(err.cause.stack).to.include(`${join(folder, 'hooks/code.ts')}:${lineOf('hooks/code.ts', 'return')}:`);
  });
});
