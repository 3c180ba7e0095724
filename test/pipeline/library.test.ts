/** What `import … from 'kiln-lang'` gives to programs: the compiler, a server, and an application of Express to mount. */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { compile, createApp, type Definition, type HookModules, startServer } from '../../pipeline/library/library.ts';
import { ask } from '../runtime/http/serving.ts';
import { buildOnce } from '../support/build-once.ts';
import { createDatabase } from '../support/postgres.ts';

const NOTES = `
model Note { field text { type string } }
api {
  entrypoint Note as note {
    list endpoint {}
    get endpoint {}
    create endpoint {}
    GET many "tenant" { action { execute as name { hook { source tenant from "code.ts" } } respond { body name } } }
    GET one "own" { action { execute { hook { source own from "code.ts" } responds } } }
  }
}
`;
const MODULE = 'export const tenant = () => 1;\nexport const own = () => 1;\n';

const HOOKS: HookModules = {
  'hooks/code.ts#tenant': (_, context) => (context as { readonly request: { tenant?: string } }).request.tenant ?? null,
  'hooks/code.ts#own': (_, context) =>
    void (context as { readonly response: { end(text: string): unknown } }).response.end('own'),
};

async function definitionOf(text: string): Promise<Definition> {
  const { definition, diagnostics } = await compile([{ path: 'notes.kiln', text }], (path) =>
    path === 'hooks/code.ts' ? MODULE : undefined,
  );
  if (definition === undefined) throw new Error(diagnostics[0]?.message);
  return definition;
}

async function optionsFor(text: string) {
  const definition = await definitionOf(text);
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  const environment = { DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE: '0' };
  return { definition, title: 'notes', environment, hooks: HOOKS };
}

describe('the library', () => {
  it('says all that is wrong with a program', async () => {
    const { definition, diagnostics } = await compile([{ path: 'a.kiln', text: 'model A { reference b { to B } }' }]);
    expect(definition).to.equal(undefined);
    expect(diagnostics.map(({ code, file, start }) => [code, file, start.line])).to.deep.equal([
      ['unknown-model', 'a.kiln', 1],
    ]);
  });

  it('serves a program, and stops', async () => {
    const server = await startServer(await optionsFor(NOTES));
    expect((await ask(server.port, '/api/note')).json).to.deep.equal([]);
    expect(await server.stop()).to.equal(true);
  });

  it('names every variable that is wrong, and every setting', async () => {
    const environment = { PORT: 'x', DATABASE_POOL_MAX: '0' };
    for (const start of [startServer, createApp]) {
      const failure = await start({
        definition: await definitionOf(`setting KEY {} ${NOTES}`),
        title: 'notes',
        environment,
      }).catch((error: Error) => error.message);
      expect(failure)
        .to.include('DATABASE_URL')
        .and.include('PORT')
        .and.include('DATABASE_POOL_MAX')
        .and.include('KEY is not set');
    }
  });

  describe('an application that is mounted', () => {
    /** Asks it below `/shop`, behind middleware of the program's own. */
    async function mounted(front: readonly RequestHandler[], work: (port: number) => Promise<void>): Promise<void> {
      const { app, stop } = await createApp(await optionsFor(NOTES));
      const outer = express();
      outer.get('/hello', (_, response) => void response.send('hello'));
      outer.use('/shop', ...front, app);
      const server = createServer(outer);
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      try {
        await work((server.address() as AddressInfo).port);
      } finally {
        server.closeAllConnections();
        server.close();
        await stop();
      }
    }

    const post = (port: number, text: string) =>
      ask(port, '/shop/api/note', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });

    it('answers below a prefix, and leaves the rest to the program', async () => {
      await mounted([], async (port) => {
        const created = await post(port, 'a');
        expect([created.status, created.headers.location]).to.deep.equal([201, '/shop/api/note/1']);
        expect((await ask(port, String(created.headers.location))).json).to.include({ text: 'a' });
        expect((await ask(port, '/shop/api/note/1/own')).text).to.equal('own');
        expect((await ask(port, '/shop/healthz')).status).to.equal(200);
        expect((await ask(port, '/shop/readyz')).status).to.equal(200);
        expect((await ask(port, '/shop/openapi.json')).status).to.equal(200);
        expect((await ask(port, '/shop/nowhere')).json).to.include({ code: 'not-found' });
        expect((await ask(port, '/hello')).text).to.equal('hello');
        expect((await ask(port, '/api/note')).status).to.equal(404);
      });
    });

    it('runs behind middleware, whose headers are sent, and whose properties hooks see', async () => {
      const front: RequestHandler = (request, response, next) => {
        Object.assign(request, { tenant: request.get('x-tenant') });
        response.set('x-front', 'yes');
        if (request.get('x-tenant') === 'none') response.status(402).send('pay first');
        else next();
      };
      await mounted([front, express.json()], async (port) => {
        const created = await post(port, 'a');
        expect([created.status, created.headers['x-front'], created.json.text]).to.deep.equal([201, 'yes', 'a']);
        const answer = await ask(port, '/shop/api/note/tenant', { headers: { 'x-tenant': 'acme' } });
        expect([answer.json, answer.headers['x-front']]).to.deep.equal(['acme', 'yes']);
        expect((await ask(port, '/shop/api/note', { headers: { 'x-tenant': 'none' } })).status).to.equal(402);
      });
    });

    it('is a 503 after it was stopped', async () => {
      const { app, stop } = await createApp(await optionsFor(NOTES));
      const server = createServer(app);
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo;
      try {
        await stop();
        expect((await ask(port, '/api/note')).status).to.equal(503);
        expect((await ask(port, '/readyz')).status).to.equal(503);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  });

  describe('a process', () => {
    before(buildOnce);

    /** Serves a program that has a hook, or none, and says which packages were loaded for it. */
    const loaded = (hooks: string, awaited = 'pg') => {
      const code = `
        import { createRequire } from 'node:module';
        import { compile, startServer } from ${JSON.stringify(resolve(import.meta.dirname, '../../dist/library.js'))};
        const { definition } = await compile([{ path: 'a.kiln', text: 'model Note { field text { type string } }' }]);
        const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/none', PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE: '0' };
        const server = await startServer({ definition, title: 'notes', environment, hooks: ${hooks} });
        const files = () => Object.keys(createRequire('/').cache).map((file) => file.split('node_modules/').at(-1).split('/')[0]);
        while (!files().includes('${awaited}')) await new Promise((resolve) => setTimeout(resolve, 10));
        await server.stop();
        console.log(['express', 'knex', 'objection'].filter((name) => files().includes(name)).join());
      `;
      const words = ['--input-type=module', '--eval', code];
      return spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 }).stdout;
    };

    it('loads Express, Objection and Knex only for the code of hooks', () => {
      expect(loaded('{}')).to.equal('\n');
      expect(loaded("{ 'hooks/a.js#a': () => 1 }", 'objection')).to.equal('express,knex,objection\n');
    });
  });
});
