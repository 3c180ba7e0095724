/**
 * The log on its way to the standard output of the process. A write costs as much as many lines, because another thread
 * does it. So lines are collected, for at most a quarter of a second or until they are many, and written in their order.
 * What is left is written when the process ends, also when an error that nobody caught ends it.
 */
import { Buffer } from 'node:buffer';
import cluster from 'node:cluster';
import { type DestinationStream, destination } from 'pino';

/** In milliseconds. */
const LONGEST_DELAY = 250;

/** In bytes: how much is written at once. */
const MANY = 1 << 16;

/** In bytes: up to here a pipe takes what is written at once as a whole. Several workers write into the same one. */
const WHOLE = 4096;

let output: LogOutput | null = null;

/** One for the process, however many logs there are. */
export function logOutput(): DestinationStream {
  output ??= new LogOutput(cluster.isWorker ? WHOLE : MANY);
  return output;
}

class LogOutput implements DestinationStream {
  readonly #most: number;
  #stream: ReturnType<typeof destination> | null = null;
  #lines = '';
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(most: number) {
    this.#most = most;
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#most) this.#pass();
    this.#lines += line;
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.#pass(), LONGEST_DELAY);
  }

  flush(done: () => void): void {
    this.#pass();
    if (this.#stream === null) done();
    else this.#stream.flush(done);
  }

  /** pino calls it after a line of the level `fatal`. */
  flushSync(): void {
    this.#pass();
    this.#stream?.flushSync();
  }

  #pass(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#bytes === 0) return;
    this.#stream ??= this.#open();
    this.#stream.write(this.#lines);
    this.#lines = '';
    this.#bytes = 0;
  }

  #open(): ReturnType<typeof destination> {
    // With a length of 1, its `flush` waits for the write that is under way.
    const stream = destination({ dest: 1, sync: false, minLength: 1, maxWrite: this.#most });
    // It ends when nothing is left to do, and an `exit` listener may still log something.
    return stream.once('close', () => {
      this.#stream = null;
    });
  }
}
