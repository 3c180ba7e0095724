/** Answers as an engine does whose like is not at hand: one from long ago, or one whose disk is full. */
import { createServer, type Server } from 'node:http';

interface EngineAnswers {
  readonly version: {
    readonly Version: string;
    readonly ApiVersion: string;
    readonly Os?: string;
    readonly Arch?: string;
  };
  /** The lines of progress of a load. */
  readonly loading?: readonly unknown[];
  /** The images that it has; all of them where they are not given. */
  readonly images?: readonly string[];
  /** By which registries know its images. */
  readonly digests?: readonly string[];
}

const BASE = { Id: 'sha256:1', Architecture: 'amd64', Os: 'linux', RootFS: { Layers: ['sha256:2'] }, Config: {} };

export class StandInEngine {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.host = `tcp://127.0.0.1:${port}`;
  }

  static async start({ version, loading = [], images, digests = [] }: EngineAnswers): Promise<StandInEngine> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const path = request.url ?? '';
        if (path.endsWith('/version')) return response.end(JSON.stringify(version));
        if (path.includes('/images/load'))
          return response.end(loading.map((line) => `${JSON.stringify(line)}\r\n`).join(''));
        if (path.endsWith('/json') && images?.every((name) => !path.includes(`/images/${name}/`))) {
          response.statusCode = 404;
          return response.end(JSON.stringify({ message: 'no such image' }));
        }
        if (path.endsWith('/json')) return response.end(JSON.stringify({ ...BASE, RepoDigests: digests }));
        if (path.includes('/tag?')) {
          response.statusCode = 201;
          return response.end();
        }
        response.statusCode = 500;
        return response.end(JSON.stringify({ message: 'no space left on device' }));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    server.unref();
    const address = server.address();
    return new StandInEngine(server, typeof address === 'object' && address ? address.port : 0);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
