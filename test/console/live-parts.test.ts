import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { literalPath } from '../../compiler/definition/contract/routes.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import type { LiveDetails, LiveEvent } from '../../runtime/console/live/live-event.ts';
import { LiveRecorder, RequestRing } from '../../runtime/console/live/live-recorder.ts';
import { RunningRequest } from '../../runtime/console/live/recorded-database.ts';
import { logEntryFrom, SecretNames, shownQuery } from '../../runtime/console/live/secret-names.ts';
import { plainRoute } from '../../runtime/request/exchange.ts';
import type { HttpExchange } from '../../runtime/respond/http-exchange.ts';
import type { RecordedAs } from '../../runtime/respond/request-record.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';

const USERS = [
  { path: 'main.kiln', text: 'model User { field name { type string }  field pin { type string, secret } }' },
];
const RUN = { start: 0, rows: 1, transaction: null, values: [], error: null };

describe('the last requests', () => {
  it('are bounded in number: the oldest go first', () => {
    const ring = new RequestRing({ requests: 3, bytes: 1_000_000 });
    for (const id of [1, 2, 3, 4, 5]) ring.add(details(id));
    expect(ring.summaries.map(({ id }) => id)).to.deep.equal([3, 4, 5]);
    expect(ring.get(2)).to.equal(undefined);
    expect(ring.get(5)?.texts).to.deep.equal(['SELECT 1']);
  });

  it('are bounded in bytes', () => {
    const ring = new RequestRing({ requests: 100, bytes: 5000 });
    for (const id of [1, 2, 3, 4]) ring.add({ ...details(id), texts: ['x'.repeat(2000)] });
    expect(ring.summaries.map(({ id }) => id)).to.deep.equal([3, 4]);
    ring.add({ ...details(5), texts: ['x'.repeat(9000)] });
    expect(ring.summaries).to.deep.equal([]);
  });

  it('have no statements in their summaries', () => {
    const ring = new RequestRing({ requests: 3, bytes: 1_000_000 });
    ring.add(details(1));
    expect(JSON.stringify(ring.summaries)).not.to.include('SELECT');
  });

  it('keep a bounded number of statements each, and count the others', () => {
    const request = new RunningRequest(performance.now());
    for (let at = 0; at < 1005; at++) request.addRun('SELECT 1', RUN);
    expect(request.runs).to.have.lengthOf(1000);
    expect(request).to.include({ dropped: 5, statements: 1005 });
  });

  it('keep the beginning of a long statement', () => {
    const request = new RunningRequest(performance.now());
    request.addRun(`SELECT '${'x'.repeat(1_000_000)}'`, RUN);
    expect(request.texts[0]).to.have.lengthOf(10_000);
  });

  it('do not grow after their response', () => {
    const request = new RunningRequest(performance.now());
    const before = request.beginTransaction('read committed');
    request.end();
    request.addRun('SELECT 1', RUN);
    request.addLog({ level: 'info', message: 'late', data: null });
    request.endTransaction(before, 'committed');
    request.beginTransaction('read committed');
    expect(request).to.include({ statements: 0, databaseMs: 0 });
    expect(request.logs).to.deep.equal([]);
    expect(request.transactions.map(({ outcome }) => outcome)).to.deep.equal(['rolled back']);
  });
});

describe('a reader of the stream', () => {
  it('that reads nothing is disconnected, and gets the requests when it is back', async () => {
    const recorder = new LiveRecorder();
    const slow = new Writable({ write: () => undefined });
    recorder.attach(slow);
    const change = 'x'.repeat(1_000_000);
    for (let count = 1; count <= 20; count++) recorder.updated([change]);
    expect(slow.destroyed).to.equal(true);
    const events: LiveEvent[] = [];
    const write = (chunk: Buffer, _: string, done: () => void) => {
      events.push(JSON.parse(chunk.toString()));
      done();
    };
    recorder.attach(new Writable({ write }));
    await turn();
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.include({ kind: 'hello', updates: 20 });
    recorder.close();
  });
});

