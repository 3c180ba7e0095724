import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { bakeInto, baseIn } from '../../../pipeline/bake/bake.ts';
import { type BuiltRelease, buildRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../../pipeline/image/image-config.ts';
import { dockerArchive } from '../../../pipeline/image/stored-image.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import { listRoutes } from '../../../pipeline/smoke/serve-image.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { itSlowly } from '../../support/slow.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';
import { smokeTest } from './run-smoke-test.ts';

const MODELS = `model Post {
  field title { type string }
  hook loud { arg title title, source loud from "loud.js" }
}
model Note { field text { type string } }
populator Dev { populate Post { repeat as i 2, set title "Post " + i.current } }
`;
const API = `api {
  entrypoint Post as post {
    response { id, loud }
    list endpoint {}
    get endpoint {}
  }
  entrypoint Note as note { list endpoint { extra inputs { field word { type string } } } }
}
`;
const OWNER = `kiln-test-smoke-${process.pid}`;
const SILENT = new Steps(() => undefined);

/** A release of the sources above, whose hook is this code. */
function released(code: string): Promise<BuiltRelease> {
  const folder = newRepository(OWNER);
  write(folder, { 'models.kiln': MODELS, 'api.kiln': API, 'hooks/loud.js': code });
  const revision = commit(folder);
  return buildRelease({ repository: openRepository(folder), revision, branch: 'main', folder: '' }, SILENT);
}

describe('the routes of a smoke test', () => {
  it('are the lists that need no record and no input', async () => {
    const { release } = await released('export const loud = ({ title }) => title;\n');
    expect(listRoutes(release.definition)).to.deep.equal(['/api/post']);
  });
});

describe('the smoke test of an image', () => {
  const image = `${OWNER}:test`;
  let engine: DockerEngine;
  let base: string;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
    base = await runtimeBase();
  });

  afterEach(async () => {
    await engine?.untag(image);
  });

  /** What is wrong with the image; nothing where it is good. */
  async function failureOf(
    { release, layers }: BuiltRelease,
    isFilled: boolean,
    steps = SILENT,
  ): Promise<string | undefined> {
    const { definition } = release;
    const beside = { kind: 'untested', why: 'it is the same' } as const;
    const before = { position: 1, revision: '0'.repeat(40), definition, layers, populator: 'Dev', beside };
    const previous = isFilled ? before : null;
    const input = { image, base, postgres: POSTGRES_IMAGE, owner: OWNER, definition, previous };
    try {
      await smokeTest(engine.docker, { ...input, signal: new AbortController().signal }, steps);
      return undefined;
    } catch (error) {
      if (error instanceof SmokeFailure) return error.message;
      throw error;
    } finally {
      expect(remains()).to.equal('');
    }
  }

  it('fails where a list is answered with a 500, with the log, in which the password is not shown', async () => {
    const built = await released('export const loud = () => { throw new Error(process.env.DATABASE_URL); };\n');
    await bakeInto(engine, await baseIn(engine, base), built, [image]);
    const failure = await failureOf(built, true);
    expect(failure).to.match(/^`GET \/api\/post` is answered with 500\.\n {2}\| /);
    expect(failure).to.match(/postgres:\/\/test:\*{3}@database:5432\/previous/);
  });

  itSlowly('fails where `migrate` does, with what Postgres has said', async () => {
    const built = await released('export const loud = ({ title }) => title;\n');
    const chain = { ...built.release.chain, schemaSql: 'CREATE TABLE "post" (nothing whatever);' };
    const { layerFrom, textFile } = await import('../../../pipeline/image/layer.ts');
    const layer = await layerFrom(new Map([['app/releases.json', textFile(JSON.stringify(chain))]]));
    await bakeInto(engine, await baseIn(engine, base), { ...built, layers: [...built.layers, layer] }, [image]);
    const failure = await failureOf(built, false);
    expect(failure).to.match(/^`migrate` of an empty database ended with 1\.\n/);
    expect(failure).to.include('type "whatever" does not exist');
  });

  itSlowly('fails where the image runs as root', async () => {
    const built = await released('export const loud = ({ title }) => title;\n');
    const below = await engine.imageOf(base);
    if (!below) throw new Error('there is no base');
    const root = { ...below, config: { ...below.config, User: '0:0' } };
    const facts = { application: OWNER, revision: '0', source: null, created: new Date(0), definition: '', schema: '' };
    const diffIds = built.layers.map(({ diffId }) => diffId);
    await engine.load(await dockerArchive(root, built.layers, imageConfig(root, diffIds, facts), [image]));
    expect(await failureOf(built, false)).to.match(/^The image runs as `0:0`, but/);
  });

  itSlowly('says what a Postgres wrote that has ended', async () => {
    const built = await released('export const loud = ({ title }) => title;\n');
    await bakeInto(engine, await baseIn(engine, base), built, [image]);
    const { definition } = built.release;
    const input = { image, base, postgres: base, owner: OWNER, definition, previous: null };
    const signal = new AbortController().signal;
    const failure = await smokeTest(engine.docker, { ...input, signal }, SILENT).catch((error: Error) => error.message);
    expect(failure).to.match(/^The Postgres of kiln-runtime:\S+ has ended\.\n {2}\| There is no command `postgres`/);
    expect(remains()).to.equal('');
  });
});

function remains(): string {
  const label = ['--quiet', '--filter', `label=kiln.pipeline=${OWNER}`];
  const list = (...words: readonly string[]) =>
    execFileSync('docker', [...words, ...label], { encoding: 'utf8' }).trim();
  return list('container', 'ls', '--all') + list('network', 'ls');
}
