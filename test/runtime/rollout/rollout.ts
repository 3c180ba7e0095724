/**
 * One rollout under load, as an operator does it: the older image serves, `migrate` of the newer one, the newer image
 * beside it, traffic moved over, the older one stopped; then back to the older one once more, and at the end what only
 * that one needed is removed. Every answer and every row is compared with what the clients know.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { randomFrom } from '../../../runtime/populate/random.ts';
import { withClient } from '../../support/with-client.ts';
import { BoxClient } from './box-client.ts';
import { type Image, type ImageServer, imagesOf, migrateImage, removeImages, serveImage } from './images.ts';
import type { Collection, RolloutCase } from './rollout-case.ts';
import { type Counted, type Phase, type ReleaseName, Traffic } from './traffic.ts';

export interface RolloutOptions {
  /** Of an empty database. */
  readonly databaseUrl: string;
  /** In each table, before anything begins. */
  readonly rows: number;
  readonly requestsPerSecond: number;
  readonly clients: number;
  /** Of each phase, in milliseconds. */
  readonly phase: number;
  /** Where servers find it instead, and what else they need for that. */
  readonly served?: Readonly<Record<string, string>>;
  /** Beside `migrate`: what somebody else does at the database. */
  readonly meanwhile?: (client: pg.Client) => Promise<void>;
}

export interface RolledOut {
  readonly counted: Readonly<Record<ReleaseName, Counted>>;
  readonly examples: readonly string[];
  /** The slowest answer of each phase, in milliseconds. */
  readonly slowest: Readonly<Record<Phase, number>>;
  /** In milliseconds. */
  readonly migrate: number;
  readonly contract: number;
  /** The newer release, with what a fresh database of it must have. */
  readonly definition: Image['definition'];
}

