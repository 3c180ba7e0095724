/** The server of an image, in a container that may write nothing: until it is ready, asked, and told to stop. */
import type Docker from 'dockerode';
import { repeated, within } from './patience.ts';
import type { Room } from './room.ts';
import type { RoomContainer } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';

const PORT = 3000;
const LONGEST_START = 60_000;
const LONGEST_ANSWER = 60_000;
const LONGEST_STOP = 60_000;

export interface ServedImage {
  /** Each is answered, be it by asking for a login. */
  readonly ask: (routes: readonly string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function mustBeUnprivileged(docker: Docker, image: string): Promise<void> {
  const { User: user = '' } = (await docker.getImage(image).inspect()).Config;
  const isNumeric = /^[1-9]\d*(:\d+)?$/.test(user);
  if (isNumeric) return;
  const who = user === '' ? 'root' : `\`${user}\``;
  throw new SmokeFailure(`The image runs as ${who}, but it has to name a user by a number that is not 0.`);
}

export async function serveImage(
  room: Room,
  image: string,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<ServedImage> {
  // No load balancer has to notice the stop, and the pusher waits for it.
  const environment = { DATABASE_URL: databaseUrl, PORT: String(PORT), HOST: '0.0.0.0', SHUTDOWN_GRACE: '0' };
  const container = await room.start({ image, command: ['serve'], environment, port: PORT, isConfined: true });
  const address = `http://127.0.0.1:${await container.publishedPort(PORT)}`;
  const ready = repeated(() => readiness(container, address), signal);
  const late = async () => failure(container, `\`serve\` is not ready after ${LONGEST_START / 1000} s`);
  await within(LONGEST_START, late, signal, ready);
  return {
    ask: async (routes) => {
      for (const route of routes) await askFor(container, address, route, signal);
    },
    stop: () => stopped(container, signal),
  };
}

async function failure(container: RoomContainer, sentence: string): Promise<SmokeFailure> {
  return new SmokeFailure(`${sentence}.`, await container.lastLog());
}

/** Nothing while it may still become ready. */
async function readiness(container: RoomContainer, address: string): Promise<true | undefined> {
  const status = await statusOf(`${address}/readyz`, AbortSignal.timeout(5000));
  if (status === 200) return true;
  if (status !== undefined || (await container.isRunning())) return undefined;
  throw await failure(container, `\`serve\` ended with ${await container.ended()} before it was ready`);
}

async function askFor(container: RoomContainer, address: string, route: string, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ANSWER)]);
  const status = await statusOf(`${address}${route}`, patience);
  signal.throwIfAborted();
  if (status === undefined) throw await failure(container, `\`GET ${route}\` is not answered`);
  if (status >= 500) throw await failure(container, `\`GET ${route}\` is answered with ${status}`);
}

async function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function stopped(container: RoomContainer, signal: AbortSignal): Promise<void> {
  await container.signal('SIGTERM');
  const late = async () => failure(container, `\`serve\` goes on ${LONGEST_STOP / 1000} s after SIGTERM`);
  const code = await within(LONGEST_STOP, late, signal, container.ended());
  if (code !== 0) throw await failure(container, `\`serve\` ended with ${code} after SIGTERM, not with 0`);
}
