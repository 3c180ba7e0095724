/** Files in a bucket that is down, slow, or holds something else than it should; and uploads that nobody takes. */
import { expect } from 'chai';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { type Bucket, PNG, startBucket } from './bucket.ts';

const SOURCE = `
model Post { field title { type string, unique } field cover { type file, nullable, accept { "image/png" } } }
api { entrypoint Post as post { get endpoint {} create endpoint {} update endpoint {} delete endpoint {} } }`;

const LEFT_BEHIND = isSlow ? 10_000 : 300;

describe('files in a bucket', () => {
  let bucket: Bucket;
  let app: Running;

  before(async () => {
    bucket = await startBucket();
    app = await run(SOURCE, { environment: bucket.environment, sweepEvery: 50 });
  });
  beforeEach(() => {
    bucket.fault = () => null;
    bucket.requests.length = 0;
  });
  after(async () => {
    await stopAll();
    await bucket.close();
  });

  async function uploaded(bytes: Buffer = PNG): Promise<string> {
    const form = { name: 'a.png', type: 'image/png', size: bytes.length };
    const { json, status } = await app.ask('POST /api/post/cover/upload', form);
    expect(status).to.equal(201);
    const headers = json.headers as Record<string, string>;
    const answer = await fetch(String(json.url), { method: 'PUT', headers, body: bytes });
    expect(answer.status).to.equal(200);
    return String(json.file);
  }

  const countOf = async (table: string, where = 'true'): Promise<number> =>
    Number((await app.database.client.query(`SELECT count(*) FROM ${table} WHERE ${where}`)).rows[0].count);
  const keysIn = (method: string) => bucket.requests.filter((each) => each.startsWith(method));

  it('cost the server two small requests, and are read from the bucket', async () => {
    const file = await uploaded();
    const { json, status } = await app.ask('POST /api/post', { title: 'one', cover: file });
    expect(status).to.equal(201);
    const { headers, status: found } = await app.ask(`GET /api/post/${json.id}/cover`);
    expect(found).to.equal(302);
    const bytes = await (await fetch(String(headers.location))).arrayBuffer();
    expect(Buffer.from(bytes).equals(PNG)).to.equal(true);
  });

  it('are asked for by HEAD at an address of its own', async () => {
    const { json } = await app.ask('POST /api/post', { title: 'head', cover: await uploaded() });
    const { headers, status } = await app.ask(`HEAD /api/post/${json.id}/cover`);
    expect(status).to.equal(302);
    const head = await fetch(String(headers.location), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(PNG.length)]);
  });

  for (const fault of [503, 'drop'] as const)
    for (const step of ['GET', 'PUT'])
      it(`are not taken while it answers ${step} with ${fault}, and are afterwards`, async () => {
        const title = `${fault} ${step}`;
        const file = await uploaded();
        bucket.fault = ({ method }) => (method === step ? fault : null);
        const refused = await app.ask('POST /api/post', { title, cover: file });
        expect(refused.status).to.equal(503);
        expect(refused.headers['retry-after']).to.match(/^\d+$/);
        expect(refused.json.detail).to.equal('The file store cannot be used now. Try again later.');
        expect(await countOf('post', `title = '${title}'`)).to.equal(0);
        const line = app.lines.findLast((each) => JSON.stringify(each).includes('the file store failed at'));
        expect(JSON.stringify(line)).not.to.match(/S3RVER|X-Amz|Signature/);
        bucket.fault = () => null;
        expect((await app.ask('POST /api/post', { title, cover: file })).status).to.equal(201);
      });

  it('are refused if they are not what they were called', async () => {
    const { status, json } = await app.ask('POST /api/post', {
      title: 'page',
      cover: await uploaded(Buffer.from('<!doctype html><script>alert(1)</script>')),
    });
    expect(status).to.equal(422);
    expect(json.errors).to.have.nested.property('[0].code', 'file-type');
    expect(keysIn('PUT').filter((each) => each.includes('/files/'))).to.deep.equal([]);
  });

  it('are refused if nothing was sent', async () => {
    const { json } = await app.ask('POST /api/post/cover/upload', { name: 'a.png', type: 'image/png', size: 10 });
    const { status, json: body } = await app.ask('POST /api/post', { title: 'nothing', cover: json.file });
    expect(status).to.equal(422);
    expect(body.errors).to.have.nested.property('[0].code', 'file-missing');
  });

  it('go with their record, also if the bucket is down when it goes', async () => {
    const file = await uploaded();
    const { json } = await app.ask('POST /api/post', { title: 'gone', cover: file });
    bucket.fault = ({ method }) => (method === 'POST' ? 503 : null);
    expect((await app.ask(`DELETE /api/post/${json.id}`)).status).to.equal(204);
    await until(async () => (await countOf('kiln_jobs', `error LIKE '%file store%'`)) === 1);
    bucket.fault = () => null;
    await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
    await until(async () => (await countOf('kiln_jobs')) === 0);
    expect(keysIn('DELETE').at(-1)).to.match(new RegExp(`/files/${file}$`));
  });

  itInBoth(
    'that were left behind are removed after a day, and those that were taken lose only their upload',
    async () => {
      await app.database.client.query('DELETE FROM kiln_uploads');
      const [left, taken] = [await uploaded(), await uploaded()];
      const { json } = await app.ask('POST /api/post', { title: 'taken', cover: taken });
      const fresh = await uploaded();
      await app.database.client.query(
        `INSERT INTO kiln_uploads (id, owner, model, field, name, type, size)
       SELECT gen_random_uuid(), 'nobody x', 'Post', 'cover', 'a.png', 'image/png', 1 FROM generate_series(3, $1)`,
        [LEFT_BEHIND],
      );
      bucket.requests.length = 0;
      await app.database.client.query(
        `UPDATE kiln_uploads SET created_at = now() - interval '25 hours' WHERE id <> $1`,
        [fresh],
      );
      await until(async () => (await countOf('kiln_uploads')) === 1 && (await countOf('kiln_jobs')) === 0, {
        limit: 60_000,
      });
      const deleted = new Set(keysIn('DELETE'));
      expect(deleted.has(`DELETE /uploads-of-tests/files/${left}`)).to.equal(true);
      expect(deleted.has(`DELETE /uploads-of-tests/uploads/${taken}`)).to.equal(true);
      expect(deleted.has(`DELETE /uploads-of-tests/files/${taken}`), 'a record has it').to.equal(false);
      expect(deleted.size).to.equal(2 * (LEFT_BEHIND - 1) + 1);
      expect((await app.ask(`GET /api/post/${json.id}/cover`)).status).to.equal(302);
      expect((await app.ask('POST /api/post', { title: 'late', cover: left })).status).to.equal(422);
      expect((await app.ask('POST /api/post', { title: 'fresh', cover: fresh })).status).to.equal(201);
    },
  ).timeout(100_000);
});
