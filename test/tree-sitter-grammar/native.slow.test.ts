/** The native engine has memory of its own, which it empties after each text and keeps for the next. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { native, wasm } from './engines.ts';

const ADDON = fileURLToPath(new URL('../../tree-sitter-grammar/build/kiln.node', import.meta.url));
const MODEL = 'model A { field b { type string, default "c" } }\n';
const BROKEN = 'model A { field b { type string, default } }}}\nmodel {';

/** Parses each text many times, beside the other threads, and says what it has seen. */
const THREAD = `
const { parentPort, workerData: { addon, texts, times } } = require('node:worker_threads');
const { sExpression } = require(addon);
const seen = new Set();
for (let time = 0; time < times; time++) seen.add(JSON.stringify(texts.map(sExpression)));
parentPort.postMessage([...seen]);
`;

/** Each load has an environment of its own, and gives back the memory of the thread at its end. */
const LOADED_TWICE = `
const first = require(ADDON);
delete require.cache[require.resolve(ADDON)];
const second = require(ADDON);
console.log(first !== second, [first, second].map(({ sExpression }) => sExpression('model A {}')).join());
`;

/** Only the threads load it, one after the other, so each of them loads it anew. The first ones are for Node itself. */
const LOADED_BY_THREADS = `
const { once } = require('node:events');
const { Worker } = require('node:worker_threads');
async function threads(count) {
  for (let thread = 0; thread < count; thread++)
    await once(new Worker('require(' + JSON.stringify(ADDON) + ')', { eval: true }), 'exit');
}
threads(20).then(async () => {
  const before = process.memoryUsage.rss();
  await threads(60);
  console.log(process.memoryUsage.rss() - before);
});
`;

describe('the native engine', () => {
  before(function () {
    if (!native) this.skip();
  });

  it('gives the same tree before and after a text that needs far more memory', () => {
    const small = native?.parse(MODEL);
    // Its tree takes more than is kept between two texts.
    const large = native?.parse(MODEL.repeat(20_000));
    expect(large?.length).to.be.greaterThan(20_000 * 20);
    expect(native?.parse(MODEL)).to.deep.equal(small);
    expect(native?.parse(BROKEN)).to.deep.equal(wasm.parse(BROKEN));
  });

  it('gives the same trees on several threads at once', async () => {
    const texts = [MODEL, BROKEN, MODEL.repeat(500), BROKEN.repeat(20)];
    const expected = JSON.stringify(texts.map((text) => wasm.sExpression(text)));
    const seen = await Promise.all(Array.from({ length: 3 }, () => seenByThread(texts)));
    for (const each of seen) expect(each).to.deep.equal([expected]);
  });

  it('can be loaded twice by one thread', () => {
    const tree = '(source_file (model name: (identifier) body: (model_body)))';
    expect(printedBy(LOADED_TWICE)).to.equal(`true ${tree},${tree}`);
    const inThread = `new (require('node:worker_threads').Worker)(${JSON.stringify(withAddon(LOADED_TWICE))}, { eval: true })`;
    expect(printedBy(inThread)).to.equal(`true ${tree},${tree}`);
  });

  it('leaves nothing behind where it is unloaded', () => {
    // One table that stays for each thread is 47 MB.
    expect(Number(printedBy(LOADED_BY_THREADS))).to.be.below(25_000_000);
  });
});

/** In a process of its own, which may end badly. */
function printedBy(script: string): string {
  return execFileSync(process.execPath, ['-e', withAddon(script)], { encoding: 'utf8' }).trim();
}

function withAddon(script: string): string {
  return `const ADDON = ${JSON.stringify(ADDON)};\n${script}`;
}

async function seenByThread(texts: readonly string[]): Promise<unknown> {
  const worker = new Worker(THREAD, { eval: true, workerData: { addon: ADDON, texts, times: 10 } });
  const [seen] = await once(worker, 'message');
  await worker.terminate();
  return seen;
}
