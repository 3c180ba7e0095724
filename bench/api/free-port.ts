import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine that nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const holder = createServer().once('error', reject);
    holder.listen(0, '127.0.0.1', () => {
      const { port } = holder.address() as AddressInfo;
      holder.close(() => resolve(port));
    });
  });
}
