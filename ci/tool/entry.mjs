/**
 * Starts `kiln` in a container as the one to whom the mounted folder belongs, so that what it writes belongs to them too
 * and git trusts the folder. The group of Docker's socket is kept, for whoever has mounted it.
 */
import { statSync } from 'node:fs';

const SOCKET = '/var/run/docker.sock';

const { uid, gid } = statSync('.');
if (process.getuid() === 0 && uid !== 0) {
  const socket = statSync(SOCKET, { throwIfNoEntry: false });
  process.setgroups(socket ? [gid, socket.gid] : [gid]);
  process.setgid(gid);
  process.setuid(uid);
}
process.argv[1] = '/opt/kiln/dist/kiln.js';
await import('./dist/kiln.js');
