/** How the client of the blog may be used, and how not. Only its types count: the functions are never called. */
import { ApiError, type Client, createClient, type Page, type Post, type PostListQuery } from '../golden/blog.ts';

export const clients: readonly Client[] = [
  createClient({ baseUrl: 'https://example.com' }),
  createClient({ baseUrl: new URL('https://example.com/shop/'), fetch: globalThis.fetch }),
  createClient({ baseUrl: '', token: 'abc', headers: { 'x-tenant': 'a' }, timeout: 1000, retries: 0 }),
  createClient({ baseUrl: '', token: () => null, headers: () => ({ 'x-tenant': 'a' }) }),
  createClient({
    baseUrl: '',
    token: async () => 'abc',
    headers: async () => ({}),
    onContractMismatch: () => undefined,
  }),
  createClient({ baseUrl: '', headers: new Headers() }),
  createClient({ baseUrl: '', headers: [['x-tenant', 'a']] as const }),
  createClient({ baseUrl: '', headers: () => undefined, timeout: Number.POSITIVE_INFINITY }),
  // @ts-expect-error: the address is needed
  createClient({}),
  // @ts-expect-error: there is no such option
  createClient({ baseUrl: '', url: '' }),
];

export async function calls(client: Client, signal: AbortSignal): Promise<void> {
  const page: Page<Post> = await client.post.list({ page: 2, least_comments: 3 }, { signal, timeout: 100 });
  const publishedAt: string | null | undefined = page.data[0]?.published_at;
  const query: PostListQuery = { pageSize: 5 };
  for await (const post of client.post.list.all(query)) await client.post(post.slug).delete();
  await client.post.create({ author_email: 'a@example.com', slug: 'a', title: 'A title' });
  await client.post('a').update({ cover: new Blob([]) });
  const cover: string | undefined = (await client.post('a').get()).cover?.url;
  await client.post('a').update({ cover: cover === undefined ? null : new File([], 'a.png') });
  const { url, headers } = await client.post.cover.upload({ name: 'a.png', type: 'image/png', size: 1 });
  await fetch(url, { method: 'PUT', headers, body: 'a' });
  await client.post('a').comments.create({ author_name: publishedAt ?? 'A', body: 'B' });
  const comment: { id: number; created_at: string } = await client.post('a').comments(1).get();
  await client.post('a').publish({ signal });
  const drafts: readonly { slug: string; author: { name: string } }[] = await client.post.drafts();
  await client.author(comment.id).update({ bio: null });
  await client.author(1).update();
  await client.author(1).update({ name: undefined, bio: undefined }, { headers: new Headers() });
  await client.post.list({ page: undefined, least_comments: undefined });
  String(drafts.length);
}

export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error: no such resource
  await client.posts.list();
  // @ts-expect-error: an author is found by a number
  await client.author('a').get();
  // @ts-expect-error: a record is needed first
  await client.post.get();
  // @ts-expect-error: the title is needed
  await client.post.create({ author_email: 'a@example.com', slug: 'a' });
  // @ts-expect-error: whether it is published is not for the caller to say
  await client.post.create({ author_email: 'a@example.com', slug: 'a', title: 'A title', published: true });
  // @ts-expect-error: the title may be left out, but is never null
  await client.post('a').update({ title: null });
  // @ts-expect-error: a file is a Blob, or the id of an upload
  await client.post('a').update({ cover: { name: 'a.png' } });
  // @ts-expect-error: another type is not taken
  await client.post.cover.upload({ name: 'a.txt', type: 'text/plain', size: 1 });
  // @ts-expect-error: no such parameter
  await client.post.list({ pages: 2 });
  // @ts-expect-error: the page is a number
  await client.post.list({ page: '2' });
  // @ts-expect-error: this list has no pages
  for await (const tag of client.tag.list.all()) String(tag);
  // @ts-expect-error: the list does not tell the body
  String((await client.post.list()).data[0]?.body);
  // @ts-expect-error: nothing is answered
  String((await client.post('a').delete()).slug);
}

export async function results(client: Client): Promise<string> {
  const result = await client.post('a').get.result();
  if (result.ok) return result.data.body;
  // @ts-expect-error: there is no data where it failed
  String(result.data);
  switch (result.code) {
    case 'not-found': {
      const status: 404 = result.status;
      return `${status} ${result.problem.requestId}`;
    }
    case 'malformed-request':
    case 'internal':
    case 'unavailable':
      return result.problem.title;
    case 'network':
    case 'timeout':
    case 'aborted': {
      const problem: undefined = result.problem;
      return String(problem);
    }
    case 'unexpected-answer':
      return String(result.headers?.get('content-type'));
    // @ts-expect-error: a get is never refused with this
    case 'conflict':
      return '';
  }
}

export async function errors(client: Client): Promise<readonly string[]> {
  try {
    await client.tag.create({ name: '!' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'validation-failed')
      return Object.values(error.fields)
        .flat()
        .map((each) => each?.message ?? '');
    return [error.message, String(error.status), error.problem?.requestId ?? '', error.otherContract ?? ''];
  }
  return [];
}
