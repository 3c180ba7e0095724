/** Files in a bucket of S3, or of a store that speaks as S3 does. Clients send and read the bytes there by themselves. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { BucketConfig } from '../config/config.ts';
import { attachment, DOWNLOAD_SECONDS, type FileStore, HEAD_BYTES, storeUnavailable, UPLOAD_SECONDS } from './store.ts';

interface Call {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Buffer;
  /** Statuses that are an answer, beside those of success. */
  readonly expects?: readonly number[];
}

type Signed = Omit<ConstructorParameters<typeof AwsV4Signer>[0], 'accessKeyId' | 'secretAccessKey'>;

/** How long a step may take with all of its tries, in milliseconds. The store may need the time to make a copy. */
const LONGEST_STEP = 30_000;

/** The pauses before the second and the third try, in milliseconds. */
const PAUSES = [100, 400];

export function bucketStore(config: BucketConfig, longestStep = LONGEST_STEP): FileStore {
  const cache = new Map<string, ArrayBuffer>();
  const addressOf = (key: string) => `${config.address}${key.startsWith('?') ? '' : '/'}${key}`;
  const signed = (call: Signed) =>
    new AwsV4Signer({ ...call, ...config.credentials, region: config.region, service: 's3', cache }).sign();
  const signedAddress = async (seconds: number, { url, ...call }: Signed): Promise<string> => {
    const lasting = `${url}${url.includes('?') ? '&' : '?'}X-Amz-Expires=${seconds}`;
    const { href } = (await signed({ ...call, url: lasting, signQuery: true, allHeaders: true })).url;
    // Not every store takes a plus for the blank that was signed.
    return href.replaceAll('+', '%20');
  };

  const send = async ({ method, key, headers, body }: Call, signal: AbortSignal): Promise<Response> => {
    const call = await signed({ method, url: addressOf(key), headers });
    return fetch(call.url, { method, headers: call.headers, body: body ?? null, redirect: 'manual', signal });
  };

  /** Repeats what the store could not do at this moment. The time limit is for what `take` reads of the answer, too. */
  const ask = async <T>(call: Call, take: (answer: Response) => Promise<T>): Promise<T> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error('it took too long')), longestStep);
    const attempt = async (): Promise<T | Failure> => {
      try {
        const answer = await send(call, controller.signal);
        return answer.ok || call.expects?.includes(answer.status) ? await take(answer) : await refusalOf(call, answer);
      } catch (error) {
        return error instanceof Failure ? error : failureOf(call, error);
      }
    };
    try {
      for (let at = 0; ; at++) {
        const result = await attempt();
        if (!(result instanceof Failure)) return result;
        const wait = result.isPassing && !controller.signal.aborted ? PAUSES[at] : undefined;
        if (wait === undefined) throw storeUnavailable(result);
        await pause(wait * (0.5 + Math.random()));
      }
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async uploadAddress(id, { type, size }) {
      const expiresAt = new Date(Date.now() + UPLOAD_SECONDS * 1000);
      const headers = { 'content-type': type, 'content-length': String(size) };
      const url = await signedAddress(UPLOAD_SECONDS, { method: 'PUT', url: addressOf(`uploads/${id}`), headers });
      return { url, headers: { 'content-type': type }, expiresAt };
    },
    async write(id, body, { type }) {
      const call: Call = { method: 'PUT', key: `uploads/${id}`, headers: { 'content-type': type }, body };
      // A connection is used again only if its last answer was read.
      await ask(call, (answer) => answer.text());
    },
    async keep(id, check) {
      const source = `uploads/${id}`;
      const headers = { range: `bytes=0-${HEAD_BYTES - 1}` };
      const sent = await ask({ method: 'GET', key: source, headers, expects: [404, 416] }, async (answer) => ({
        ...sizeAndTag(answer),
        status: answer.status,
        head: Buffer.from(await answer.arrayBuffer()),
      }));
      if (sent.status === 404) return false;
      check(sent.status === 416 ? Buffer.alloc(0) : sent.head, sent.size);
      // What was sent in the meantime was not checked.
      const unchanged = { 'x-amz-copy-source': `/${config.bucket}/${source}`, ...sent.ifMatch };
      const copy: Call = { method: 'PUT', key: `files/${id}`, headers: unchanged, expects: [404, 412] };
      return ask(copy, async (answer) => {
        const text = await answer.text();
        if (answer.ok) requireDone(copy, text);
        return answer.ok;
      });
    },
    downloadAddress(id, name, type, method) {
      const query = new URLSearchParams({
        'response-content-type': type,
        'response-content-disposition': attachment(name),
        'response-cache-control': 'private',
      });
      return signedAddress(DOWNLOAD_SECONDS, { method, url: `${addressOf(`files/${id}`)}?${query}` });
    },
    read(id, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` };
      return ask({ method: 'GET', key: `files/${id}`, headers }, async ({ body }) =>
        body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]),
      );
    },
    async remove(ids, which) {
      const folders = which === 'all' ? ['uploads', 'files'] : ['uploads'];
      const keys = folders.flatMap((folder) => ids.map((id) => `${folder}/${id}`));
      for (let at = 0; at < keys.length; at += MOST_REMOVED) {
        const call = removalOf(keys.slice(at, at + MOST_REMOVED));
        await ask(call, async (answer) => requireDone(call, await answer.text()));
      }
    },
  };
}

/** The most keys that S3 removes at once. */
const MOST_REMOVED = 1000;

/** S3 wants to know that the list has arrived as it was sent. Keys are folders and UUIDs, so nothing has to be escaped. */
function removalOf(keys: readonly string[]): Call {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('');
  const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
  const headers = { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') };
  return { method: 'POST', key: '?delete', headers, body };
}

/** The store may find out that it cannot do all of it after it has begun to answer. */
function requireDone(call: Call, text: string): void {
  if (text.includes('<Error>')) throw new Failure(call, codeIn(text), true);
}

/** An answer with a range has a part of the whole: `bytes 0-63/1024`. */
function sizeAndTag({ headers }: Response) {
  const size = Number(headers.get('content-range')?.split('/')[1] ?? headers.get('content-length'));
  const tag = headers.get('etag');
  // An empty file has no range, and the answer about it has no tag.
  return { size, ifMatch: tag === null ? {} : { 'x-amz-copy-source-if-match': tag } };
}

/** Addresses have signatures, so only the place in the bucket and the kind of the error are told. */
class Failure extends Error {
  /** Whether another try may succeed. */
  readonly isPassing: boolean;

  constructor({ method, key }: Call, what: string, isPassing: boolean) {
    super(`the file store failed at ${method} ${key} (${what})`);
    this.isPassing = isPassing;
  }
}

function failureOf(call: Call, error: unknown): Failure {
  const { message, cause } = error as Error;
  return new Failure(call, (cause as NodeJS.ErrnoException | undefined)?.code ?? message, true);
}

async function refusalOf(call: Call, answer: Response): Promise<Failure> {
  const { status } = answer;
  return new Failure(call, `${status} ${codeIn(await answer.text())}`.trim(), status >= 500 || status === 429);
}

function codeIn(text: string): string {
  return /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
}
