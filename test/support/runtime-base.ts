/** The base of images in the tests: this machine's Node with the runtime of `dist/`, loaded once a run and removed after it. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { DockerEngine } from '../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../pipeline/image/image-config.ts';
import { ownBase } from '../../pipeline/image/own-node.ts';
import { dockerArchive } from '../../pipeline/image/stored-image.ts';
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

/** Images have the labels of their base. */
const OWN_LABEL = { 'kiln.test': String(process.pid) };

const told = new Set<string>();

/** For a hook `before`: where images cannot be tested its tests are left out, and a run says why once. */
export function skipWithoutImages(test: Mocha.Context): void {
  skipFor(test, 'tests of images', whyNoImages());
}

/** The same, for tests that run no image. */
export function skipWithoutEngine(test: Mocha.Context): void {
  skipFor(test, 'tests with a Docker engine', whyNoEngine());
}

/** Leaves out tests for a reason, which a run is told once; does nothing without one. */
export function skipFor(test: Mocha.Context, what: string, reason: string | undefined): void {
  if (reason === undefined) return;
  const line = `    ${what} are left out: ${reason}`;
  if (!told.has(line)) console.log(line);
  told.add(line);
  test.skip();
}

function whyNoEngine(): string | undefined {
  return spawnSync('docker', ['version'], { stdio: 'ignore' }).status === 0 ? undefined : 'no Docker engine answers';
}

export function whyNoImages(): string | undefined {
  const missing = `the Docker engine has no image ${POSTGRES_IMAGE} (KILN_TEST_POSTGRES_IMAGE)`;
  return whyNoEngine() ?? (hasImage() ? undefined : missing);
}

let loaded: Promise<string> | undefined;

export function runtimeBase(): Promise<string> {
  loaded ??= load();
  return loaded;
}

/** The name of a base for the whole run of tests, which removes it. A file that is run by itself has its own alone. */
const { KILN_TEST_BASE: SHARED } = process.env;

async function load(): Promise<string> {
  const engine = await DockerEngine.connect();
  if (SHARED === undefined) await loadWhole(engine, NAME, OWN_LABEL);
  else await loadOnShared(engine, SHARED);
  return NAME;
}

/** Another name and label for the layers of the shared base, which the first process of the run loads. */
async function loadOnShared(engine: DockerEngine, name: string): Promise<void> {
  if ((await engine.imageOf(name)) === null) await loadWhole(engine, name, {});
  const shared = await engine.imageOf(name);
  const [node, runtime] = shared?.layers ?? [];
  if (!shared || !node || !runtime) throw new Error(`the base ${name} is gone`);
  const below = { ...shared, layers: [node], config: { ...shared.config, Labels: OWN_LABEL } };
  await engine.load(await dockerArchive(shared, [], imageConfig(below, [runtime], FACTS), [NAME]));
}

async function loadWhole(engine: DockerEngine, name: string, labels: Readonly<Record<string, string>>): Promise<void> {
  const { image, layers } = await ownBase(RUNTIME);
  const [node, runtime] = layers;
  if (!node || !runtime) throw new Error('a base has the layers of Node and of the runtime');
  const below = { ...image, layers: [node.diffId], config: { ...image.config, Labels: labels } };
  const config = imageConfig(below, [runtime.diffId], FACTS);
  await engine.load(await dockerArchive(below, [runtime], config, [name], [node]));
}

// At the top of a module this is a hook of the whole run.
after('removes the base of images', async () => {
  if (await loaded?.catch(() => undefined)) spawnSync('docker', ['image', 'rm', '--force', NAME], { stdio: 'ignore' });
});

// One that is added while these hooks run is the last of them, whichever module has the others.
after('looks for what the tests have left', function () {
  this.test?.parent?.afterAll('have left nothing in the Docker engine', mustHaveLeftNothing);
});

/** Whatever tests make in an engine has the number of this process in its name, or in that of its owner. */
function mustHaveLeftNothing(): void {
  const left = [...LISTS.flatMap(linesOf).filter((line) => OWN.test(line)), ...linesOf(NAMELESS)].filter(Boolean);
  if (left.length > 0) throw new Error(`The tests have left this in the Docker engine:\n${left.join('\n')}`);
}

const OWN = new RegExp(`kiln[\\w./:=-]*[-:]${process.pid}\\b`);
const LISTS = [
  ['container', 'ls', '--all', '--format', 'container {{.Names}} {{.Image}} {{.Labels}}'],
  ['network', 'ls', '--format', 'network {{.Name}} {{.Labels}}'],
  ['volume', 'ls', '--format', 'volume {{.Name}} {{.Labels}}'],
  ['image', 'ls', '--format', 'image {{.Repository}}:{{.Tag}}'],
];

/** An image whose name was given to another one stays, and is known by the label of its base alone. */
const NAMELESS = [
  ...['image', 'ls', '--format', 'image {{.ID}} without a name'],
  ...['--filter', 'dangling=true', '--filter', `label=kiln.test=${process.pid}`],
];

/** None where no engine answers: then nothing was made. */
function linesOf(words: readonly string[]): readonly string[] {
  const { status, stdout } = spawnSync('docker', words, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n') : [];
}
