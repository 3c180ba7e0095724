import { type ChildProcess, spawn } from 'node:child_process';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { recordDeployment } from '../../../pipeline/ledger/deployments.ts';
import { serveReleases } from '../../../pipeline/serve/server.ts';
import { skipWithoutChromium, visit } from '../../console/chromium.ts';
import { gitIn } from '../git/git-repository.ts';
import { type ReleasedRepository, releasedRepository } from '../page/released-repository.ts';
import { kiln } from '../push/pushed-project.ts';
import { KILN } from '../run-kiln.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly page: string;
}

describe('the page over all releases', () => {
  let released: ReleasedRepository;
  let server: Server;
  let url: string;

  before(async () => {
    released = await releasedRepository(undefined, [2]);
    const [revision = ''] = released.revisions;
    const when = '2026-01-02T03:04:05.000Z';
    recordDeployment(released.repository, { environment: 'production', revision, branch: 'main', when, who: '<Ann>' });
    server = await serveReleases(released.repository, 0);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(() => server?.close());

  function ask(path: string, method = 'GET', host?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      const asked = request(`${url}${path}`, { method, headers }, (response) => {
        let page = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          page += text;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, page }));
      });
      asked.on('error', reject).end();
    });
  }

  it('lists them, the newest first, with verdicts and what is live where', async () => {
    const { status, page } = await ask('/');
    expect(status).to.equal(200);
    const subjects = [...page.matchAll(/<a href="\/release\/\w+\?branch=main">(Release \d)[^<]*<\/a>/g)].map(
      ([, name]) => name,
    );
    expect(subjects).to.deep.equal(['Release 3', 'Release 2', 'Release 1']);
    expect(page).to.include('<span class="tag bad">failed</span>').and.to.include('live in production');
    expect(page).to.include('2026-01-02 03:04 UTC').and.to.include('&lt;Ann&gt;').and.not.to.include('<Ann>');
  });

  it('has the report of each', async () => {
    const { page } = await ask(`/release/${released.revisions[1]}?branch=main`);
    expect(page)
      .to.include('<h1>Release 2, in which')
      .and.to.include('it did not start')
      .and.to.include('All releases of');
    const missing = await ask(`/release/${'0'.repeat(40)}`);
    expect([missing.status, missing.page.includes('000000000000 is not a release.')]).to.deep.equal([404, true]);
  });

  it('compares any two, in both directions', async () => {
    const [first, , third] = released.revisions;
    const { status, page } = await ask(`/difference?from=${first}&to=${third}`);
    expect(status).to.equal(200);
    expect(page).to.include('main 1').and.to.include('main 3').and.to.include('+ Author');
    expect((await ask(`/difference?from=${third}&to=${first}`)).page).to.include('− Author');
    for (const query of ['', '?from=main&to=HEAD', `?from=${first}`, '?from=--help&to=x'])
      expect(await ask(`/difference${query}`), query).to.deep.include({ status: 404 });
  });

  it('finds models and endpoints, with the releases that changed them', async () => {
    const eventsIn = (page: string): readonly string[] =>
      [...page.matchAll(/>(added|changed|removed)<\/span><\/div><div class="says"><a [^>]*>(Release \d)[^<]*</g)].map(
        ([, change, release]) => `${release} ${change}`,
      );
    expect(eventsIn((await ask('/?q=author')).page)).to.deep.equal(['Release 3 added']);
    expect(eventsIn((await ask('/?q=GET+%2Fapi%2Fpost&branch=main')).page)).to.include.members(['Release 1 added']);
    expect(eventsIn((await ask('/?q=Post')).page)).to.include('Release 2 changed');
    expect((await ask('/?q=%3Cb%3Enothing')).page)
      .to.include('Found for “&lt;b&gt;nothing”')
      .and.to.include('No release has');
  });

  it('shows what has been recorded since', async () => {
    const [, revision = ''] = released.revisions;
    const when = '2026-02-03T04:05:06.000Z';
    recordDeployment(released.repository, { environment: 'staging', revision, branch: 'main', when, who: 'Bob' });
    expect((await ask('/')).page).to.include('live in staging');
    gitIn(released.bare, 'update-ref', '-d', 'refs/kiln/deployed/staging');
    expect((await ask('/')).page).not.to.include('live in staging');
  });

  it('is served to no other name, and changes nothing', async () => {
    const { port } = server.address() as AddressInfo;
    expect((server.address() as AddressInfo).address).to.equal('127.0.0.1');
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`])
      expect(await ask('/', 'GET', host), host).to.deep.include({ status: 421 });
    expect(await ask('/', 'GET', `localhost:${port}`)).to.deep.include({ status: 200 });
    for (const method of ['POST', 'PUT', 'DELETE']) expect(await ask('/', method)).to.deep.include({ status: 405 });
    const { headers } = await ask('/');
    const policy = String(headers['content-security-policy']);
    expect(policy)
      .to.match(/^default-src 'none'; style-src 'sha256-/)
      .and.to.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe').and.not.to.include('script-src');
    expect(headers['access-control-allow-origin']).to.equal(undefined);
    expect(await ask('/../../etc/passwd')).to.deep.include({ status: 404 });
    expect((await ask('/', 'HEAD')).page).to.equal('');
  });

  it('says why it cannot be shown', async () => {
    const ledger = 'refs/kiln/releases/odd';
    gitIn(released.bare, 'update-ref', ledger, 'main');
    const { status, page } = await ask('/');
    gitIn(released.bare, 'update-ref', '-d', ledger);
    expect(status).to.equal(500);
    expect(page).to.include('is damaged').and.to.include('is not a release');
  });

  it('is started by `kiln pipeline serve`, until it is stopped', async () => {
    const child = spawn(process.execPath, [KILN, 'pipeline', 'serve', released.bare, '--port', '0']);
    const address = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(/http:\S+/.exec(text)?.[0] ?? text));
    });
    expect(await (await fetch(address)).text()).to.include('Release 3');
    expect(await stopped(child)).to.equal(0);
  });

  it('says that the port is in use, or that there is no repository', () => {
    const { port } = server.address() as AddressInfo;
    expect(kiln('pipeline', 'serve', released.bare, '--port', String(port))).to.deep.equal({
      status: 1,
      said: `error: the port ${port} is in use; choose another one with \`--port\`\n`,
    });
    expect(kiln('pipeline', 'serve', '/nowhere')).to.deep.equal({
      status: 1,
      said: 'error: `/nowhere` does not exist\n',
    });
  });

  describe('in a browser', () => {
    before(function () {
      skipWithoutChromium(this);
    });

    it('is usable on a phone, light and dark, without scrolling sideways, and asks nobody else', async () => {
      const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
      await visit(
        url,
        async ({ page, complaints, origins }) => {
          const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
          expect(await isTooWide()).to.equal(false);
          await page.click('#releases a >> nth=0');
          await page.waitForSelector('#build');
          expect(await page.locator('.diagram .model').count()).to.equal(2);
          expect(await isTooWide()).to.equal(false);
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.click('nav.back a');
          await page.selectOption('select[name="from"]', { index: 2 });
          await page.click('#compare button');
          await page.waitForSelector('#difference');
          expect(await page.locator('h1').textContent()).to.match(/^main 1 .* → main 3/);
          expect(await isTooWide()).to.equal(false);
          expect([...complaints]).to.deep.equal([]);
          expect([...origins]).to.deep.equal([url]);
        },
        phone,
      );
    });
  });
});

function stopped(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code));
    child.kill('SIGTERM');
  });
}
