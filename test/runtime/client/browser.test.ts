/** The JavaScript of a client in a real browser, with the API on the origin of the page. */
import { request } from 'node:http';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { clientFiles } from '../../../pipeline/clients/write-clients.ts';
import { clientFrom } from '../../compiler/client/clients.ts';
import { exampleDefinition } from '../../compiler/openapi/documents.ts';
import { skipWithoutChromium, visit } from '../../console/chromium.ts';
import { PNG } from '../files/bucket.ts';
import { type Live, type SmallServer, startExample, startServer } from './live.ts';

const SCRIPT = `import { ApiError, createClient } from '/client.js';
const client = createClient({ baseUrl: '', onContractMismatch: ({ server }) => { document.body.dataset.server = server; } });
for (const name of ['a', 'b/c']) await client.tag.create.result({ name });
await client.author.create({ name: 'Ann', email: 'ann@example.com' });
const made = { author_email: 'ann@example.com', slug: 'first', title: 'First' };
const bytes = await (await fetch('/cover.png')).blob();
await client.post.create({ ...made, cover: new File([bytes], 'a.png', { type: 'image/png' }) });
const { cover } = await client.post('first').get();
const names = [];
for await (const { name } of client.author.list.all({ pageSize: 1 })) names.push(name);
const gone = AbortSignal.abort();
document.body.textContent = JSON.stringify([
  names,
  (await client.tag.list()).map(({ name }) => name),
  (await client.tag.list.result({ signal: gone })).code,
  [cover.name, (await (await fetch(cover.url)).blob()).size],
  await client.author(0).get().catch((error) => error instanceof ApiError && error.code),
]);
document.body.id = 'done';`;

describe('a client in a browser', () => {
  let live: Live;
  let site: SmallServer;

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    live = await startExample('blog', 'aaaaaaaaaaaaaaaa');
    const [code] = await clientFiles(clientFrom(exampleDefinition('blog'), 'blog'), 'js');
    const files = new Map<string, readonly [string, string | Buffer]>([
      [
        '/',
        [
          'text/html',
          '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
        ],
      ],
      ['/page.js', ['text/javascript', SCRIPT]],
      ['/client.js', ['text/javascript', code?.content ?? '']],
      ['/cover.png', ['image/png', PNG]],
    ]);
    site = await startServer((incoming, response) => {
      const [type, content] = files.get(incoming.url ?? '') ?? [];
      if (type !== undefined) return response.writeHead(200, { 'content-type': type }).end(content);
      const { method, headers } = incoming;
      return incoming.pipe(
        request(live.url + incoming.url, { method, headers }, (answer) => {
          answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
        }),
      );
    });
  });

  after(async () => {
    site?.stop();
    await live?.stop();
  });

  it('does what it does elsewhere', async () => {
    const looks: (string | null)[] = [];
    await visit(site.url, async ({ page }) => {
      await page.waitForSelector('#done');
      looks.push(await page.textContent('body'), await page.getAttribute('body', 'data-server'));
    });
    expect(looks).to.deep.equal([
      JSON.stringify([['Ann'], ['a'], 'aborted', ['a.png', PNG.length], 'not-found']),
      'aaaaaaaaaaaaaaaa',
    ]);
  });
});
