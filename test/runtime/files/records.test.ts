/** Files of records: who may upload, use and read them, and when their bytes go. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import type { StoredFile } from '../../../compiler/definition/files.ts';
import { serve, work } from '../../../runtime/commands/serve.ts';
import { folderStore } from '../../../runtime/files/folder-store.ts';
import type { HookDatabase } from '../../../runtime/hooks/context.ts';
import { loadClient } from '../../compiler/client/loaded-client.ts';
import { until } from '../../support/until.ts';
import { type Code, definitionOf, type Running, run, stopAll } from '../operations/running.ts';

const SOURCE = `
model User { field email { type string, unique } field password_hash { type string, secret } }
auth { model User, login email, password password_hash }
model Post {
  field title { type string, unique }
  field cover { type file, nullable, accept { "image/png" }, max "1kb" }
  field other { type file, nullable }
  relation notes { from Note, through post }
}
model Note {
  reference post { to Post, on delete cascade }
  field slug { type string, unique }
  field scan { type file }
}
api {
  entrypoint Post as post {
    list endpoint { filter { cover is not null } }
    get endpoint { authorize { @auth is not null } }
    create endpoint { authorize { @auth is not null } }
    update endpoint { authorize { @auth is not null } }
    delete endpoint { authorize { @auth is not null } }
    entrypoint notes as note {
      identify { through slug }
      list endpoint { response { slug, scan, cover: post.cover } }
      get endpoint {}
      create endpoint {}
    }
  }
}`;

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

interface Body {
  readonly id: number;
  readonly file: string;
  readonly token: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly code: string }[];
  readonly cover: { readonly name: string; readonly type: string; readonly size: number; readonly url: string } | null;
  readonly other: Body['cover'];
}

interface FilesClient {
  readonly post: ((id: number) => Readonly<Record<'update', Call> & Record<'getCover', () => Promise<Response>>>) & {
    readonly create: Call & { readonly result: (body: object) => Promise<{ readonly error?: Error }> };
  };
}

type Call = (body: object) => Promise<Body>;

function without(record: object | undefined): object {
  return { ...record, id: undefined };
}

function scanOf(record: object | undefined): StoredFile {
  return (record as { readonly scan: StoredFile }).scan;
}

describe('files of records', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-files-'));
  const store = folderStore(folder);
  let app: Running;
  let ada: Record<string, string>;
  let bob: Record<string, string>;

  const bodyOf = async (...asked: Parameters<Running['ask']>) => {
    const { status, text } = await app.ask(...asked);
    return { ...(JSON.parse(text || '{}') as Body), status };
  };
  const signUp = async (email: string) => {
    await bodyOf('POST /api/auth/register', { email, password: 'correct horse' });
    const { token } = await bodyOf('POST /api/auth/login', { email, password: 'correct horse' });
    return { authorization: `Bearer ${token}` };
  };
  const offered = (path: string, form: object, headers = ada) => bodyOf(`POST ${path}/upload`, form, headers);
  const uploaded = async (path: string, bytes = PNG, type = 'image/png', headers = ada) => {
    const { file } = await offered(path, { name: 'a.png', type, size: bytes.length }, headers);
    await store.write(file, bytes, { type, size: bytes.length });
    return file;
  };
  const isKept = (id: string) => existsSync(join(folder, 'files', id));
  let titles = 0;
  const created = async (values: object, headers = ada) =>
    bodyOf('POST /api/post', { title: `title ${titles++}`, ...values }, headers);

  before(async () => {
    app = await run(SOURCE, { environment: { FILES_URL: pathToFileURL(folder).href, JOBS: '2' } });
    [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
  });
  after(async () => {
    await stopAll();
    rmSync(folder, { recursive: true });
  });

  it('gives a file an address below its record, under the rules of its get', async () => {
    const post = await created({ cover: await uploaded('/api/post/cover') });
    expect(post.status).to.equal(201);
    expect(post.cover).to.deep.equal({ name: 'a.png', type: 'image/png', size: 16, url: `/api/post/${post.id}/cover` });
    const { status, text, headers } = await app.ask(`GET ${post.cover?.url}`, undefined, ada);
    expect(status).to.equal(200);
    expect(headers).to.include({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
    expect(headers).to.include({ 'content-disposition': 'attachment; filename="a.png"', 'cache-control': 'private' });
    expect(headers['content-length']).to.equal('16');
    expect(text).to.equal(PNG.toString());
    expect((await app.ask(`GET ${post.cover?.url}`)).status).to.equal(401);
    expect((await app.ask('GET /api/post/999999/cover', undefined, ada)).status).to.equal(404);
    expect((await app.ask(`GET /api/post/${post.id}/other`, undefined, ada)).status).to.equal(404);
  });

  it('gives a file no address below a get that leaves it out of its response', async () => {
    const own = await run(
      `model Doc { field title { type string } field blob { type file, nullable } }
      api {
        entrypoint Doc as doc { path "docs" get endpoint { response { title } } }
        entrypoint Doc as office { path "office_documents" get endpoint {} create endpoint {} }
      }`,
      { environment: { FILES_URL: pathToFileURL(folder).href } },
    );
    const body = new FormData();
    body.append('title', 'secret plans');
    body.append('blob', new File([PNG], 'a.png', { type: 'image/png' }));
    const made = await fetch(`http://127.0.0.1:${own.port}/api/office_documents`, { method: 'POST', body });
    const { id, blob } = (await made.json()) as { id: number; blob: Body['cover'] };
    expect(blob?.url).to.equal(`/api/office_documents/${id}/blob`);
    expect((await own.ask(`GET ${blob?.url}`)).status).to.equal(200);
    expect((await own.ask(`GET /api/docs/${id}`)).status).to.equal(200);
    expect((await own.ask(`GET /api/docs/${id}/blob`)).status).to.equal(404);
  });

  it('gives a file the address below the entrypoint that shows it, so whoever is shown it may read it', async () => {
    const own = await run(
      `model User {
        field email { type string, unique }
        field password_hash { type string, secret }
        field avatar { type file, nullable }
        relation docs { from Doc, through owner }
      }
      auth { model User, login email, password password_hash }
      model Doc {
        field open { type boolean, default false }
        field blob { type file, nullable }
        reference owner { to User }
        reference copy_of { to Doc, nullable }
      }
      shape View of Doc { id, blob, original: copy_of.blob, copied: copy_of { blob } }
      api {
        entrypoint Doc as doc { path "docs" only { doc.open } get endpoint {} }
        entrypoint @auth as me {
          get endpoint { response { avatar } }
          update endpoint { action { update { input { avatar } } } response { avatar } }
          entrypoint docs as mine { response View list endpoint {} get endpoint {} create endpoint {} }
        }
      }`,
      { environment: { FILES_URL: pathToFileURL(folder).href } },
    );
    await own.ask('POST /api/auth/register', { email: 'a@example.com', password: 'correct horse' });
    const login = await own.ask('POST /api/auth/login', { email: 'a@example.com', password: 'correct horse' });
    const headers = { authorization: `Bearer ${(JSON.parse(login.text) as Body).token}` };
    const sent = async (method: string, path: string, field: string, values: Readonly<Record<string, string>> = {}) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(values)) body.append(name, value);
      body.append(field, new File([PNG], 'a.png', { type: 'image/png' }));
      const answer = await fetch(`http://127.0.0.1:${own.port}${path}`, { method, body, headers });
      return (await answer.json()) as Record<string, Body['cover']> & { id: number; copied: Pick<Body, 'cover'> };
    };
    const { id, blob } = await sent('POST', '/api/me/docs', 'blob');
    expect(blob?.url).to.equal(`/api/me/docs/${id}/blob`);
    const copy = await sent('POST', '/api/me/docs', 'blob', { copy_of_id: String(id) });
    expect(copy.blob?.url).to.equal(`/api/me/docs/${copy.id}/blob`);
    // The record that it refers to may be of another owner.
    const original = { name: 'a.png', type: 'image/png', size: 16, url: `/api/docs/${id}/blob` };
    expect(copy).to.deep.include({ original, copied: { blob: original } });
    const list = JSON.parse((await own.ask('GET /api/me/docs', undefined, headers)).text) as (typeof copy)[];
    expect(list.map((each) => each.blob?.url)).to.deep.equal([blob?.url, copy.blob?.url]);
    const { avatar } = await sent('PATCH', '/api/me', 'avatar');
    expect(avatar?.url).to.equal('/api/me/avatar');
    for (const url of [blob?.url, avatar?.url]) {
      expect(await own.ask(`GET ${url}`, undefined, headers)).to.include({ status: 200, text: PNG.toString() });
      expect((await own.ask(`GET ${url}`)).status).to.equal(401);
    }
    expect((await own.ask(`GET /api/docs/${id}/blob`, undefined, headers)).status).to.equal(404);
  });

  it('sends the part of a file that is asked for, and only the headers to HEAD', async () => {
    const { cover } = await created({ cover: await uploaded('/api/post/cover') });
    const asked = (range: string) => app.ask(`GET ${cover?.url}`, undefined, { ...ada, range });
    const part = await asked('bytes=1-3');
    expect(part).to.include({ status: 206, text: 'PNG' });
    expect(part.headers).to.include({ 'content-range': 'bytes 1-3/16', 'content-length': '3' });
    expect((await asked('bytes=-4')).text).to.equal('IHDR');
    expect(await asked('bytes=16-')).to.include({ status: 416, text: '' });
    const { status, text, headers } = await app.ask(`HEAD ${cover?.url}`, undefined, ada);
    expect({ status, text, length: headers['content-length'] }).to.deep.equal({ status: 200, text: '', length: '16' });
    const again = await app.ask(`GET ${cover?.url}`, undefined, { ...ada, 'if-none-match': String(headers.etag) });
    expect(again).to.include({ status: 304, text: '' });
  });

  it('offers an upload only to those who may create, and only for what the field takes', async () => {
    const form = { name: 'a.png', type: 'image/png', size: 16 };
    expect((await offered('/api/post/cover', form, {})).status).to.equal(401);
    const wrong = await offered('/api/post/cover', { ...form, type: 'text/html', size: 2000 });
    expect(wrong.status).to.equal(422);
    expect(wrong.errors.map(({ path, code }) => `${path} ${code}`)).to.deep.equal([
      'type file-type',
      'size file-too-large',
    ]);
  });

  it('takes a type with parameters as the type alone, as forms do', async () => {
    const form = { name: 'a.txt', type: 'Text/Plain;charset=utf-8', size: 5 };
    const { file, url, headers } = await offered('/api/post/other', form);
    expect(headers).to.deep.equal({ 'content-type': 'text/plain' });
    const sent = await fetch(`http://127.0.0.1:${app.port}${url}`, { method: 'PUT', headers, body: 'bytes' });
    expect(sent.status).to.equal(204);
    const { id, status } = await created({ other: file });
    expect(status).to.equal(201);
    const answer = await app.ask(`GET /api/post/${id}/other`, undefined, ada);
    expect(answer.headers['content-type']).to.match(/^text\/plain/);
    const { post } = (await loadClient(await definitionOf(SOURCE))).createClient({
      baseUrl: `http://127.0.0.1:${app.port}`,
      token: ada.authorization?.slice('Bearer '.length),
    }) as FilesClient;
    const other = new Blob(['bytes'], { type: 'text/plain;charset=utf-8' });
    expect((await post.create({ title: 'with a text', other })).other).to.include({ type: 'text/plain' });
  });

  it('refuses a handle that is used twice, by another caller, for another field, or before anything was sent', async () => {
    const file = await uploaded('/api/post/cover');
    const refused = async (values: object, headers = ada) => {
      const { status, errors } = await created(values, headers);
      expect(status).to.equal(422);
      return errors.map(({ path, code }) => `${path} ${code}`);
    };
    expect(await refused({ cover: file }, bob)).to.deep.equal(['cover file-missing']);
    expect(await refused({ other: file })).to.deep.equal(['other file-missing']);
    expect((await created({ cover: file })).status).to.equal(201);
    expect(await refused({ cover: file })).to.deep.equal(['cover file-missing']);
    const { file: empty } = await offered('/api/post/cover', { name: 'a.png', type: 'image/png', size: 16 });
    expect(await refused({ cover: empty })).to.deep.equal(['cover file-missing']);
    expect(await refused({ cover: 'no-uuid' })).to.deep.equal(['cover wrong-type']);
    const page = await uploaded('/api/post/cover', Buffer.from('<html><script>1</script>'));
    expect(await refused({ cover: page })).to.deep.equal(['cover file-type']);
    expect(isKept(page)).to.equal(false);
  });

  it('leaves a handle usable if the transaction is rolled back', async () => {
    const first = await created({});
    const { title } = JSON.parse((await app.ask(`GET /api/post/${first.id}`, undefined, ada)).text) as {
      title: string;
    };
    const cover = await uploaded('/api/post/cover');
    expect((await created({ title, cover })).status).to.equal(422);
    expect((await created({ cover })).status).to.equal(201);
  });

  it('lets two requests with one handle at the same time not both have it', async () => {
    const cover = await uploaded('/api/post/cover');
    const answers = await Promise.all([created({ cover }), created({ cover }), created({ cover })]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 422, 422]);
  });

  it('removes the bytes of files that are replaced or cleared, or whose record goes, also by a cascade', async () => {
    const first = await uploaded('/api/post/cover');
    const post = await created({ cover: first });
    const path = `/api/post/${post.id}`;
    const second = await uploaded(`${path}/cover`);
    expect((await bodyOf(`PATCH ${path}`, { cover: second }, ada)).cover?.name).to.equal('a.png');
    await until(() => !isKept(first));
    expect(isKept(second)).to.equal(true);
    expect((await bodyOf(`PATCH ${path}`, { cover: null }, ada)).cover).to.equal(null);
    await until(() => !isKept(second));
    const scan = await uploaded(`${path}/notes/scan`, Buffer.from('plain'), 'text/plain', {});
    expect((await bodyOf(`POST ${path}/notes`, { slug: 'a b/ü', scan })).status).to.equal(201);
    const { text } = await app.ask(`GET ${path}/notes`);
    const [{ scan: shown }] = JSON.parse(text) as [{ scan: { url: string } }];
    expect(shown.url).to.equal(`${path}/notes/a%20b%2F%C3%BC/scan`);
    expect((await app.ask(`GET ${shown.url}`)).text).to.equal('plain');
    await app.ask(`DELETE ${path}`, undefined, ada);
    await until(() => !isKept(scan));
  });

  it('are uploaded by the client, which takes them as they are', async () => {
    const { createClient } = await loadClient(await definitionOf(SOURCE));
    const sent: string[] = [];
    const token = ada.authorization?.slice('Bearer '.length);
    const fetch: typeof globalThis.fetch = (url, init) => {
      sent.push(`${init?.method} ${new Headers(init?.headers).has('authorization')}`);
      return globalThis.fetch(url, init);
    };
    const { post } = createClient({ baseUrl: `http://127.0.0.1:${app.port}`, token, fetch }) as FilesClient;
    const cover = new File([PNG], 'ü.png', { type: 'image/png' });
    const made = await post.create({ title: 'by the client', cover });
    expect(made.cover).to.include({ name: 'ü.png', type: 'image/png', size: 16 });
    // The address of the upload is signed, and gets no token.
    expect(sent).to.deep.equal(['POST true', 'PUT false', 'POST true']);
    expect(Buffer.from(await (await post(made.id).getCover()).arrayBuffer()).equals(PNG)).to.equal(true);
    expect((await post(made.id).update({ cover: null })).cover).to.equal(null);
    const handle = await uploaded(`/api/post/${made.id}/cover`);
    expect((await post(made.id).update({ cover: handle })).cover).to.include({ name: 'a.png' });
    const large = await post.create.result({
      title: 'x',
      cover: new Blob([Buffer.alloc(2000)], { type: 'image/png' }),
    });
    expect(large).to.include({ status: 422, code: 'validation-failed' });
    const failing: typeof fetch = (url, init) =>
      init?.method === 'PUT' ? Promise.reject(new Error('down')) : globalThis.fetch(url, init);
    const broken = createClient({
      baseUrl: `http://127.0.0.1:${app.port}`,
      token,
      fetch: failing,
      retries: 0,
    }) as FilesClient;
    const { error } = await broken.post.create.result({ title: 'y', cover });
    expect(error?.message).to.match(/^PUT \/api\/_uploads\/[\w-]+ got no complete response: down$/);
  });

  it('are read and written by the code of hooks', async () => {
    const source = `model Note { field scan { type file, nullable } field text { type string } }
      api { entrypoint Note as note {
        get endpoint {}
        create endpoint {}
        POST one "write" { action { execute { hook { arg id note.id, arg text note.text, source write from "code" } } } }
        POST one "read" { action { execute { hook { arg scan note.scan, arg note note, source read from "code" } responds } } }
      } }`;
    const code: Readonly<Record<string, Code>> = {
      async write({ id, text }, { db }) {
        const scan = await db.files?.write({ name: 'a.txt', type: 'text/plain', bytes: Buffer.from(String(text)) });
        await db.Note?.query().findById(Number(id)).patch({ scan });
      },
      async read({ scan, note }, { db, response }) {
        const bytes = (file: unknown) => db.files?.read(file as StoredFile).then((stream) => text(stream));
        response.end(JSON.stringify([await bytes(scan), await bytes((note as { scan: unknown }).scan)]));
      },
    };
    const own = await run(source, { code, environment: { FILES_URL: pathToFileURL(folder).href } });
    const { id } = JSON.parse((await own.ask('POST /api/note', { text: 'by a hook' })).text) as Body;
    expect((await own.ask(`POST /api/note/${id}/write`, {})).status).to.equal(204);
    const { scan } = JSON.parse((await own.ask(`GET /api/note/${id}`)).text) as { scan: Body['cover'] };
    expect(scan).to.deep.equal({ name: 'a.txt', type: 'text/plain', size: 9, url: `/api/note/${id}/scan` });
    expect((await own.ask(`POST /api/note/${id}/read`, {})).text).to.equal('["by a hook","by a hook"]');
  });

  it('are of one record each, whatever the code of hooks copies', async () => {
    const source = `model Note { field text { type string } field scan { type file, nullable } }
      model Old { field scan { type file, nullable } }
      api { entrypoint Note as note {
        get endpoint {}
        create endpoint {}
        delete endpoint {}
        POST one "do" { extra inputs { field what { type string } } action {
          execute as done { hook { arg id note.id, arg what what, source act from "code" } } respond { body done } } }
      } }`;
    const bytes = Buffer.from('bytes');
    const actions: Readonly<Record<string, (db: HookDatabase, id: number) => Promise<unknown>>> = {
      write: async ({ Note, files }, id) =>
        Note?.query()
          .findById(id)
          .patch({ scan: await files?.write({ name: 'a.txt', type: 'text/plain', bytes }) }),
      keep: async ({ Note }, id) =>
        Note?.query()
          .findById(id)
          .patch(without(await Note.query().findById(id))),
      renew: async (db, id) => (await db.Note?.query().findById(id))?.$query().patch({ text: 'renewed' }),
      several: async ({ Note, files }) => {
        const scan = await files?.write({ name: 'a.txt', type: 'text/plain', bytes });
        return Note?.query().insert([
          { text: 'first', scan },
          { text: 'second', scan },
        ]);
      },
      all: async ({ Note, files }) =>
        Note?.query().patch({ scan: await files?.write({ name: 'a.txt', type: 'text/plain', bytes }) }),
      duplicate: async ({ Note }, id) => Note?.query().insert(without(await Note.query().findById(id))),
      other: async ({ Note, Old }, id) => Old?.query().insert({ scan: scanOf(await Note?.query().findById(id)) }),
      caught: (db, id) => actions.duplicate?.(db, id).catch(() => null) as Promise<unknown>,
      move: async ({ Note, Old }, id) => {
        const scan = scanOf(await Note?.query().findById(id));
        await Note?.query().findById(id).patch({ scan: null });
        await Old?.query().insert({ scan });
      },
      copy: async ({ Note, files }, id) => {
        const scan = scanOf(await Note?.query().findById(id));
        const copy = Buffer.from(await text((await files?.read(scan)) as Readable));
        await Note?.query().insert({ text: 'copy', scan: await files?.write({ ...scan, bytes: copy }) });
      },
    };
    const act: Code = async ({ id, what }, { db }) => (await actions[String(what)]?.(db, Number(id))) && null;
    const own = await run(source, { code: { act }, environment: { FILES_URL: pathToFileURL(folder).href } });
    for (const title of ['one', 'two']) await own.ask('POST /api/note', { text: title });
    const status = async (what: string) => (await own.ask('POST /api/note/1/do', { what })).status;
    for (const what of ['write', 'keep', 'renew', 'copy']) expect(await status(what), what).to.equal(200);
    for (const what of ['several', 'all', 'duplicate', 'other', 'caught', 'move'])
      expect(await status(what), what).to.equal(500);
    expect(own.lines.some((line) => JSON.stringify(line).includes('write a copy by `db.files.write`'))).to.equal(true);
    expect(
      (await own.database.client.query('SELECT count(*)::int, count(scan)::int AS scans FROM note')).rows,
    ).to.deep.equal([{ count: 3, scans: 2 }]);
    await own.ask('DELETE /api/note/1');
    await until(async () => (await own.database.client.query('SELECT FROM kiln_jobs')).rows.length === 0);
    expect((await own.ask('GET /api/note/3/scan')).text).to.equal('bytes');
  });

  it('are checked where the code of hooks writes them', async () => {
    const source = `model Note { field scan { type file, nullable, accept { "image/png" }, max "1kb" } }
      api { entrypoint Note as note {
        get endpoint {}
        create endpoint {}
        POST one "patch" { extra inputs { field type { type string } field size { type integer } } action {
          execute { hook { arg id note.id, arg type type, arg size size, source patch from "code" } } } }
        POST one "set" { extra inputs { field type { type string } field size { type integer } } action {
          execute as made { hook { arg type type, arg size size, source make from "code" } }
          update note { set scan made } } }
      } }`;
    const made = ({ type, size }: Parameters<Code>[0], { db }: Parameters<Code>[1]) =>
      db.files?.write({ name: 'a', type: String(type), bytes: Buffer.concat([PNG], Number(size)) });
    const code: Readonly<Record<string, Code>> = {
      make: made,
      async patch(values, context) {
        const scan = await made(values, context);
        await context.db.Note?.query().findById(Number(values.id)).patch({ scan });
      },
    };
    const own = await run(source, { code, environment: { FILES_URL: pathToFileURL(folder).href } });
    const { id } = JSON.parse((await own.ask('POST /api/note', {})).text) as Body;
    for (const way of ['patch', 'set']) {
      const status = async (type: string, size: number) =>
        (await own.ask(`POST /api/note/${id}/${way}`, { type, size })).status;
      expect(await status('image/png', 1024), way).to.be.oneOf([200, 204]);
      expect(await status('image/png', 1025), `${way}, too large`).to.equal(500);
      expect(await status('image/jpeg', 100), `${way}, another type in its bytes`).to.equal(500);
      expect(await status('application/x-own', 100), `${way}, a type that is not taken`).to.equal(500);
    }
  });

  it('need FILES_URL where an image serves or works', async () => {
    const application = mkdtempSync(join(tmpdir(), 'kiln-app-'));
    writeFileSync(join(application, 'definition.json'), definitionText(await definitionOf(SOURCE)));
    const environment = { KILN_APP: application, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    for (const command of [serve, work]) {
      const said: string[] = [];
      expect(await command(environment, (line) => said.push(line), [])).to.equal(1);
      expect(said).to.deep.equal([
        'FILES_URL is not set: the application has files. It must look like `file:///var/files` or `s3://bucket?region=…`.',
      ]);
    }
    rmSync(application, { recursive: true });
  });

  it('limits the uploads of a caller that wait', async () => {
    const carol = await signUp('carol@example.com');
    const form = { name: 'a.png', type: 'image/png', size: 16 };
    for (let count = 0; count < 100; count++)
      expect((await offered('/api/post/cover', form, carol)).status).to.equal(201);
    expect((await offered('/api/post/cover', form, carol)).status).to.equal(429);
  });
});
