/** The base of images in the tests: this machine's Node with the runtime of `dist/`, loaded once a run and removed after it. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { dockerArchive } from '../../pipeline/image/docker-archive.ts';
import { DockerEngine } from '../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../pipeline/image/image-config.ts';
import { ownBase } from '../../pipeline/image/own-node.ts';
import { hasImage } from './postgres-in-docker.ts';

export const POSTGRES_IMAGE = process.env.KILN_TEST_POSTGRES_IMAGE || 'postgres:18';

/** Of this run alone: another one may go on while this one removes its base. */
const NAME = `kiln-runtime:test-${process.pid}`;
const RUNTIME = resolve(import.meta.dirname, '../../dist/runtime');
const FACTS = {
  application: 'kiln-runtime',
  revision: '0',
  source: null,
  created: new Date(0),
  definition: '',
  schema: '',
};

let isTold = false;

/** For a hook `before`: where images cannot be tested its tests are left out, and a run says why once. */
export function skipWithoutImages(test: Mocha.Context): void {
  const reason = whyNoImages();
  if (reason === undefined) return;
  if (!isTold) console.log(`    tests of images are left out: ${reason}`);
  isTold = true;
  test.skip();
}

function whyNoImages(): string | undefined {
  if (spawnSync('docker', ['version'], { stdio: 'ignore' }).status !== 0) return 'no Docker engine answers';
  return hasImage() ? undefined : `the Docker engine has no image ${POSTGRES_IMAGE} (KILN_TEST_POSTGRES_IMAGE)`;
}

let loaded: Promise<string> | undefined;

export function runtimeBase(): Promise<string> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<string> {
  const engine = await DockerEngine.connect();
  const { image, layers } = await ownBase(RUNTIME);
  const [node, runtime] = layers;
  if (!node || !runtime) throw new Error('a base has the layers of Node and of the runtime');
  const below = { ...image, layers: [node.diffId] };
  const config = imageConfig(below, runtime.diffId, FACTS);
  await engine.load(await dockerArchive(below, runtime, config, [NAME], new Map([[node.diffId, node.tar]])));
  return NAME;
}

// At the top of a module this is a hook of the whole run.
after('removes the base of images', async () => {
  if (await loaded?.catch(() => undefined)) spawnSync('docker', ['image', 'rm', '--force', NAME], { stdio: 'ignore' });
});
