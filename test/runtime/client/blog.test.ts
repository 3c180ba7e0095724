import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { ApiError, type Client, createClient } from '../../compiler/client/golden/blog.ts';
import { PNG } from '../files/bucket.ts';
import { contractIn } from './contract-in.ts';
import { failureOf } from './failure.ts';
import { type Live, type SmallServer, startExample, startProxy } from './live.ts';

describe('client of the blog', () => {
  let live: Live;
  let client: Client;

  before(async () => {
    await loadGrammar();
    live = await startExample('blog', contractIn('blog'));
    client = createClient({ baseUrl: live.url, onContractMismatch: ({ server }) => expect.fail(server) });
  });

  after(() => live.stop());

  beforeEach(() => live.database.query('TRUNCATE author, tag, post CASCADE'));

  const newPost = async (slug: string) => {
    await client.author.create.result({ name: 'Ann', email: 'ann@example.com' });
    return client.post.create({ author_email: 'ann@example.com', slug, title: `About ${slug}` });
  };

  it('makes, reads, changes and deletes records', async () => {
    const author = await client.author.create({ name: 'Ann', email: 'ann@example.com', bio: null });
    expect(author).to.deep.equal({ id: author.id, name: 'Ann', bio: null, post_count: 0 });
    expect(await client.author(author.id).update({ bio: 'Writes.' })).to.include({ name: 'Ann', bio: 'Writes.' });
    expect(await client.author(author.id).update()).to.include({ bio: 'Writes.' });
    const post = await newPost('first');
    expect(post).to.include({ slug: 'first', published_at: null, comment_count: 0 });
    expect(await client.post('first').get()).to.deep.include({
      published: false,
      author: { id: author.id, name: 'Ann' },
    });
    expect(await client.post('first').delete()).to.equal(undefined);
    expect((await client.author(author.id).get()).posts).to.deep.equal([]);
  });

  it('calls custom endpoints by their names', async () => {
    await newPost('first');
    expect(await client.post.drafts()).to.deep.equal([
      { slug: 'first', title: 'About first', author: { name: 'Ann' } },
    ]);
    await client.post('first').publish();
    expect((await client.post('first').get()).published_at).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    await client.post('first').unpublish();
    expect((await client.post('first').get()).published_at).to.equal(null);
  });

  it('uploads the cover of a post, and replaces and removes it', async () => {
    const picture = (name: string) => new File([PNG], name, { type: 'image/png' });
    await client.author.create({ name: 'Ann', email: 'ann@example.com' });
    const made = { author_email: 'ann@example.com', slug: 'first', title: 'About first' };
    await client.post.create({ ...made, cover: picture('a.png') });
    const url = '/api/post/first/cover';
    const coverOf = async () => (await client.post('first').get()).cover;
    expect(await coverOf()).to.deep.equal({ name: 'a.png', type: 'image/png', size: PNG.length, url });
    expect(Buffer.from(await (await fetch(live.url + url)).arrayBuffer()).equals(PNG)).to.equal(true);
    await client.post('first').update({ cover: picture('b.png') });
    expect((await coverOf())?.name).to.equal('b.png');
    const text = await failureOf(
      client.post('first').update({ cover: new Blob(['a'], { type: 'text/plain' }) }),
      ApiError,
    );
    expect(text.fields).to.have.keys('type');
    await client.post('first').update({ cover: null });
    expect(await coverOf()).to.equal(null);
  });

  it('reaches what is nested below a record', async () => {
    await newPost('first');
    const { comments } = client.post('first');
    const comment = await comments.create({ author_name: 'Bob', body: 'Nice.' });
    expect(await comments(comment.id).get()).to.deep.equal(comment);
    expect((await comments.list()).data).to.deep.equal([comment]);
    await comments(comment.id).delete();
    expect((await comments.list()).totalCount).to.equal(0);
  });

  it('gives pages, and every record page after page', async () => {
    await newPost('first');
    const { comments } = client.post('first');
    for (let n = 1; n <= 7; n++) await comments.create({ author_name: 'Bob', body: `${n}` });
    const page = await comments.list({ page: 2, pageSize: 3 });
    expect(page).to.include({ page: 2, pageSize: 3, totalPages: 3, totalCount: 7 });
    const bodies: string[] = [];
    for await (const { body } of comments.list.all({ pageSize: 3 })) bodies.push(body);
    expect(bodies).to.deep.equal(['1', '2', '3', '4', '5', '6', '7']);
    const rest: string[] = [];
    for await (const { body } of comments.list.all({ pageSize: 3, page: 3 })) rest.push(body);
    expect(rest).to.deep.equal(['7']);
    for await (const each of client.post.list.all()) expect.fail(each.slug);
  });

  it('asks for no more pages than are needed', async () => {
    await newPost('first');
    let requests = 0;
    const counting = createClient({
      baseUrl: live.url,
      fetch: (url, init) => {
        requests++;
        return fetch(url, init);
      },
    });
    for (let n = 1; n <= 3; n++) await client.post('first').comments.create({ author_name: 'Bob', body: `${n}` });
    for await (const each of counting.post('first').comments.list.all({ pageSize: 1 })) if (each.body === '2') break;
    expect(requests).to.equal(2);
  });

  it('sends the parameters of a list', async () => {
    await newPost('first');
    await client.post('first').publish();
    expect((await client.post.list({ least_comments: 0 })).totalCount).to.equal(1);
    expect((await client.post.list({ least_comments: 1 })).totalCount).to.equal(0);
  });

  it('encodes what goes into a path', async () => {
    const odd = ['a/b', 'a b', 'ä?x=1&y#z', '%2F', "it's", '...', '日本'];
    for (const name of odd) await live.database.query('INSERT INTO tag (name) VALUES ($1)', [name]);
    for (const name of odd) expect((await client.tag(name).get()).name).to.equal(name);
  });

  it('refuses values that would lead to another path', async () => {
    for (const name of ['', '.', '..', undefined as unknown as string]) {
      const error = await failureOf(client.tag(name).get(), TypeError);
      expect(error.message).to.match(/cannot be part of a path, so no record can have this tag_name/);
    }
  });

  it('throws what the API refuses', async () => {
    const error = await failureOf(client.post('nobody').get(), ApiError);
    expect(error).to.include({ name: 'ApiError', status: 404, code: 'not-found', otherContract: undefined });
    expect(error.message).to.match(/^GET \/api\/post\/nobody failed with 404 not-found: ./);
    expect(error.problem?.requestId).to.equal(error.headers?.get('x-request-id'));
    const invalid = await failureOf(client.author.create({ name: '', email: 'x' }), ApiError);
    expect(invalid).to.include({ status: 422, code: 'validation-failed' });
    expect(Object.keys(invalid.fields)).to.deep.equal(['name', 'email']);
    expect(invalid.fields.email?.[0]).to.include({ path: 'email', code: 'is-email' });
    expect(invalid.message).to.include('validation-failed: name ');
  });

  it('gives what the API refuses as a result', async () => {
    const refused = await client.post('nobody').get.result();
    if (refused.ok) return expect.fail('there is no such post');
    expect(refused).to.include({ ok: false, status: 404, code: 'not-found' });
    expect(refused.problem?.title).to.be.a('string');
    const made = await client.tag.create.result({ name: 'news' });
    if (!made.ok) throw made.error;
    expect(made).to.deep.include({ ok: true, status: 201, data: { name: 'news' } });
    expect(made.headers.get('location')).to.equal('/api/tag/news');
    const taken = await client.tag.create.result({ name: 'news' });
    if (taken.ok || taken.code !== 'validation-failed') return expect.fail('the name is taken');
    expect(taken.fields.name?.[0]?.code).to.equal('already-exists');
  });

  describe('behind a proxy with a prefix', () => {
    let proxy: SmallServer;

    before(async () => {
      proxy = await startProxy(live.url);
    });

    after(() => proxy.stop());

    for (const end of ['', '/', '//']) {
      it(`works with an address that ends in "shop${end}"`, async () => {
        const prefixed = createClient({ baseUrl: `${proxy.url}/shop${end}` });
        expect(await prefixed.tag.create({ name: 'news' })).to.deep.equal({ name: 'news' });
        expect(await prefixed.tag.list()).to.deep.equal([{ name: 'news' }]);
      });
    }

    it('says what answered where the prefix is forgotten', async () => {
      const error = await failureOf(createClient({ baseUrl: proxy.url }).tag.list(), ApiError);
      expect(error).to.include({ code: 'unexpected-answer', status: 404 });
      expect(error.message)
        .to.include('404 (text/html)')
        .and.to.include('Is baseUrl right')
        .and.to.include('nothing here');
    });
  });
});
