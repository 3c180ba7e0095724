import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type Docker from 'dockerode';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import { imageCommands, sandboxContainer } from '../../../pipeline/smoke/sandbox-container.ts';

describe('a command of an image', () => {
  it('that does not finish is reported with the last lines that it wrote, without secrets', async () => {
    const stream = new PassThrough();
    const exec = { start: async () => stream };
    const container = { exec: async () => exec } as unknown as Docker.Container;
    const started = sandboxContainer(container, ['node'], ['geheim'], '127.0.0.1');
    const run = imageCommands(Promise.resolve(started), new AbortController().signal, 50);
    for (let line = 1; line <= 20; line++) stream.write(frame(`line ${line}\n`));
    stream.write(frame('waits for geheim\n'));
    const command = { words: ['migrate'], databaseUrl: 'postgres://', what: 'The migration' };
    const failure = await run(command).catch((error: unknown) => error);
    stream.end();
    expect(failure).to.be.instanceOf(SmokeFailure);
    const { sentence, log } = failure as SmokeFailure;
    expect(sentence).to.equal('The migration does not finish.');
    expect([log.length, log.at(0), log.at(-1)]).to.deep.equal([12, 'line 10', 'waits for ***']);
  });
});

/** As the engine sends what is written to the standard output. */
function frame(text: string): Buffer {
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}
