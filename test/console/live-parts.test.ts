import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import type { LiveEvent } from '../../runtime/console/live/live-event.ts';
import { LiveReader } from '../../runtime/console/live/live-reader.ts';
import type { LiveDetails } from '../../runtime/console/live/live-request.ts';
import { logEntryFrom } from '../../runtime/console/live/log-entry.ts';
import { RequestRing } from '../../runtime/console/live/request-ring.ts';
import { RunningRequest } from '../../runtime/console/live/running-request.ts';
import { SecretNames, shownQuery } from '../../runtime/console/live/secret-names.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';

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
    const run = { start: 0, rows: 1, transaction: null, values: [], error: null };
    for (let at = 0; at < 1005; at++) request.addRun('SELECT 1', run);
    expect(request.runs).to.have.lengthOf(1000);
    expect(request).to.include({ dropped: 5, statements: 1005 });
  });
});

describe('a reader of the stream', () => {
  it('that is slow loses the oldest events and is told how many', async () => {
    const output = new SlowOutput();
    const reader = new LiveReader(output);
    for (let count = 1; count <= 700; count++) reader.send({ kind: 'updated', updates: count, changes: [] });
    expect(output.events).to.have.lengthOf(1);
    output.open();
    while (output.events.length < 502) await turn();
    expect(output.events[1]).to.deep.equal({ kind: 'lost', count: 199 });
    expect(output.events[2]).to.deep.equal({ kind: 'updated', updates: 201, changes: [] });
    expect(output.events.at(-1)).to.deep.equal({ kind: 'updated', updates: 700, changes: [] });
  });
});

describe('what is secret', () => {
  before(() => loadGrammar());

  const secrets = () =>
    new SecretNames(
      definitionOf([
        { path: 'main.kiln', text: 'model User { field name { type string }  field pin { type string, secret } }' },
      ]),
    );

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
    const entry = logEntryFrom(JSON.stringify({ ...line, headers: { cookie: 'a=b' } }));
    expect(entry).to.deep.include({ level: 'info', message: 'sent' });
    expect(entry.data).to.include('Ann').and.not.to.include('hunter2').and.not.to.include('a=b');
  });
});

/** Takes one write, and no more until it is opened. */
class SlowOutput extends Writable {
  readonly events: LiveEvent[] = [];
  #isOpen = false;
  #next: (() => void) | null = null;

  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  open(): void {
    this.#isOpen = true;
    this.#next?.();
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.events.push(JSON.parse(chunk) as LiveEvent);
    if (this.#isOpen) done();
    else this.#next = done;
  }
}

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
    logs: [],
    error: null,
  };
}
