import { type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import type { ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { type DocumentedApplication, documentedApplication } from './documented-application.ts';

const program = (generator: string, model = 'Note') =>
  definitionOf([
    {
      path: 'main.kiln',
      text: `model ${model} { field text { type string } }
api { entrypoint ${model} as note { list endpoint {}, get endpoint {} } }
${generator}`,
    },
  ]);

describe('the console over HTTP', () => {
  let application: DocumentedApplication;

  before(async () => {
    await loadGrammar();
    application = await documentedApplication(program(''), 'Notes & <Co>');
  });

  after(() => application.server.stop());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    answerOf(`${application.server.url}${path}`, headers, method);

  it('lets nothing in that is not of its own origin', async () => {
    const { headers } = await ask('/docs');
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
    );
    expect(headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('has the document of the API in every form, and sends it once', async () => {
    const plain = await ask('/openapi.json');
    expect(JSON.parse(plain.text).info.title).to.equal('Notes & <Co>');
    expect(plain.headers).to.include({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
    for (const [encoding, open] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await ask('/openapi.json', { 'accept-encoding': encoding });
      expect(headers).to.include({ 'content-encoding': encoding, etag: plain.headers.etag });
      expect(open(bytes).toString()).to.equal(plain.text);
    }
    const { status, text } = await ask('/openapi.json', { 'if-none-match': plain.headers.etag ?? '' });
    expect([status, text]).to.deep.equal([304, '']);
  });

  it('has no script, style or absolute address in itself', async () => {
    const { text } = await ask('/docs');
    expect(text).to.not.match(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
    expect(linksIn(text).filter((link) => /^(\/|https?:)/.test(link))).to.deep.equal([]);
  });

  it('escapes the title', async () => {
    const { text } = await ask('/docs');
    expect(text).to.include('<h1>Notes &amp; &lt;Co&gt;</h1>').and.include('1.2.3');
  });

  for (const path of ['/docs', '/docs/', '/docs?from=mail', '/docs/?from=mail']) {
    it(`links to what is there from ${path}`, async () => {
      const { text } = await ask(path);
      const links = linksIn(text).filter((link) => link.startsWith('.'));
      expect(links).to.have.length.greaterThan(4);
      for (const link of links) {
        const { pathname } = new URL(link, `${application.server.url}${path}`);
        expect((await ask(pathname)).status, pathname).to.equal(200);
      }
    });
  }

  it('is not sent again to whoever has it', async () => {
    for (const path of ['/docs', '/docs/models.json']) {
      const { headers } = await ask(path);
      expect(headers['cache-control']).to.equal('no-cache');
      const tag = headers.etag ?? '';
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await ask(path, { 'if-none-match': known });
        expect([again.status, again.text, again.headers.etag]).to.deep.equal([304, '', tag]);
      }
      expect((await ask(path, { 'if-none-match': '"other"' })).status).to.equal(200);
    }
  });

  it('answers HEAD without the body', async () => {
    const [page, head] = [await ask('/docs'), await ask('/docs', {}, 'HEAD')];
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(head.headers['content-length']).to.equal(page.headers['content-length']);
    expect(head.headers.etag).to.equal(page.headers.etag);
  });

  it('refuses other methods', async () => {
    const { status, headers } = await ask('/docs', {}, 'POST');
    expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
  });

  describe('its parts', () => {
    let script: string;

    before(async () => {
      const { text } = await ask('/docs');
      script = new URL(/type="module" src="([^"]+)"/.exec(text)?.[1] ?? '', `${application.server.url}/docs`).pathname;
    });

    const DECODED = { br: brotliDecompressSync, gzip: gunzipSync } as const;

    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['*', 'br'],
      ['deflate', undefined],
      ['', undefined],
    ] as const) {
      it(`are sent as ${encoding ?? 'they are'} to whoever accepts \`${accepted}\``, async () => {
        const plain = await ask(script);
        const { headers, bytes } = await ask(script, { 'accept-encoding': accepted });
        expect(headers['content-encoding']).to.equal(encoding);
        expect(headers.vary).to.include('accept-encoding');
        const decoded = encoding ? DECODED[encoding](bytes) : bytes;
        expect(decoded.equals(plain.bytes)).to.equal(true);
      });
    }

    it('are kept for good, because their names change with them', async () => {
      const { headers } = await ask(script);
      expect(script).to.match(/main-[A-Z0-9]{8}\.js$/);
      expect(headers).to.include({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
    });

    it('answer HEAD without the body', async () => {
      const head = await ask(script, { 'accept-encoding': 'br' }, 'HEAD');
      const whole = await ask(script, { 'accept-encoding': 'br' });
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(String(whole.bytes.length));
    });

    for (const name of [
      'nothing.js',
      'manifest.json',
      '..%2fmain.mjs',
      '%2e%2e%2f%2e%2e%2fpackage.json',
      'x',
      '%00.js',
    ]) {
      it(`are not \`${name}\``, async () => {
        const { status, headers, text } = await ask(`/docs/assets/${name}`);
        expect(status).to.equal(404);
        expect(headers['content-type']).to.equal('application/problem+json');
        expect(headers['cache-control']).to.equal('no-store');
        expect(JSON.parse(text)).to.include({ code: 'not-found', status: 404 });
      });
    }

    it('come with the licences of others', async () => {
      const { text } = await ask('/docs');
      const link = /href="([^"]+licenses[^"]+)"/.exec(text)?.[1] ?? '';
      const licenses = await ask(new URL(link, `${application.server.url}/docs`).pathname);
      expect(licenses.text).to.include('Jason Miller').and.include('Chris Pettitt');
    });
  });

  it('shows what a reload brings', async () => {
    const changed = program('', 'Letter');
    const openApi = openApiText(openApiFromDefinition(changed, { title: 'Letters', version: '2' }));
    const before = await ask('/docs/models.json');
    application.server.reload({ definition: changed, hooks: {}, openApi });
    const after = await ask('/docs/models.json', { 'if-none-match': before.headers.etag ?? '' });
    expect(after.status).to.equal(200);
    expect(after.text).to.include('Letter').and.not.include('Note');
    expect((await ask('/docs')).text).to.include('<h1>Letters</h1>');
  });
});

describe('where the console is', () => {
  before(() => loadGrammar());

  const AT: readonly (readonly [string, string])[] = [
    ['generator apidocs {}', '/docs'],
    ['generator apidocs { basePath "/docs" }', '/docs'],
    ['generator apidocs { basePath "/api" }', '/api'],
    ['generator apidocs { basePath "/for/people" }', '/for/people'],
    // The application and those who run it go first.
    ['generator apidocs { basePath "/api/note" }', '/docs'],
    ['generator apidocs { basePath "/metrics" }', '/docs'],
    ['generator apidocs { basePath "/openapi.json" }', '/docs'],
  ];

  for (const [generator, path] of AT) {
    it(`is ${path} with \`${generator}\``, async () => {
      const { server } = await documentedApplication(program(generator), 'notes');
      try {
        const { status, text } = await answerOf(`${server.url}${path}`, {}, 'GET');
        expect([status, text.includes('<h1>notes</h1>')]).to.deep.equal([200, true]);
        const styles = new URL(/stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? '', `${server.url}${path}`);
        expect((await answerOf(styles.href, {}, 'GET')).status).to.equal(200);
        expect((await fetch(`${server.url}/docs`)).url).to.equal(`${server.url}${path}`);
        expect((await fetch(`${server.url}/docs/`)).headers.get('content-type')).to.include('text/html');
      } finally {
        await server.stop();
      }
    });
  }

  for (const [what, variable, expected] of [
    ['is nowhere with DOCS_PAGE=off, while the document stays', 'DOCS_PAGE', [404, 404, 200]],
    ['is nowhere with DOCS=off, and neither is the document', 'DOCS', [404, 404, 404]],
  ] as const) {
    it(what, async () => {
      const { server } = await documentedApplication(program(''), 'notes', {}, { [variable]: 'off' });
      try {
        const statuses = ['/docs', '/docs/models.json', '/openapi.json'].map(
          async (path) => (await answerOf(`${server.url}${path}`, {}, 'GET')).status,
        );
        expect(await Promise.all(statuses)).to.deep.equal(expected);
      } finally {
        await server.stop();
      }
    });
  }
});

describe('the console of development', () => {
  const options: ConsoleOptions = {
    key: 'the "key"',
    place: 'root',
    hosts: ['127.0.0.1'],
    access: () => ({ 'GET /api/note': { rule: 'anyone', records: null } }),
  };
  let application: DocumentedApplication;

  before(async () => {
    await loadGrammar();
    application = await documentedApplication(program(''), 'notes', {}, { CORS_ORIGIN: '*' }, options);
  });

  after(() => application.server.stop());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    answerOf(`${application.server.url}${path}`, headers, 'GET');

  it('is at `/` too, with links to what is there', async () => {
    const { status, text, headers } = await ask('/');
    expect(status).to.equal(200);
    expect(headers['content-security-policy']).to.include("default-src 'none'");
    for (const link of linksIn(text).filter((each) => each.startsWith('.'))) {
      const { pathname } = new URL(link, `${application.server.url}/`);
      expect((await ask(pathname)).status, pathname).to.equal(200);
    }
  });

  it('has the key in its page, for this machine alone', async () => {
    for (const path of ['/', '/docs']) {
      const { text, headers } = await ask(path);
      expect(text).to.include('data-key="the &quot;key&quot;"');
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers).to.not.have.any.keys('access-control-allow-origin', 'etag');
      expect((await ask(path, { host: 'evil.example' })).text).to.not.include('data-key');
    }
  });

  it('tells its rules to who has the key', async () => {
    expect((await ask('/_console/access')).status).to.equal(403);
    expect((await ask('/_console/access', { 'x-kiln-console': options.key })).text).to.equal(
      '{"GET /api/note":{"rule":"anyone","records":null}}',
    );
  });

  it('is not there without options', async () => {
    const { server } = await documentedApplication(program(''), 'notes');
    try {
      for (const path of ['/', '/_console/access']) {
        expect((await answerOf(`${server.url}${path}`, { 'x-kiln-console': '' }, 'GET')).status).to.equal(404);
      }
      expect((await answerOf(`${server.url}/docs`, {}, 'GET')).text).to.not.include('data-key');
    } finally {
      await server.stop();
    }
  });
});

interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** As it is on the wire: `fetch` would decompress, and would tidy the path. */
function answerOf(url: string, headers: Readonly<Record<string, string>>, method: string): Promise<PlainAnswer> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf('/', 'http://'.length));
  return new Promise((resolve, reject) => {
    const request = sendRequest({ hostname, port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .once('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
        });
    });
    request.once('error', reject).end();
  });
}

function linksIn(html: string): readonly string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string);
}
