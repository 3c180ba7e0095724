/**
 * A server for whoever runs it: it listens on this machine only, answers only to its own names, and changes nothing. A page
 * of another site can neither read what it says nor reach it under a name of its own.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GitRefusal } from '../git/git-refusal.ts';
import type { Repository } from '../git/repository.ts';
import { LedgerRefusal } from '../ledger/ledger-refusal.ts';
import { policy } from '../page/frame.ts';
import { messagePage } from '../page/message-page.ts';
import { PushRefusal } from '../push/push-refusal.ts';
import { ReleasePages } from './pages.ts';

export const HOST = '127.0.0.1';
const ORIGIN = `http://${HOST}`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${policy(true)}; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

interface Answer {
  readonly status: number;
  readonly page: string;
}

/** Gives the server when it listens. */
export function serveReleases(repository: Repository, port: number): Promise<Server> {
  const pages = new ReleasePages(repository);
  const server = createServer((request, response) => {
    const { status, page } = answerTo(request, pages, (server.address() as AddressInfo).port);
    const isHead = request.method === 'HEAD';
    const body = Buffer.from(page);
    response.writeHead(status, {
      ...HEADERS,
      'content-length': body.length,
      ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(isHead ? undefined : body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port, exclusive: true }, () => resolve(server));
  });
}

function answerTo({ method, url, headers }: IncomingMessage, pages: ReleasePages, port: number): Answer {
  if (!isOwnName(headers.host, port))
    return { status: 421, page: messagePage('Not here', `this server is only for \`${HOST}:${port}\``) };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, page: messagePage('Not allowed', 'this server is read-only') };
  if (!URL.canParse(url ?? '/', ORIGIN))
    return { status: 400, page: messagePage('Not understood', 'this is not a valid address') };
  try {
    const { pathname, searchParams } = new URL(url ?? '/', ORIGIN);
    return pages.serve(pathname, searchParams);
  } catch (error) {
    return { status: 500, page: messagePage('This cannot be shown', reasonIn(error)) };
  }
}

/** A site whose name leads to this machine would be another one. */
function isOwnName(host: string | undefined, port: number): boolean {
  return [HOST, 'localhost', '[::1]'].some((name) => host === `${name}:${port}` || (port === 80 && host === name));
}

function reasonIn(error: unknown): string {
  const isRefusal = [GitRefusal, LedgerRefusal, PushRefusal].some((kind) => error instanceof kind);
  return isRefusal
    ? (error as Error).message
    : 'the records cannot be read; another version of Kiln may have written them';
}
