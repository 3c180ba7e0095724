/** Both stores do the same: what a client was allowed to send, and nothing else, is kept. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { configFromEnvironment } from '../../../runtime/config/config.ts';
import { ApiError } from '../../../runtime/errors/api-error.ts';
import { bucketStore } from '../../../runtime/files/bucket-store.ts';
import { folderStore } from '../../../runtime/files/folder-store.ts';
import { openStore } from '../../../runtime/files/open-store.ts';
import { attachment, type FileStore } from '../../../runtime/files/store.ts';
import { type Bucket, PNG, startBucket } from './bucket.ts';

const FORM = { type: 'image/png', size: PNG.length };
const accepted = () => undefined;

function configOf(environment: Readonly<Record<string, string>>) {
  const read = configFromEnvironment({ DATABASE_URL: 'postgres://localhost/x', ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  if (!read.config.files) throw new Error('no store');
  return read.config.files;
}

describe('stores of files', () => {
  let bucket: Bucket;
  let folder: string;
  const stores = new Map<string, FileStore>();

  before(async () => {
    bucket = await startBucket();
    folder = await mkdtemp(join(tmpdir(), 'kiln-files-'));
    stores.set('folder', await openStore(configOf({ FILES_URL: pathToFileURL(folder).href })));
    stores.set('bucket', await openStore(configOf(bucket.environment)));
  });
  beforeEach(() => {
    bucket.fault = () => null;
    bucket.requests.length = 0;
  });
  after(async () => {
    await bucket.close();
    await rm(folder, { recursive: true });
  });

  it('name a file so that no client takes it for more than a name', () => {
    expect(attachment('../a"\r\nü.png')).to.equal(
      `attachment; filename=".._a____.png"; filename*=UTF-8''.._a___%C3%BC.png`,
    );
  });

  for (const kind of ['folder', 'bucket']) {
    describe(`a ${kind}`, () => {
      const store = () => stores.get(kind) as FileStore;
      const written = async (bytes: Buffer = PNG): Promise<string> => {
        const id = randomUUID();
        await store().write(id, bytes, { type: 'image/png', size: bytes.length });
        return id;
      };

      it('keeps what was written, and gives it back, whole or in part', async () => {
        const id = await written();
        const seen: [number, number][] = [];
        expect(await store().keep(id, (head, size) => void seen.push([head.compare(PNG), size]))).to.equal(true);
        expect(seen).to.deep.equal([[0, PNG.length]]);
        expect((await buffer(await store().read(id))).equals(PNG)).to.equal(true);
        const part = await buffer(await store().read(id, { start: 1, end: 3 }));
        expect(part.toString()).to.equal('PNG');
      });

      it('has nothing under an id that nobody has sent anything to', async () => {
        expect(await store().keep(randomUUID(), accepted)).to.equal(false);
      });

      it('shows the size of an empty file', async () => {
        const id = await written(Buffer.alloc(0));
        // This store breaks off in such a case. Others answer so.
        bucket.fault = ({ method }) => (method === 'GET' ? 416 : null);
        const seen: number[] = [];
        await store().keep(id, (head, size) => void seen.push(head.length, size));
        expect(seen).to.deep.equal([0, 0]);
      });

      it('keeps nothing that is refused', async () => {
        const id = await written();
        const refused = () => {
          throw new Error('refused');
        };
        expect(await errorOf(store().keep(id, refused))).to.have.property('message', 'refused');
        expect(await errorOf(store().read(id))).to.be.instanceOf(ApiError);
        expect(await store().keep(id, accepted), 'it may be looked at again').to.equal(true);
      });

      it('does not change what it keeps when something else is sent', async () => {
        const id = await written();
        await store().keep(id, accepted);
        await store().write(id, Buffer.from('<html>'), { type: 'image/png', size: 6 });
        expect((await buffer(await store().read(id))).equals(PNG)).to.equal(true);
      });

      it('removes uploads without what was kept, then both, and again', async () => {
        const id = await written();
        await store().keep(id, accepted);
        await store().remove([id], 'upload');
        expect(await store().keep(id, accepted)).to.equal(false);
        expect((await buffer(await store().read(id))).equals(PNG)).to.equal(true);
        await store().remove([id], 'all');
        expect(await errorOf(store().read(id))).to.be.instanceOf(ApiError);
        await store().remove([id], 'all');
      });

      it('takes ids that are no paths', async () => {
        if (kind === 'folder')
          expect(await errorOf(store().write('../../x', PNG, FORM))).to.have.property(
            'message',
            'the id of a file is not a UUID',
          );
      });
    });
  }

  describe('a folder', () => {
    it('signs with a key that whoever shares it has', async () => {
      const [first, second] = [folderStore(folder), folderStore(folder)];
      const id = randomUUID();
      const { url } = await first.uploadAddress(id, FORM);
      const query = new URL(url, 'http://x').searchParams;
      const request = { headers: { 'content-type': 'text/html', 'content-length': String(PNG.length) } };
      const error = await errorOf(second.receive?.(id, query, request as never));
      expect(error, 'the signature is right, the type is not').to.have.property('code', 'unsupported-media-type');
      query.set('size', '1');
      expect(await errorOf(second.receive?.(id, query, request as never))).to.have.property('code', 'forbidden');
    });

    it('leaves nothing of a file that does not fit', async () => {
      const { full, left } = await whereFilesAreSmall(folder);
      expect(full).to.include({ status: 507, code: 'store-full', message: 'The file store is full.' });
      expect(left).to.deep.equal([]);
    });
  });

  describe('a bucket', () => {
    const store = () => stores.get('bucket') as FileStore;

    it('takes exactly what the address was signed for', async () => {
      const put = async (body: Buffer, type: string, change = (url: string) => url): Promise<number> => {
        const { url } = await store().uploadAddress(randomUUID(), FORM);
        return (await fetch(change(url), { method: 'PUT', body, headers: { 'content-type': type } })).status;
      };
      expect(await put(PNG, 'image/png')).to.equal(200);
      expect(await put(PNG.subarray(1), 'image/png'), 'another length').to.equal(403);
      expect(await put(PNG, 'text/html'), 'another type').to.equal(403);
      const other = (url: string) => url.replace(/uploads\/[\w-]+/, `uploads/${randomUUID()}`);
      expect(await put(PNG, 'image/png', other), 'another id').to.equal(403);
    });

    it('is read from an address for five minutes, as an attachment of the name', async () => {
      const id = randomUUID();
      await store().write(id, PNG, FORM);
      await store().keep(id, accepted);
      const address = await store().downloadAddress(id, 'a b.png', 'image/png', 'GET');
      const answer = await fetch(address ?? '');
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-disposition')).to.equal('attachment; filename="a b.png"');
      expect(answer.headers.get('content-type')).to.equal('image/png');
      expect(new URL(address ?? '').searchParams.get('X-Amz-Expires')).to.equal('300');
    });

    it('copies only what was looked at', async () => {
      const id = randomUUID();
      await store().write(id, PNG, FORM);
      const tags: unknown[] = [];
      bucket.fault = ({ method, headers }) => {
        if (method === 'GET') return null;
        tags.push(headers['x-amz-copy-source-if-match']);
        return 412;
      };
      expect(await store().keep(id, accepted), 'something else was sent in the meantime').to.equal(false);
      expect(tags).to.have.lengthOf(1);
      expect(tags[0]).to.match(/^"[0-9a-f]{32}"$/);
    });

    for (const fault of [500, 503, 'drop'] as const)
      it(`is asked again after ${fault}`, async () => {
        const id = randomUUID();
        let faults = 2;
        bucket.fault = () => (faults-- > 0 ? fault : null);
        await store().write(id, PNG, FORM);
        expect(bucket.requests).to.have.lengthOf(3);
      });

    for (const fault of [503, 403, 'drop', 'hang'] as const)
      it(`that answers every step with ${fault} is not available, and no secret is told`, async () => {
        const config = configOf(bucket.environment);
        if (config.kind !== 'bucket') throw new Error('no bucket');
        const slow = bucketStore(config, 700);
        const id = randomUUID();
        await slow.write(id, PNG, FORM);
        const failFromNow = () => {
          bucket.fault = () => fault;
        };
        const steps: Readonly<Record<string, () => Promise<unknown>>> = {
          write: () => slow.write(id, PNG, FORM),
          look: () => slow.keep(id, accepted),
          copy: () => slow.keep(id, failFromNow),
          read: () => slow.read(id),
          remove: () => slow.remove([id], 'all'),
        };
        for (const [name, step] of Object.entries(steps)) {
          bucket.fault = name === 'copy' ? () => null : () => fault;
          const error = await errorOf(step());
          expect(error, name).to.be.instanceOf(ApiError);
          expect(error, name).to.include({
            status: 503,
            message: 'The file store cannot be used now. Try again later.',
          });
          const { message } = (error as Error).cause as Error;
          expect(message, name).to.match(
            /^the file store failed at ((GET|PUT) (uploads|files)\/[\w-]+|POST \?delete) \(.+\)$/,
          );
          expect(message, name).not.to.match(/S3RVER|Signature|http/);
        }
      });
  });
});

async function errorOf(step: Promise<unknown> | undefined): Promise<unknown> {
  try {
    await step;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** The signal would end the process before it gets the error. */
async function whereFilesAreSmall(folder: string) {
  const script = fileURLToPath(new URL('small-files.ts', import.meta.url));
  const command = 'trap "" XFSZ; ulimit -f 1024; exec "$0" --import tsx "$1" "$2"';
  const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script, folder]);
  return JSON.parse(stdout) as { readonly full: object; readonly left: readonly string[] };
}
