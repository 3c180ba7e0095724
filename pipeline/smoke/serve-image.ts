/** The server of an image, in a container that may write nothing: until it is ready, asked, and told to stop. Other commands of the image run beside it. */
import type Docker from 'dockerode';
import { parameterNames, pathPattern, READY } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { repeated, SmokeFailure, within } from './deadline.ts';
import { madeUpSettings } from './made-up-settings.ts';
import type { Sandbox } from './sandbox.ts';
import {
  type ImageCommand,
  imageCommands,
  type RunCommand,
  type RunImageCommand,
  type SandboxContainer,
  shortened,
} from './sandbox-container.ts';

const PORT = 3000;
const LONGEST_START = 60_000;
const LONGEST_CHECK = 120_000;
const LONGEST_ANSWER = 60_000;
const LONGEST_STOP = 60_000;
const LONGEST_END = 5_000;

/** The exit code of a command that got SIGKILL. */
const KILLED = 137;

export interface ServedImage {
  /** The address from this machine. */
  readonly address: string;
  /** Another command of the image, on any database. If it is cut off because the server has ended, that is what fails. */
  readonly run: RunImageCommand;
  readonly ready: () => Promise<void>;
  /** The command `check` beside the server; null where the server has ended in the meantime. */
  readonly check: () => Promise<RunCommand | null>;
  /** Finds the routes that are not answered as they should be. Asking for a login is an answer too. */
  readonly broken: (routes: readonly string[]) => Promise<readonly BrokenRoute[]>;
  /** Describes a broken route, with the log of the server, which is stopped for it. */
  readonly failure: (broken: BrokenRoute) => Promise<SmokeFailure>;
  readonly stop: () => Promise<void>;
}

interface BrokenRoute {
  readonly route: string;
  /** `is answered with 500` */
  readonly how: string;
}

interface ServeInput {
  readonly image: string;
  /** The release that it belongs to, in sentences: empty, or ` of release 7 (a3df43e275c8)`. */
  readonly of: string;
  readonly databaseUrl: string;
  readonly definition: Definition;
  readonly signal: AbortSignal;
}

export async function mustBeUnprivileged(docker: Docker, image: string): Promise<void> {
  const { User: user = '' } = (await docker.getImage(image).inspect()).Config;
  const isNumeric = /^[1-9]\d*(:\d+)?$/.test(user);
  if (isNumeric) return;
  const who = user === '' ? 'root' : `\`${user}\``;
  throw new SmokeFailure(`The image runs as ${who}, but it has to name a user by a number that is not 0.`);
}

export async function serveImage(sandbox: Sandbox, input: ServeInput): Promise<ServedImage> {
  const { image, of, databaseUrl, definition, signal } = input;
  // No load balancer has to notice the stop, and the pusher waits for it.
  const own = { DATABASE_URL: databaseUrl, PORT: String(PORT), HOST: '0.0.0.0', SHUTDOWN_GRACE: '0' };
  const environment = { ...madeUpSettings(definition), ...own };
  const container = await sandbox.start({ image, command: ['serve'], environment, port: PORT, isConfined: true });
  const address = `http://${await container.publishedAddress(PORT)}`;
  const server: Server = { container, of, address, signal };
  return {
    address,
    run: (command) => ran(server, command),
    ready: () => ready(server),
    check: () => checked(server),
    broken: (routes) => brokenIn(server, routes),
    failure: ({ route, how }) => failure(container, `\`GET ${route}\`${of} ${how}`),
    stop: () => stopped(server),
  };
}

interface Server {
  readonly container: SandboxContainer;
  readonly of: string;
  readonly address: string;
  readonly signal: AbortSignal;
}

async function failure(container: SandboxContainer, sentence: string): Promise<SmokeFailure> {
  return new SmokeFailure(`${sentence}.`, await container.lastLog());
}

