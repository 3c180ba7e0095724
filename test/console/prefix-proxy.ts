/** A reverse proxy that serves an application below a path, and tells it nothing of that. */
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

interface PrefixProxy {
  /** With the prefix, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startPrefixProxy(target: string, prefix: string): Promise<PrefixProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end('not below the prefix');
      return;
    }
    const options = { hostname, port, method, headers, path: url.slice(prefix.length) };
    const upstream = forward(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
