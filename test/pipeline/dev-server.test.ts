import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { textOfLogLine } from '../../pipeline/cli/dev.ts';
import { DevServer, type DevTools, type Project } from '../../pipeline/dev/dev-server.ts';
import { type Decision, SyncRefusal } from '../../pipeline/dev/sync.ts';
import type { StartedServer } from '../../runtime/serve.ts';
import { createDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const WITH_STARS = 'model Post { field title { type string }  field stars { type integer, default 5 } }';
const WITHOUT_STARS = 'model Post { field title { type string } }';

/** The turns of `kiln dev`, without its terminal and its server. */
describe('the turns of kiln dev', () => {
  const said: string[] = [];
  const decisions: string[] = [];
  let text = WITH_STARS;
  let decide: (signal: AbortSignal) => Promise<Decision>;
  let server: DevServer;

  before(async () => {
    await loadGrammar();
    const { url } = await createDatabase();
    server = new DevServer(toolsFor(url));
  });
  after(() => server.stop());

  function toolsFor(databaseUrl: string): DevTools {
    return {
      folder: '.',
      databaseUrl,
      hasDocs: true,
      printedKey: 'the-key',
      live: { compiled: () => undefined, updated: () => undefined },
      compile: async () => projectOf(text),
      decide: (_loss, _project, signal) => decide(signal),
      start: async () =>
        ({ url: 'http://localhost', reload: () => undefined, stop: async () => undefined }) as unknown as StartedServer,
      populate: async () => undefined,
      say: (line) => said.push(line),
      hasColour: false,
      complain: (error) => {
        if (error instanceof SyncRefusal) decisions.push(error.decision);
        return error instanceof SyncRefusal;
      },
    };
  }

  it('count from when they began', async () => {
    await server.update(performance.now() - 60_000);
    expect(said.slice(0, -1)).to.include('  key       the-key (the console asks for it)');
    expect(Number(/^Ready after (\d+) ms$/.exec(said.at(-1) as string)?.[1])).to.be.greaterThan(60_000);
  });

  it('end without an error where somebody declines', async () => {
    text = WITHOUT_STARS;
    decide = async () => 'cancelled';
    await server.update();
    expect(decisions).to.deep.equal(['cancelled']);
  });

  it('end their question when the sources change', async () => {
    await ask();
    text = WITH_STARS;
    await server.update();
    expect(decisions.slice(1)).to.deep.equal(['sources-changed']);
    expect(said.at(-1)).to.match(/^Ready after/);
  });

  it('do nothing for a browser that has gone', async () => {
    await server.reset(AbortSignal.abort());
    expect(said).to.not.include('The console has emptied the database');
    await server.reset(new AbortController().signal);
    expect(said).to.include('The console has emptied the database');
  });

  it('let the console wait for no question, and end it with the command', async () => {
    text = WITHOUT_STARS;
    await ask();
    const { signal } = new AbortController();
    for (const refused of [server.reset(signal), server.populate('Dev', () => undefined, signal)]) {
      const message = await refused.catch((error: Error) => error.message);
      expect(message).to.equal('Answer the question about lost data first');
    }
    const before = decisions.length;
    await server.stop();
    expect(decisions).to.have.lengthOf(before);
  });

  /** Until there is a question that nobody answers. */
  async function ask(): Promise<void> {
    let isAsked = false;
    decide = (signal) =>
      new Promise((resolve) => {
        isAsked = true;
        signal.addEventListener('abort', () => resolve('unanswered'));
      });
    void server.update();
    await until(() => isAsked);
  }
});

describe('the log of kiln dev', () => {
  const textOf = (line: object) =>
    textOfLogLine(JSON.stringify({ level: 'info', msg: 'request', ...line }), '/project');

  it('has a line for a request of the console only where it is refused', () => {
    const request = { method: 'PATCH', path: '/_console/data/Post/1', durationMs: 1 };
    expect(textOf({ ...request, status: 204 })).to.equal(undefined);
    expect(textOf({ ...request, status: 403 })).to.equal('PATCH  403 /_console/data/Post/1 1.0 ms');
    expect(textOf({ ...request, path: '/api/post', status: 200 })).to.equal('PATCH  200 /api/post 1.0 ms');
  });

  it('has the lines that hooks write about a request, and no others that change nothing', () => {
    const line = { time: 1, pid: 2, hostname: 'here', msg: 'charging' };
    expect(textOf({ ...line, requestId: 'a.1', sku: 'tea' })).to.equal('info: charging {"sku":"tea"}');
    expect(textOf({ ...line, requestId: 'a.1', level: 'debug' })).to.equal('debug: charging');
    expect(textOf(line)).to.equal(undefined);
  });

  it('says which job was done, and which failed, and why', () => {
    const tried = { job: 'SendReceipt', jobId: '12', attempt: 2, durationMs: 3.14 };
    expect(textOf({ ...tried, msg: 'job' })).to.equal('JOB    done SendReceipt 12 3.1 ms');
    const failed = { ...tried, level: 'warn', msg: 'a job failed', isLast: false, reason: 'no mail server' };
    expect(textOf(failed)).to.equal('warn: a job failed (the job SendReceipt 12, try 2, 3.1 ms)\n  no mail server');
    expect(textOf({ level: 'warn', msg: 'slow', hook: 'sendMail' })).to.equal('warn: slow (the hook sendMail)');
    expect(textOf({ level: 'warn', msg: 'slow' })).to.equal('warn: slow');
  });
});

function projectOf(text: string): Project {
  const { definition } = compile([{ path: 'app.kiln', text }]);
  return {
    definition: definition as Definition,
    hooks: {},
    settings: {},
    openApi: () => '{}',
    problemsText: () => '',
    problemsShown: () => [],
    renames: { placeOf: () => undefined, write: () => false },
    placesAgainst: () => () => null,
  };
}
