/** A store that speaks as S3 does and refuses what is signed wrongly, and that fails where a test asks for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface S3rver {
  configureBuckets(): Promise<void>;
  callback(): RequestListener;
}

/** The package has no types. */
const Store = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3rver;

/** As docs/files.md asks for it. */
const CORS = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedHeader>*</AllowedHeader>
  <AllowedMethod>PUT</AllowedMethod><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;

/** What becomes of a request: null for the store's own answer, a status, silence, or a closed connection. */
type Fault = null | number | 'hang' | 'drop';

export interface Bucket {
  /** For `FILES_URL`. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Methods and paths without their queries, in the order in which they came; a DELETE for each key of a list to remove. */
  readonly requests: string[];
  fault: (request: IncomingMessage) => Fault;
  close(): Promise<void>;
}

export async function startBucket(): Promise<Bucket> {
  const directory = await mkdtemp(join(tmpdir(), 'kiln-bucket-'));
  const store = new Store({
    directory,
    silent: true,
    configureBuckets: [{ name: 'uploads-of-tests', configs: [CORS] }],
  });
  await store.configureBuckets();
  const answer = store.callback();
  const server = createServer((request, response) => {
    bucket.requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    const fault = bucket.fault(request);
    if (fault === null && request.url?.endsWith('?delete')) noteRemoved(request, bucket.requests);
    if (fault === null) answer(request, response);
    else if (fault === 'drop') request.socket.destroy();
    else if (fault !== 'hang')
      response.writeHead(fault, { 'content-range': 'bytes */0' }).end('<Error><Code>SlowDown</Code></Error>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `s3://uploads-of-tests?endpoint=http://127.0.0.1:${port}&region=us-east-1`;
  const bucket: Bucket = {
    url,
    environment: { FILES_URL: url, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    requests: [],
    fault: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
  return bucket;
}

/** Reads along with the store, as soon as it reads: bytes do not wait for those that come later. */
function noteRemoved(request: IncomingMessage, requests: string[]): void {
  const chunks: Buffer[] = [];
  const readAlong = (event: string | symbol) => {
    if (event !== 'data') return;
    request.off('newListener', readAlong);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
  };
  request.on('newListener', readAlong).on('end', () => {
    const keys = Buffer.concat(chunks)
      .toString()
      .matchAll(/<Key>(.*?)<\/Key>/g);
    for (const [, key] of keys) requests.push(`DELETE /uploads-of-tests/${key}`);
  });
}

/** A picture of one point. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