describe('a request that is over', () => {
  before(() => loadGrammar());

  const ROUTE = '/api/post';
  const OWN = '/_console/data';
  for (const [method, pattern, status, level, isRecorded] of [
    // Refused before its route was called, as a busy server does.
    ['GET', ROUTE, 503, 'info', true],
    ['GET', null, 404, 'info', true],
    ['GET', OWN, 200, 'debug', false],
    ['GET', '/docs/assets/:name', 304, 'debug', false],
    // A browser that no longer reads the stream.
    ['GET', OWN, 499, 'debug', false],
    ['GET', OWN, 403, 'info', false],
    ['PATCH', OWN, 204, 'info', false],
    ['GET', OWN, 500, 'error', false],
  ] as const) {
    it(`with ${method} ${pattern} and ${status} is logged at ${level}${isRecorded ? ', and recorded' : ''}`, () => {
      const recorder = new LiveRecorder();
      const handle = async () => null;
      recorder.routes([plainRoute('GET', literalPath('api', 'post'), handle)], definitionOf(USERS), {});
      const lines: string[] = [];
      const log = pino(
        { level: 'debug', formatters: { level: (label) => ({ level: label }) } },
        {
          write: (line: string) => void lines.push(line),
        },
      );
      const exchange = { id: 'r', method, path: pattern ?? '/nowhere', queryString: '', startedAt: 0 } as HttpExchange;
      const error = status === 500 ? new Error('broken') : undefined;
      const tally = { observe: () => undefined } as unknown as RecordedAs['tally'];
      recorder.record(log, exchange, { pattern, tally, isQuiet: false }, { status, bytes: 0, error });
      expect(lines.map((line) => JSON.parse(line).level)).to.deep.equal([level]);
      expect(recorder.details(1)?.status).to.equal(isRecorded ? status : undefined);
    });
  }
});

describe('what is secret', () => {
  before(() => loadGrammar());

  const secrets = () => new SecretNames(definitionOf(USERS));

  it('is not kept of a statement that names a secret column or a table of Kiln', () => {
    expect(secrets().shownValues('SELECT "name" FROM "user" WHERE "name" = $1', ['Ann'])).to.deep.equal(['Ann']);
    expect(secrets().shownValues('UPDATE "user" SET "pin" = $1', ['1234'])).to.equal(null);
    expect(secrets().shownValues('SELECT 1 FROM "kiln_tokens" WHERE "token_hash" = $1', ['x'])).to.equal(null);
    expect(secrets().shownValues('SELECT * FROM x WHERE spinning = $1', ['x'])).to.deep.equal(['x']);
  });

  it('is not kept of a query string', () => {
    expect(shownQuery('page=2&access_token=abc&code=x&title=hello')).to.equal(
      'page=2&access_token=[not shown]&code=[not shown]&title=hello',
    );
  });

  it('is not kept of a log', () => {
    const line = { level: 'info', time: 1, requestId: 'r', msg: 'sent', to: 'Ann', user: { password: 'hunter2' } };
    const logged = { ...line, headers: { cookie: 'a=b' }, row: { pin: '1234' } };
    const entry = logEntryFrom(JSON.stringify(logged), secrets());
    expect(entry).to.deep.include({ level: 'info', message: 'sent' });
    expect(entry.data)
      .to.include('Ann')
      .and.not.to.include('hunter2')
      .and.not.to.include('a=b')
      .and.not.to.include('1234');
  });
});

function details(id: number): LiveDetails {
  return {
    id,
    requestId: 'r',
    at: 0,
    method: 'GET',
    path: '/api/post',
    query: '',
    route: '/api/post',
    status: 200,
    caller: null,
    ms: 1,
    bytes: 2,
    statements: 1,
    databaseMs: 1,
    repeats: 1,
    problem: null,
    texts: ['SELECT 1'],
    runs: [],
    dropped: 0,
    transactions: [],
    hooks: [],
    logs: [],
    error: null,
  };
}
