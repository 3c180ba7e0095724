/** Forms (`multipart/form-data`) whose files become files of records. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type Running, run, stopAll } from '../operations/running.ts';
import { PNG } from './bucket.ts';

const SOURCE = `
model User { field email { type string, unique } field password_hash { type string, secret } }
auth { model User, login email, password password_hash }
model Post {
  field title { type string, unique }
  field likes { type integer, default 0 }
  field open { type boolean, default false }
  field due { type date, nullable }
  field cost { type decimal(8, 2), nullable }
  field cover { type file, nullable, accept { "image/png" }, max "1kb" }
}
model Draft { field title { type string } field cover { type file, nullable } }
model Tag { field name { type string } }
api {
  entrypoint Post as post {
    get endpoint {}
    create endpoint {}
    update endpoint { authorize { @auth is null } }
  }
  entrypoint Draft as draft {
    get endpoint {}
    create endpoint { authorize { @auth is not null } }
    update endpoint { authorize { hook { source decide from "code" } } }
    POST many "send" {
      action {
        create Draft as made { input { title, cover } }
        call as called { hook { source send from "code", returns { id: string } } }
        respond { body called.id }
      }
    }
  }
  entrypoint Tag as tag { create endpoint {} }
}`;

interface Body {
  readonly detail: string;
  readonly id: number;
  readonly title: string;
  readonly likes: number;
  readonly open: boolean;
  readonly cover: object | null;
  readonly errors: readonly { readonly path: string; readonly code: string }[];
}

describe('forms with files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-forms-'));
  let app: Running;
  let decisions = 0;

  before(async () => {
    const environment = { JOBS: '0', FILES_URL: pathToFileURL(folder).href, BODY_LIMIT: '5000' };
    app = await run(SOURCE, {
      environment,
      code: { decide: () => ++decisions > 0, send: (_, { call }) => ({ id: call?.id }) },
    });
  });
  after(async () => {
    await stopAll();
    rmSync(folder, { recursive: true });
  });

  const image = (bytes: Buffer = PNG, name = 'ä "1".png') => new File([bytes], name, { type: 'image/png' });
  async function sent(method: string, path: string, parts: Readonly<Record<string, string | File>>) {
    const body = new FormData();
    for (const [name, part] of Object.entries(parts)) body.append(name, part);
    const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, { method, body });
    return { ...((await answer.json()) as Body), status: answer.status };
  }
  const errorsOf = ({ errors }: Body) => errors.map(({ path, code }) => `${path} ${code}`);
  /** No jobs run here, so nothing is removed. */
  const uploads = () => readdirSync(join(folder, 'uploads')).length;
  const pending = async () =>
    Number((await app.database.client.query('SELECT count(*) FROM kiln_uploads WHERE NOT attached')).rows[0].count);

  it('create a record and its file, with values of their types', async () => {
    const post = await sent('POST', '/api/post', { title: '1', likes: '7', open: 'true', cover: image(), more: 'x' });
    expect(post).to.include({ status: 201, title: '1', likes: 7, open: true });
    const url = `/api/post/${post.id}/cover`;
    expect(post.cover).to.deep.equal({ name: 'ä "1".png', type: 'image/png', size: PNG.length, url });
    const bytes = await (await fetch(`http://127.0.0.1:${app.port}${url}`)).arrayBuffer();
    expect(Buffer.from(bytes).equals(PNG)).to.equal(true);
  });

  it('change a file, leave it alone if none was chosen, and remove it', async () => {
    const { id } = await sent('POST', '/api/post', { title: 'changed' });
    const path = `/api/post/${id}`;
    expect((await sent('PATCH', path, { cover: image() })).cover).to.include({ size: PNG.length });
    const none = new File([], '');
    expect((await sent('PATCH', path, { likes: '2', cover: none })).cover).to.include({ size: PNG.length });
    const part = 'content-disposition: form-data; name="cover"; filename=""\r\ncontent-type: application/octet-stream';
    const body = `--a\r\n${part}\r\n\r\n\r\n--a--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=a' };
    const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, { method: 'PATCH', headers, body });
    expect(((await answer.json()) as Body).cover, 'as browsers send it').to.include({ size: PNG.length });
    expect((await sent('PATCH', path, { cover: 'null' })).cover).to.equal(null);
  });

  it('have no value where a part is empty, but for a text', async () => {
    const { id } = await sent('POST', '/api/post', { title: 'empty', due: '2026-03-29', cost: '1.5' });
    const emptied = await sent('PATCH', `/api/post/${id}`, { title: '', due: '', cost: '' });
    expect(emptied).to.include({ status: 200, title: '', due: null, cost: null });
  });

  it('are refused with all their errors, before anything is stored', async () => {
    const before = [await pending(), uploads()];
    const wrong = await sent('POST', '/api/post', { title: 'page', cover: image(Buffer.from('<html><script>')) });
    expect([wrong.status, ...errorsOf(wrong)]).to.deep.equal([422, 'cover file-type']);
    const large = await sent('POST', '/api/post', {
      title: 'large',
      cover: image(Buffer.alloc(2000), 'a'.repeat(300)),
    });
    expect([large.status, ...errorsOf(large)]).to.deep.equal([422, 'cover max-length', 'cover file-too-large']);
    const typed = await sent('POST', '/api/post', { title: 'typed', likes: 'many', cover: image() });
    expect(errorsOf(typed)).to.deep.equal(['likes wrong-type']);
    expect((await sent('POST', '/api/draft', { title: 'own', cover: image() })).status).to.equal(401);
    expect([await pending(), uploads()]).to.deep.equal(before);
  });

  it('have no file in place of a text, and give none of its own', async () => {
    const wrong = await sent('POST', '/api/post', { title: new File(['hello'], 'a.txt') });
    expect([wrong.status, ...errorsOf(wrong)]).to.deep.equal([422, 'title wrong-type']);
  });

  it('are taken where code has run before, which then runs again', async () => {
    await app.database.client.query(`INSERT INTO draft (title) VALUES ('a')`);
    expect((await sent('PATCH', '/api/draft/1', { cover: image() })).cover).to.include({ size: PNG.length });
    expect(decisions).to.equal(2);
  });

  it('leave an upload to be swept if the transaction is rolled back', async () => {
    const before = await pending();
    await app.database.client.query('ALTER TABLE post ADD CHECK (likes < 100)');
    const { status } = await sent('POST', '/api/post', { title: 'liked', likes: '100', cover: image() });
    expect(status).to.equal(500);
    expect(await pending()).to.equal(before + 1);
  });

  it('call another service under one id each time that they are repeated', async () => {
    const idOf = async (bytes: Buffer, key = 'k1') => {
      const body = new FormData();
      body.append('title', 'called');
      body.append('cover', image(bytes));
      const url = `http://127.0.0.1:${app.port}/api/draft/send`;
      return (await fetch(url, { method: 'POST', body, headers: { 'idempotency-key': key } })).text();
    };
    const id = await idOf(PNG);
    expect(id).to.match(/[0-9a-f]{8}-/);
    expect(await idOf(PNG)).to.equal(id);
    expect(await idOf(PNG, 'k2')).to.not.equal(id);
    expect(await idOf(Buffer.concat([PNG, PNG]))).to.not.equal(id);
  });

  it('are not larger than other bodies, are whole, and are taken only where there are files', async () => {
    const large = await sent('POST', '/api/post', { title: 'x'.repeat(6000) });
    expect([large.status, large.detail]).to.deep.equal([
      413,
      "The body may have at most 5000 bytes. Larger files are sent by their fields' upload endpoints, and the body then has their ids.",
    ]);
    expect((await sent('POST', '/api/tag', { name: 'a' })).status).to.equal(415);
    const headers = { 'content-type': 'multipart/form-data; boundary=a' };
    const broken = await fetch(`http://127.0.0.1:${app.port}/api/post`, { method: 'POST', headers, body: '--a\r\nno' });
    expect(broken.status).to.equal(400);
  });
});