export async function rollOut(rollout: RolloutCase, options: RolloutOptions): Promise<RolledOut> {
  const images = imagesOf([rollout.before, rollout.after]);
  const servers: ImageServer[] = [];
  try {
    return await withImages(images as [Image, Image], rollout, options, async (image) => {
      const server = await serveImage(image, options.databaseUrl, options.served);
      servers.push(server);
      return server;
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    removeImages(images);
  }
}

type Serve = (image: Image) => Promise<ImageServer>;

interface Scene {
  readonly images: readonly [old: Image, next: Image];
  readonly serve: Serve;
  readonly traffic: Traffic;
  readonly options: RolloutOptions;
}

async function withImages(
  images: readonly [Image, Image],
  { collections }: RolloutCase,
  options: RolloutOptions,
  serve: Serve,
): Promise<RolledOut> {
  const { databaseUrl, rows } = options;
  const [oldImage, newImage] = images;
  await migrateImage(oldImage, databaseUrl);
  await withClient(databaseUrl, (client) => addRows(client, collections, rows));
  const [old, next] = await Promise.all([serve(oldImage), serve(newImage)]);
  await old.ready();
  if (oldImage.fingerprint !== newImage.fingerprint && (await next.isReady()))
    throw new Error('the newer image is ready before `migrate`');
  const traffic = new Traffic();
  traffic.to({ old: old.url });
  const load = await startLoad(traffic, collections, options);
  try {
    const scene = { images, serve, traffic, options };
    const migrate = await migrateUnderLoad(scene);
    await moveOver(scene, load, old, next);
    await rollBack(scene, load, next);
    const contract = await contractUnderLoad(scene);
    await load.readAll();
    await withClient(databaseUrl, (client) => expectRows(client, collections, rows));
    const { counted, examples, slowest } = traffic;
    return { counted, examples, slowest, migrate, contract, definition: newImage.definition };
  } catch (cause) {
    throw new Error([(cause as Error).message, ...traffic.examples].join('\n'), { cause });
  } finally {
    await load.stop();
    traffic.close();
  }
}

async function migrateUnderLoad({ images: [, next], traffic, options }: Scene): Promise<number> {
  const { databaseUrl, meanwhile, phase } = options;
  await sleep(phase);
  traffic.phase = 'migrate';
  return withClient(databaseUrl, (client) =>
    timed(() => Promise.all([migrateImage(next, databaseUrl), meanwhile?.(client)])),
  );
}

async function moveOver({ traffic, options: { phase } }: Scene, load: Load, old: ImageServer, next: ImageServer) {
  traffic.phase = 'beside';
  await sleep(phase);
  await next.ready();
  traffic.to({ old: old.url, new: next.url });
  await sleep(phase);
  traffic.to({ new: next.url });
  await load.settle();
  await old.stop();
  await sleep(phase);
}

async function rollBack({ images: [image], serve, traffic, options }: Scene, load: Load, next: ImageServer) {
  traffic.phase = 'rollback';
  const old = await serve(image);
  await old.ready();
  traffic.to({ old: old.url, new: next.url });
  await sleep(options.phase);
  await load.readAll();
  traffic.to({ new: next.url });
  await load.settle();
  await old.stop();
}

async function contractUnderLoad({ images: [, next], traffic, options: { databaseUrl } }: Scene): Promise<number> {
  traffic.phase = 'contract';
  return timed(() => migrateImage(next, databaseUrl, '--contract'));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

// ── The rows that are there ─────────────────────────────────────────────────────────────────────────────────────────

const FIRST_BOX = 1;
const FIRST_CLIENT = 1;
const ADOPTED = 10;

async function addRows(client: pg.Client, collections: readonly Collection[], rows: number): Promise<void> {
  await client.query('INSERT INTO box (client) VALUES ($1)', [FIRST_CLIENT]);
  for (const { table, rows: values } of collections) {
    const columns = Object.keys(values).map((name) => `, "${name}"`);
    await client.query(
      `INSERT INTO "${table}" (box_id${columns.join('')})
      SELECT ${FIRST_BOX}, ${Object.values(values).join(', ')} FROM generate_series(1, ${rows}) AS n`,
    );
  }
  await client.query('ANALYZE');
}

/** No client adds to them or takes from them. */
async function expectRows(client: pg.Client, collections: readonly Collection[], rows: number): Promise<void> {
  for (const { newTable } of collections) {
    if (newTable === null) continue;
    const { rows: found } = await client.query(
      `SELECT count(*)::int AS count FROM "${newTable}" WHERE box_id = ${FIRST_BOX}`,
    );
    if (found[0].count !== rows) throw new Error(`"${newTable}" has ${found[0].count} of ${rows} rows`);
  }
}

// ── The load ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Load {
  /** Until no request is under way that was begun before. */
  settle(): Promise<void>;
  readAll(): Promise<void>;
  stop(): Promise<void>;
}

async function startLoad(
  traffic: Traffic,
  collections: readonly Collection[],
  { clients, requestsPerSecond, rows }: RolloutOptions,
): Promise<Load> {
  const every = (1000 * clients * collections.length) / requestsPerSecond;
  const all = collections.flatMap((collection, at) =>
    Array.from({ length: clients }, (_, index) => {
      // The first one of each collection has the rows that were there, which are in one box.
      const number = index === 0 ? FIRST_CLIENT : at * clients + index + FIRST_CLIENT;
      return new BoxClient(number, collection, traffic, randomFrom(`client ${at} ${number}`));
    }),
  );
  let isOver = false;
  const loops = all.map((client) => new Loop(client, every, () => isOver));
  for (const [at, client] of all.entries()) await prepared(client, at % clients === 0, rows);
  const running = loops.map((loop) => loop.run());
  return {
    settle: async () => void (await Promise.all(loops.map((loop) => loop.inStep(async () => undefined)))),
    readAll: async () => void (await Promise.all(loops.map((loop) => loop.inStep((client) => client.readAll())))),
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

async function prepared(client: BoxClient, hasRows: boolean, rows: number): Promise<void> {
  if (!hasRows) return client.prepare();
  const first = Math.max(1, rows - ADOPTED);
  await client.adopt(
    FIRST_BOX,
    Array.from({ length: Math.min(ADOPTED, rows) }, (_, index) => first + index),
  );
}

/** One request after the other, at a steady pace. */
class Loop {
  readonly #client: BoxClient;
  readonly #every: number;
  readonly #isOver: () => boolean;
  #last: Promise<void> = Promise.resolve();

  constructor(client: BoxClient, every: number, isOver: () => boolean) {
    this.#client = client;
    this.#every = every;
    this.#isOver = isOver;
  }

  async run(): Promise<void> {
    await sleep(Math.random() * this.#every);
    for (let next = performance.now(); !this.#isOver(); next += this.#every) {
      await this.inStep((client) => client.step());
      await sleep(Math.max(0, next + this.#every - performance.now()));
    }
  }

  /** After what it does now. */
  inStep(work: (client: BoxClient) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(() => work(this.#client));
    return this.#last;
  }
}
