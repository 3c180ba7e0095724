import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { attachProvenance } from '../../../pipeline/bake/provenance-files.ts';
import { digestOf } from '../../../pipeline/image/layer.ts';
import { attachFiles } from '../../../pipeline/image/registry-client.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';

const MANIFEST = '{"a":1}';
const DIGEST = digestOf(MANIFEST);
const FILES = { 'sbom.cdx.json': '{"sbom":1}\n', 'provenance.json': '{"provenance":1}\n' };
const FILE = { name: 'sbom.cdx.json', mediaType: 'application/vnd.cyclonedx+json', text: '{"sbom":1}\n' };
const WHO = { username: 'ann', password: 'canary-pass', serveraddress: '' };

describe('what is attached to an image', () => {
  let server: Server;
  let host: string;
  let asked: string[];
  let answer: (request: IncomingMessage, response: ServerResponse) => boolean;

  beforeEach(async () => {
    asked = [];
    answer = () => false;
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      request.on('end', () => answer(request, response) || usual(request, response));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => new Promise((closed) => server.close(closed)));

  /** As a registry that has the image and nothing else. */
  function usual({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    if (method === 'GET' && url.includes(DIGEST)) response.end(MANIFEST);
    else if (method === 'HEAD' || method === 'GET') response.writeHead(404).end();
    else if (method === 'POST') response.writeHead(202, { location: '/v2/acme/blog/blobs/uploads/1?state=x' }).end();
    else response.writeHead(201).end();
  }

  function attach(): Promise<void> {
    return attachFiles(`${host}/acme/blog`, DIGEST, [FILE], WHO);
  }

  it('is listed under a tag where the registry keeps no list of its own', async () => {
    await attach();
    expect(asked.at(-1)).to.equal(`PUT /v2/acme/blog/manifests/${DIGEST.replace(':', '-')}`);
    expect(asked).to.include.members(['POST /v2/acme/blog/blobs/uploads/']);
    expect(asked.filter((line) => line.startsWith('PUT /v2/acme/blog/blobs/uploads/1?state=x&digest='))).to.have.length(
      2,
    );
  });

  it('is listed by the registry itself where it can', async () => {
    answer = ({ method, url = '' }, response) => {
      const isManifest = method === 'PUT' && url.includes('/manifests/sha256:');
      if (isManifest) response.writeHead(201, { 'oci-subject': DIGEST }).end();
      return isManifest;
    };
    await attach();
    expect(asked.filter((line) => line.includes('manifests/sha256-'))).to.deep.equal([]);
  });

  it('is uploaded with a token, where the registry names a service for tokens', async () => {
    const seen: (string | undefined)[] = [];
    answer = ({ url = '', headers }, response) => {
      seen.push(headers.authorization);
      if (url.startsWith('/token')) response.end('{"token":"canary-token"}');
      else if (headers.authorization === 'Bearer canary-token') return false;
      else
        response
          .writeHead(401, { 'www-authenticate': `Bearer realm="http://${host}/token",service="s",scope="push"` })
          .end();
      return true;
    };
    await attach();
    expect(asked[1]).to.equal('GET /token?service=s&scope=push');
    expect(seen.slice(0, 3)).to.deep.equal([
      undefined,
      `Basic ${Buffer.from('ann:canary-pass').toString('base64')}`,
      'Bearer canary-token',
    ]);
  });

  it('keeps the credentials from a service for tokens that is elsewhere and without a certificate', async () => {
    answer = (_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://tokens.example/",service="s"' }).end();
      return true;
    };
    const refusal = await attach().catch(({ message }: Error) => message);
    expect(refusal).to.equal('401 Unauthorized');
    expect(asked).to.have.length(1);
  });

  it('is not attached to something else than the image that was pushed', async () => {
    answer = ({ method, url = '' }, response) => {
      const isImage = method === 'GET' && url.includes(DIGEST);
      if (isImage) response.end('{"a":2}');
      return isImage;
    };
    expect(await attach().catch(({ message }: Error) => message)).to.equal(`it gave something else than ${DIGEST}`);
  });

  it('sends no password to a server that the registry only names', async () => {
    const other = createServer((request, response) => {
      asked.push(`elsewhere ${request.method} ${request.headers.authorization ?? ''}`);
      response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${host}/token"` }).end();
    });
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    const { port } = other.address() as AddressInfo;
    answer = ({ method }, response) => {
      if (method === 'POST') response.writeHead(202, { location: `http://127.0.0.1:${port}/upload` }).end();
      return method === 'POST';
    };
    const refusal = await attach().catch(({ message }: Error) => message);
    await new Promise((closed) => other.close(closed));
    expect(refusal).to.equal('401 Unauthorized');
    expect(asked.filter((line) => line.startsWith('elsewhere') || line.includes('/token'))).to.deep.equal([
      'elsewhere PUT ',
    ]);
  });

  async function said(digests: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const lines: string[] = [];
    await attachProvenance(digests, FILES, new Steps((line) => lines.push(line.replace(/ +\d+ ms /, ''))));
    return lines;
  }

  it('is a sentence where a registry does not take it, and once for all tags of an image', async () => {
    answer = ({ method, url = '' }, response) => {
      const isManifest = method === 'PUT' && url.includes('/manifests/');
      if (isManifest) response.writeHead(405).end();
      return isManifest;
    };
    const rest = 'The image was pushed, and the files are stored with the release';
    expect(await said({ [`${host}/acme/blog:1`]: DIGEST, [`${host}/acme/blog:main`]: DIGEST })).to.deep.equal([
      `attach not accepted by ${host}: 405 Method Not Allowed. ${rest}`,
    ]);
    const closed = `127.0.0.1:${await freePort()}`;
    expect(await said({ [`${closed}/blog:1`]: DIGEST })).to.deep.equal([
      `attach not accepted by ${closed}: connection refused. ${rest}`,
    ]);
  });
});