async function ran(server: Server, command: ImageCommand): Promise<RunCommand> {
  const { container, signal } = server;
  const running = imageCommands(Promise.resolve(container), signal)(command);
  const [run] = await Promise.allSettled([running]);
  signal.throwIfAborted();
  const isCutOff = run.status === 'rejected' || run.value.code === KILLED;
  if (isCutOff && (await hasEnded(server))) throw await ended(server);
  if (run.status === 'rejected') throw run.reason;
  return run.value;
}

/** An engine ends all commands of a container with its first one, and says a little later that the container has ended. */
async function hasEnded({ container, signal }: Server): Promise<boolean> {
  const end = performance.now() + LONGEST_END;
  return repeated(async () => {
    if (!(await container.isRunning())) return true;
    return performance.now() < end ? undefined : false;
  }, signal);
}

async function ended({ container, of }: Server): Promise<SmokeFailure> {
  return failure(container, `\`serve\`${of} ended with ${await container.ended()} before it was ready`);
}

async function ready(server: Server): Promise<void> {
  const { container, of, address, signal } = server;
  const late = async () => {
    const why = await detailOf(`${address}/${READY}`);
    return failure(container, `\`serve\`${of} is not ready after ${LONGEST_START / 1000} s${why}`);
  };
  const waiting = repeated(() => readiness(server), signal);
  await within(LONGEST_START, late, signal, waiting);
}

/** Whether the server is ready; undefined while it may still become ready. */
async function readiness(server: Server): Promise<true | undefined> {
  const { container, address } = server;
  const status = await statusOf(`${address}/${READY}`, AbortSignal.timeout(5000));
  if (status === 200) return true;
  if (status !== undefined || (await container.isRunning())) return undefined;
  throw await ended(server);
}

async function checked({ container, of, signal }: Server): Promise<RunCommand | null> {
  const late = async () => failure(container, `\`check\`${of} does not finish`);
  const running = container.run(['check'], signal).catch(async (error: unknown) => {
    if (await container.isRunning()) throw error;
    return null;
  });
  const run = await within(LONGEST_CHECK, late, signal, running);
  return run && (await container.isRunning()) ? { ...run, lines: shortened(run.lines) } : null;
}

async function brokenIn({ address, signal }: Server, routes: readonly string[]): Promise<readonly BrokenRoute[]> {
  const broken: BrokenRoute[] = [];
  for (const route of routes) {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ANSWER)]);
    const status = await statusOf(`${address}${route}`, deadline);
    signal.throwIfAborted();
    if (status === undefined) broken.push({ route, how: 'is not answered' });
    else if (status >= 500) broken.push({ route, how: `is answered with ${status}` });
  }
  return broken;
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

/** The detail of a problem document, after a colon. */
async function detailOf(url: string): Promise<string> {
  try {
    const { detail } = (await (await fetch(url, { signal: AbortSignal.timeout(5000) })).json()) as { detail?: string };
    return detail ? `: ${detail.replace(/\.$/, '')}` : '';
  } catch {
    return '';
  }
}

async function stopped({ container, of, signal }: Server): Promise<void> {
  await container.terminate();
  const late = async () => failure(container, `\`serve\`${of} is still running ${LONGEST_STOP / 1000} s after SIGTERM`);
  const code = await within(LONGEST_STOP, late, signal, container.ended());
  if (code !== 0) throw await failure(container, `\`serve\`${of} ended with ${code} after SIGTERM, not with 0`);
}

// ── List routes ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The list endpoints that can be asked with nothing in hand: no record in the path, no input that must be given. */
export function listRoutes({ endpoints }: Definition): readonly string[] {
  const lists = endpoints.filter((endpoint) => endpoint.response.kind === 'list' && !needsAnything(endpoint));
  return lists.map(({ path }) => pathPattern(path));
}

function needsAnything({ path, request }: Endpoint): boolean {
  return parameterNames(path).length > 0 || request.inputs.some(({ required }) => required);
}
