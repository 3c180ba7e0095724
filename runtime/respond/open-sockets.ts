import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const SOCKETS = new WeakMap<Server, Set<Socket>>();

/** The sockets of clients that are open now. node:http has such a list too, but does not show it. Call it before listening. */
export function openSocketsOf(server: Server): ReadonlySet<Socket> {
  return SOCKETS.get(server) ?? track(server);
}

function track(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  SOCKETS.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
