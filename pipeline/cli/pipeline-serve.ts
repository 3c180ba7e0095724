/** `kiln pipeline serve`: a local page over all releases. */
import type { AddressInfo } from 'node:net';
import { openRepository } from '../git/repository.ts';
import { HOST, serveReleases } from '../serve/server.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { listenRefusal } from './listening.ts';
import { openInBrowser } from './open-in-browser.ts';
import { told } from './pipeline.ts';
import { fired, stopSignal } from './stop-signal.ts';
import { note, print, refuse } from './terminal.ts';

interface ServeOptions {
  readonly port: number;
  readonly open?: true;
}

export function serve(folder: string, { port, open }: ServeOptions): Promise<ExitCode> {
  return told(async () => {
    const repository = openRepository(folder);
    const stop = stopSignal();
    try {
      const server = await serveReleases(repository, port);
      const address = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
      print(`The releases of ${repository.sharedFolder}: ${address}`);
      if (open && !(await openInBrowser(address))) note('No browser could be started: open the address yourself.');
      await fired(stop);
      server.close();
      server.closeAllConnections();
      return EXIT.ok;
    } catch (error) {
      const sentence = listenRefusal(error, { host: HOST, port });
      if (sentence === undefined) throw error;
      return refuse(sentence);
    }
  });
}
