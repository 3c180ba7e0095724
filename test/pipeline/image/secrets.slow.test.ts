import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { layersIn } from '../../../pipeline/bake/bake.ts';
import { baseFromArchive } from '../../../pipeline/image/base-archive.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { HOOKED } from '../push/pushed-sources.ts';
import { runKiln } from '../run-kiln.ts';
import { loadSmallBase, smallBaseArchive } from './small-base.ts';

const CANARY = 'c4n4ry9f27';
/** As it may be found: as it is, and in the encodings that secrets are carried around in. */
const FORMS = [CANARY, Buffer.from(CANARY).toString('base64').replace(/=+$/, ''), Buffer.from(CANARY).toString('hex')];
/** Where builds have secrets: for a database, a registry, a cloud, a CI system, and of the author's own. */
const ENVIRONMENT = {
  DATABASE_URL: `postgres://app:${CANARY}@db/app`,
  AWS_SECRET_ACCESS_KEY: CANARY,
  GITHUB_TOKEN: CANARY,
  CI_REGISTRY_PASSWORD: CANARY,
  NPM_TOKEN: CANARY,
  MAILER_KEY: CANARY,
};
const HOOK = 'export const loud = ({ headline }) => headline + process.env.MAILER_KEY;\n';

function found(bytes: Buffer | string): readonly string[] {
  return FORMS.filter((form) => bytes.includes(form));
}

describe('a secret in the environment of a build', () => {
  let folder: string;

  beforeEach(() => {
    folder = newRepository(`kiln-test-secret-${process.pid}`);
    write(folder, { ...HOOKED, 'hooks/loud.js': HOOK });
    gitIn(
      folder,
      'remote',
      'add',
      'origin',
      `https://ann:${CANARY}@git.example.org/acme/kiln-test-secret-${process.pid}.git`,
    );
    gitIn(folder, 'config', 'http.extraHeader', `Authorization: ${CANARY}`);
    commit(folder);
    // What is not committed is a secret too.
    write(folder, { '.env': `MAILER_KEY=${CANARY}\n` });
  });

  /** All that git keeps, taken out of its packs and unfolded. */
  function recorded(): string {
    const objects = gitIn(folder, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)');
    const ids = objects.split('\n').map((line) => line.split(' ')[0] ?? '');
    return execFileSync('git', ['cat-file', '--batch'], { cwd: folder, input: ids.join('\n'), encoding: 'latin1' });
  }

  it('is in no layer, no setting, no file of the ledger and no line that is printed', async () => {
    const place = temporaryFolder();
    const [base, file] = [join(place, 'base.tar'), join(place, 'image.tar')];
    writeFileSync(base, await smallBaseArchive());
    const words = ['build', folder, '--base-archive', base, '--output', file];
    const { status, out, err } = await runKiln(words, ENVIRONMENT);
    expect(status, err).to.equal(0);
    const { image, layers } = await baseFromArchive(file);
    expect(layers.some(({ tar }) => tar.includes('process.env.MAILER_KEY'))).to.equal(true);
    const seen = [readFileSync(file), ...layers.map(({ tar }) => tar), JSON.stringify(image), out, err, recorded()];
    expect(seen.map(found)).to.deep.equal(seen.map(() => []));
  });

  it('is in no line about what is refused', async () => {
    const { out, err } = await runKiln(['build', folder, '--rev', 'nowhere'], ENVIRONMENT);
    write(folder, { 'hooks/loud.js': `import 'nowhere';\n${HOOK}` });
    commit(folder);
    const next = await runKiln(['build', folder, '--output', join(temporaryFolder(), 'x.tar')], ENVIRONMENT);
    expect(next.err).to.include('nowhere');
    expect([out, err, next.out, next.err].map(found)).to.deep.equal([[], [], [], []]);
  });

  it('is nowhere in the image that an engine has', async function () {
    skipWithoutEngine(this);
    const engine = await DockerEngine.connect();
    const [base, name] = [`kiln-test-base:secret-${process.pid}`, `kiln-test-secret-${process.pid}:main`];
    await loadSmallBase(engine, base);
    try {
      const { status, out, err } = await runKiln(['build', folder, '--base', base, '--tag', name], ENVIRONMENT);
      expect(status, err).to.equal(0);
      const layers = (await layersIn(engine, name)).map(({ tar }) => tar);
      const settings = JSON.stringify(await engine.docker.getImage(name).inspect());
      const history = JSON.stringify(await engine.docker.getImage(name).history());
      expect(layers).to.have.length(2);
      expect([...layers, settings, history, out, err].flatMap(found)).to.deep.equal([]);
    } finally {
      await engine.untag(name);
      await engine.untag(base);
    }
  });
});
