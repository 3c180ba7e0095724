import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundleHooks } from '../../../pipeline/hooks/bundle-hooks.ts';
import { loadHooks } from '../../../pipeline/hooks/load-hooks.ts';
import { definitionIn, projectFolder } from '../../pipeline/project-folder.ts';
import { bearer, type Code, type Running, run, stopAll, until } from './running.ts';

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
  }
}
`;

const nothing: Code = () => null;

describe('a hook', () => {
  afterEach(stopAll);

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
      () => Promise.reject({ status: 500, message: 'marker-of-mistake' }),
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
    ] as const) {
      const app = await start(() => Promise.reject(thrown));
      const answer = await app.ask('POST /api/post/run');
      expect(answer.status).to.equal(status);
      expect(answer.headers['content-type']).to.equal('application/problem+json');
      expect(answer.json).to.include({ status, code, detail: thrown.message });
      expect(await titles(app)).to.deep.equal([]);
    }
  });

  it('that takes too long is a 500, nothing is stored, and the connection is free again', async () => {
    let calls = 0;
    const environment = { HOOK_TIMEOUT: '50ms', DATABASE_POOL_MAX: '1' };
    const app = await start(() => (++calls === 1 ? new Promise(() => undefined) : 'done'), environment);
    expect((await app.ask('POST /api/post/run')).status).to.equal(500);
    expect(await titles(app)).to.deep.equal([]);
    expect(JSON.stringify(app.lines)).to.include('no result within 50 ms');
    expect((await app.ask('POST /api/post/run')).json).to.equal('done');
  });

  it('sees the transaction of its request, and its changes end with it', async () => {
    const app = await start(async (_, { db }) => {
      const before = await db('post').select('title');
      await db('post').insert({ title: 'from the hook' });
      return before;
    });
    expect((await app.ask('POST /api/post/run')).json).to.deep.equal([{ title: 'before' }]);
    expect(await titles(app)).to.deep.equal(['before', 'from the hook']);

    const failing = await start(async (_, { db }) => {
      await db('post').insert({ title: 'from the hook' });
      throw { status: 400, message: 'no' };
    });
    expect((await failing.ask('POST /api/post/run')).status).to.equal(400);
    expect(await titles(failing)).to.deep.equal([]);
  });

  it('cannot end the transaction that it is given', async () => {
    const app = await start(async (_, { db }) => {
      await db.commit();
    });
    expect((await app.ask('POST /api/post/run')).status).to.equal(500);
    expect(await titles(app)).to.deep.equal([]);
  });

  it('has the models of the application, in its transaction', async () => {
    interface Posts {
      query(): { insert(values: object): Promise<unknown>; orderBy(column: string): Promise<{ title: string }[]> };
    }
    const app = await start(async (_, { db }) => {
      const { Post } = db.models as { readonly Post: Posts };
      await Post.query().insert({ title: 'by its model' });
      return (await Post.query().orderBy('id')).map(({ title }) => title);
    });
    expect((await app.ask('POST /api/post/run')).json).to.deep.equal(['before', 'by its model']);
    expect(await titles(app)).to.deep.equal(['before', 'by its model']);
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
