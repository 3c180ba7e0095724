import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createLog, logPlain } from '../../../runtime/observe/log.ts';
import { bundled } from '../../support/bundled.ts';

const COUNT = 3000;

interface Line {
  readonly by: number;
  readonly at: number;
}

describe('the output of the log', () => {
  let script: string;
  before(() => {
    script = bundled(import.meta.resolve('./log-writer.ts'));
  });

  /** Reads slowly, so that the pipe is full while the process ends. */
  async function linesOf(ending: string): Promise<readonly Line[]> {
    const child = spawn(process.execPath, [script, ending, String(COUNT)], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.setEncoding('utf8');
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      await sleep(2);
    }
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

  for (const [ending, what] of [
    ['end', 'has nothing left to do'],
    ['exit', 'exits'],
    ['error', 'is ended by an error that nobody caught'],
  ] as const) {
    it(`has all lines in their order where the process ${what}`, async () => {
      expect((await linesOf(ending)).map(({ at }) => at)).to.deep.equal(numbers(COUNT));
    });
  }

  it('has a line of the level `fatal`, and all before it, when the call returns', async () => {
    expect((await linesOf('fatal')).map(({ at }) => at)).to.deep.equal(numbers(COUNT + 1));
  });

  it('has whole lines where two processes write into the same pipe', async () => {
    const lines = await linesOf('workers');
    for (const worker of [1, 2]) {
      const own = lines.filter(({ by }) => by === worker);
      expect(own.map(({ at }) => at)).to.deep.equal(numbers(COUNT));
    }
  });
});

describe('a plain line of the log', () => {
  const ODD = ['"\\\n\u0000\u007f\u2028', 'é…😀', ''];

  it('is the same as one of pino', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => lines.push(line) });
    for (const text of ODD) {
      const line = { requestId: text, path: text, route: null, status: 200, durationMs: 0.125, bytes: 0 };
      log.warn(line, 'request');
      logPlain(log, 'warn', line, 'request');
      // A log that was made elsewhere.
      logPlain(log.child({}), 'warn', line, 'request');
    }
    const withoutTime = lines.map((line) => line.replace(/"time":"[^"]+"/, ''));
    for (const at of ODD.keys()) expect(new Set(withoutTime.slice(at * 3, at * 3 + 3)).size, ODD[at]).to.equal(1);
  });

  it('is left out below the level of the log', () => {
    const lines: string[] = [];
    logPlain(createLog('warn', { write: (line) => lines.push(line) }), 'info', { status: 200 }, 'request');
    expect(lines).to.deep.equal([]);
  });
});
