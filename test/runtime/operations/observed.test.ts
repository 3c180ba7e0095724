import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { bearer, type Running, run, stopAll } from './running.ts';

const SHOP = `
model User { field email { type string, unique }, field hash { type string, secret }, field phone { type string, nullable } }
auth { model User, login email, password hash }
model Note {
  field text { type string, unique, validate { maxLength(40) } }
  field pin { type string, secret, nullable }
}
api {
  entrypoint Note as note {
    list endpoint { paginable }
    get endpoint {}
    create endpoint {}
    POST one "fail" { extra inputs { field why { type string } }, action { execute { hook { arg pin note.pin, arg why why, source fail from "code" } } } }
    GET one "own" { action { execute { hook { source own from "code" } responds } } }
  }
}
`;

const code = {
  fail: () => {
    throw new Error('the hook has failed');
  },
  own: (_: unknown, { response }: { readonly response: { end(text: string): unknown } }) => void response.end('own'),
};

describe('what is observed of requests', () => {
  for (const lane of ['fast', 'express'] as const) {
    describe(`on the ${lane} lane`, () => {
      let app: Running;

      beforeEach(async () => {
        app = await run(SHOP, { lane, code, environment: { BODY_LIMIT: '1kb', METRICS_PORT: '0' } });
      });
      afterEach(stopAll);

      const requests = () => app.lines.filter(({ msg }) => msg === 'request');

      it('is one line of the log for each, with what it was', async () => {
        await app.ask('POST /api/note', { text: 'a' }, { 'x-request-id': 'first' });
        await app.ask('GET /api/note/1/own?q=1', undefined, { 'x-request-id': 'second' });
        await app.ask('GET /nowhere', undefined, { 'x-request-id': 'third' });
        await app.ask('POST /api/note/1/fail', { why: 'x' }, { 'x-request-id': 'fourth' });
        await until(() => requests().length === 4);
        const seen = requests().map(({ time, durationMs, bytes, err, ...line }) => {
          expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
          expect(durationMs).to.be.a('number');
          return line;
        });
        const line = (
          level: string,
          requestId: string,
          method: string,
          path: string,
          route: unknown,
          status: number,
        ) => ({
          level,
          requestId,
          method,
          path,
          route,
          status,
          msg: 'request',
        });
        expect(seen).to.have.deep.members([
          line('info', 'first', 'POST', '/api/note', '/api/note', 201),
          line('info', 'second', 'GET', '/api/note/1/own', '/api/note/:note_id/own', 200),
          line('info', 'third', 'GET', '/nowhere', null, 404),
          line('error', 'fourth', 'POST', '/api/note/1/fail', '/api/note/:note_id/fail', 500),
        ]);
      });

      it('has no secret, no body and no token in it', async () => {
        const marker = (name: string) => `marker-${name}-${Math.random().toString(36).slice(2)}`;
        const secrets = Object.fromEntries(
          ['password', 'phone', 'text', 'pin', 'query', 'cookie', 'why'].map((name) => [name, marker(name)]),
        );
        const { password, phone, text, pin, query, cookie, why } = secrets as Record<string, string>;
        const user = { email: 'a@example.com', password, phone };
        await app.ask('POST /api/auth/register', user);
        await app.ask('POST /api/auth/register', user);
        const { json } = await app.ask('POST /api/auth/login', user);
        const headers = { ...bearer(json.token), cookie: `sid=${cookie}` };
        await app.ask('POST /api/auth/login', { ...user, password: `${password}-wrong` });
        await app.ask('POST /api/note', { text, pin }, headers);
        await app.ask('POST /api/note', { text, pin }, headers);
        await app.ask('POST /api/note', { text: `${text}${'x'.repeat(50)}`, pin: [pin] }, headers);
        await app.ask('POST /api/note', { text: text?.repeat(100) }, headers);
        await app.ask('POST /api/note/1/fail', { why }, headers);
        await app.ask(`GET /api/note?page=${query}`, undefined, headers);
        await app.ask('GET /api/auth/me', undefined, bearer(`${json.token}x`));
        await app.ask('POST /api/auth/logout', undefined, headers);
        await until(() => requests().length === 12);
        const log = JSON.stringify(app.lines);
        for (const [name, secret] of Object.entries({ ...secrets, token: String(json.token) }))
          expect(log, name).to.not.include(secret);
        const { rows } = await app.database.client.query('SELECT hash FROM "user"');
        expect(log).to.not.include(rows[0].hash);
      });

      it('is counted by route and status', async () => {
        await app.ask('POST /api/note', { text: 'a' });
        await app.ask('POST /api/note', { text: 'b' });
        await app.ask('POST /api/note', {});
        await app.ask('GET /api/note/1');
        await app.ask('GET /api/note/2');
        await app.ask('GET /api/note/3');
        await app.ask('GET /other');
        const { text, headers } = await ask(app.application.metricsPort ?? 0, '/metrics');
        expect(headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/);
        const count = (method: string, route: string, status: number) =>
          new RegExp(
            `^http_request_duration_seconds_count\\{method="${method}",route="${route}",status="${status}"\\} (\\d+)$`,
            'm',
          ).exec(text)?.[1];
        expect(count('POST', '/api/note', 201)).to.equal('2');
        expect(count('POST', '/api/note', 422)).to.equal('1');
        expect(count('GET', '/api/note/:note_id', 200)).to.equal('2');
        expect(count('GET', '/api/note/:note_id', 404)).to.equal('1');
        expect(count('GET', 'unmatched', 404)).to.equal('1');
        expect(text).to.match(/^kiln_database_connections\{state="open"\} [1-9]\d*$/m);
        expect(text).to.match(/^nodejs_eventloop_lag_seconds /m);
        expect(text, 'no route has an identifier in its name').to.not.include('/api/note/1');
      });
    });
  }
});

describe('the metrics', () => {
  afterEach(stopAll);

  it('are nowhere unless METRICS_PORT is set', async () => {
    const app = await run(SHOP, { code });
    expect(app.application.metricsPort).to.equal(null);
    expect((await app.ask('GET /metrics')).status).to.equal(404);
  });

  it('are on a port of their own, beside the probes, and there is nothing of the API', async () => {
    const app = await run(SHOP, { code, environment: { METRICS_PORT: '0' } });
    const port = app.application.metricsPort ?? 0;
    expect(port).to.not.equal(app.port);
    const statuses = async (at: number) =>
      Promise.all(['/metrics', '/healthz', '/readyz', '/api/note'].map(async (path) => (await ask(at, path)).status));
    expect(await statuses(port)).to.deep.equal([200, 200, 200, 404]);
    expect(await statuses(app.port)).to.deep.equal([404, 200, 200, 200]);
  });

  it('are beside the API where METRICS_PORT is PORT', async () => {
    const port = String(await freePort());
    const app = await run(SHOP, { code, environment: { PORT: port, METRICS_PORT: port } });
    expect((await app.ask('GET /metrics')).status).to.equal(200);
  });

  it('refuse a port that is in use, and leave no other behind', async () => {
    const other = await run(SHOP, { code });
    const port = String(await freePort());
    const environment = { PORT: port, METRICS_PORT: String(other.port) };
    const error = await run(SHOP, { code, environment }).catch((reason: Error) => reason.message);
    expect(error).to.equal(`Port ${other.port} is in use. Stop the other program, or set METRICS_PORT.`);
    const again = await run(SHOP, { code, environment: { PORT: port } });
    expect((await again.ask('GET /healthz')).status).to.equal(200);
  });
});
