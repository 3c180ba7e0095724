/** Versions of records: tags, what a client has already, and changes of a record that was changed meanwhile. */
import { expect } from 'chai';
import { imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { startApplication } from '../../support/application.ts';
import { createDatabase } from '../../support/postgres.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf, type Running, run, stopAll } from './running.ts';

const PROGRAM = `
model User { field name { type string }, relation posts { from Post, through author } }
model Post { reference author { to User }, field title { type string }, field likes { type integer, default 0 } }
api {
  entrypoint User as user { create endpoint {}, update endpoint {} }
  entrypoint Post as post {
    versioned
    response { title, author { name } }
    get endpoint { status 203, headers { "x-likes" post.likes } }
    create endpoint {}
    update endpoint { response { title } }
    delete endpoint {}
    POST one "like" { action { update post { set likes post.likes + 1 } } }
    PATCH one "called" { action { call { hook { source meanwhile from "code" } } update post { input { title } } } }
    PATCH one "before" { action { update post { set likes 1 } call { hook { source pass from "code" } } update post { input { title } } } }
    PATCH one "upper" { response { title }, action { update post { set title upper(post.title) } } }
  }
}`;

describe('a record with versions', () => {
  let running: Running;
  let meanwhile: () => unknown = () => null;

  before(async () => {
    running = await run(PROGRAM, { code: { meanwhile: () => meanwhile(), pass: () => null } });
    await ask('POST', '/api/user', {}, { name: 'Ada' });
  });

  after(stopAll);

  async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const content = body && { body: JSON.stringify(body) };
    const init = { method, headers: { 'content-type': 'application/json', ...headers }, ...content };
    const response = await fetch(`${running.application.url}${path}`, init);
    const text = await response.text();
    const json = text === '' ? null : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, tag: response.headers.get('etag') ?? '', json, headers: response.headers };
  }

  async function newPost() {
    const { tag, headers } = await ask('POST', '/api/post', {}, { author_id: 1, title: 'One' });
    return { tag, path: headers.get('location') as string };
  }

  it('has a tag, which a client that has it gets in place of the body', async () => {
    const { path } = await newPost();
    const first = await ask('GET', path);
    expect(first.status).to.equal(203);
    expect(first.tag).to.match(/^"\d+-[0-9a-f]{22}"$/);
    expect(first.headers.get('cache-control')).to.equal('private, no-cache');
    for (const known of [first.tag, `W/${first.tag}`, `"x", ${first.tag}`, '*']) {
      const again = await ask('GET', path, { 'if-none-match': known });
      expect([again.status, again.tag, again.json]).to.deep.equal([304, first.tag, null]);
    }
    expect(await ask('GET', path, { 'if-none-match': '"x"' })).to.include({ status: 203 });
  });

  it('has another tag where anything in the body is another', async () => {
    const { path } = await newPost();
    const { tag } = await ask('GET', path);
    await ask('PATCH', '/api/user/1', {}, { name: `Ada ${tag}` });
    expect(await ask('GET', path, { 'if-none-match': tag })).to.include({ status: 203 });
  });

  it('is changed by who knows its version, whatever the answer that told it', async () => {
    const { path, tag: created } = await newPost();
    const changed = await ask('PATCH', path, { 'if-match': created }, { title: 'Two' });
    expect(changed).to.include({ status: 200 });
    expect(await ask('POST', `${path}/like`, { 'if-match': changed.tag })).to.include({ status: 204 });
    const { tag } = await ask('GET', path);
    expect(await ask('PATCH', `${path}/upper`, { 'if-match': `"x", W/${tag}` })).to.include({ status: 200 });
    expect(await ask('DELETE', path, { 'if-match': '*' })).to.include({ status: 204 });
  });

  it('is not changed by who knows another one', async () => {
    const { path, tag } = await newPost();
    await ask('PATCH', path, {}, { title: 'Two' });
    for (const [method, place] of [
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/like`],
    ] as const) {
      const refused = await ask(method, place, { 'if-match': tag }, method === 'PATCH' ? { title: 5 } : undefined);
      expect([refused.status, refused.json?.code]).to.deep.equal([412, 'changed-meanwhile']);
    }
    expect((await ask('GET', path)).json).to.include({ title: 'Two' });
  });

  it('is changed by one of many who know the same version', async () => {
    const { path, tag } = await newPost();
    const all = await Promise.all(Array.from({ length: 8 }, () => ask('POST', `${path}/like`, { 'if-match': tag })));
    expect(all.map(({ status }) => status).sort()).to.deep.equal([204, 412, 412, 412, 412, 412, 412, 412]);
  });

  it('is missing before its version matters', async () => {
    expect(await ask('PATCH', '/api/post/999', { 'if-match': '"x"' }, {})).to.include({ status: 404 });
  });

  it('that was changed during a call is not changed behind it', async () => {
    const { path, tag } = await newPost();
    const headers = { 'if-match': tag };
    meanwhile = () => ask('PATCH', path, {}, { title: 'Two' });
    expect((await ask('PATCH', `${path}/called`, headers, { title: 'Three' })).status).to.equal(412);
    expect((await ask('GET', path)).json).to.include({ title: 'Two' });
    meanwhile = () => null;
    const { tag: now } = await ask('GET', path);
    expect((await ask('PATCH', `${path}/called`, { 'if-match': now }, { title: 'Three' })).status).to.equal(204);
    expect((await ask('GET', path)).json).to.include({ title: 'Three' });
  });

  it('that the request has changed before a call is changed behind it', async () => {
    const { path, tag } = await newPost();
    expect((await ask('PATCH', `${path}/before`, { 'if-match': tag }, { title: 'Two' })).status).to.equal(204);
    expect((await ask('GET', path)).json).to.include({ title: 'Two' });
  });

  it('has them in the previous release, too, while the next one is live', async () => {
    const program = (field: string, was = '') => `
      model Post { field ${field} { type string${was} } }
      api { entrypoint Post { versioned  get endpoint {} create endpoint {} update endpoint {} delete endpoint {} } }`;
    const definition = await definitionOf(program('title'));
    const next = await definitionOf(program('heading', ', was title'));
    const { url } = await createDatabase();
    const [first, second] = [chainOf([definition]), chainOf([definition, next])];
    await migrated(first, url);
    const application = await startApplication({ definition, databaseUrl: url, release: imageReleaseOf(first) });
    const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
      const json = { 'content-type': 'application/json', ...headers };
      const response = await fetch(`${application.url}${path}`, {
        method,
        headers: json,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, tag: response.headers.get('etag') ?? '' };
    };
    const made = await send('POST', '/api/post', {}, { title: 'One' });
    expect((await migrated(second, url)).result.kind).to.equal('done');
    expect((await send('GET', '/api/post/1', { 'if-none-match': made.tag })).status).to.equal(304);
    const changed = await send('PATCH', '/api/post/1', { 'if-match': made.tag }, { title: 'Two' });
    expect(changed.status).to.equal(200);
    expect((await send('PATCH', '/api/post/1', { 'if-match': made.tag }, { title: 'Three' })).status).to.equal(412);
    expect((await send('POST', '/api/post', {}, { title: 'Another' })).status).to.equal(201);
    expect((await send('DELETE', '/api/post/1', { 'if-match': changed.tag })).status).to.equal(204);
    await application.stop();
  });
});
