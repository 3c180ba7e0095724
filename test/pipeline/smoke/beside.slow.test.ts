import { expect } from 'chai';
import type { Release } from '../../../compiler/definition/migration.ts';
import { migrationFrom } from '../../../compiler/emit/migration/release-between.ts';
import { bakeInto, baseIn } from '../../../pipeline/bake/bake.ts';
import { type BuiltRelease, buildRelease } from '../../../pipeline/bake/build-release.ts';
import { applicationLayer } from '../../../pipeline/bake/release-of-revision.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import type { Beside } from '../../../pipeline/smoke/previous-database.ts';
import { Steps, type Verdict } from '../../../pipeline/smoke/steps.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';
import { smokeTest } from './run-smoke-test.ts';

const OWNER = `kiln-test-beside-${process.pid}`;
const API =
  'api { entrypoint Post as post { response { id, loud }, list endpoint {}, get endpoint {}, create endpoint {} } }\n';
const LOUD = 'export const loud = () => "loud";\n';

const LOUD_BUNDLE = "export default { 'hooks/loud.js#loud': () => 'loud' };\n";

/** Works only where a table has no column `words`. */
const NARROW = `export const loud = async (_, { db }) => {
  const { rows } = await db.knex.raw("SELECT FROM information_schema.columns WHERE column_name = 'words'");
  if (rows.length > 0) throw new Error('there are words');
};
`;

function post(fields: string, first = 'title'): string {
  return `model Post { ${fields} hook loud { source loud from "loud.js" } }
populator Dev { populate Post { repeat as i 2, set ${first} "Post " + i.current } }\n`;
}

const FIRST = { 'models.kiln': post('field title { type string }'), 'api.kiln': API, 'hooks/loud.js': LOUD };
const WIDER = { 'models.kiln': post('field title { type string } field words { type integer, default 0 }') };
const RENAMED = { 'models.kiln': post('field headline { type string, was title }', 'headline') };

describe('the previous release, beside the new one', () => {
  const images = { before: `${OWNER}:before`, next: `${OWNER}:next` };
  let engine: DockerEngine;
  let base: string;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
    base = await runtimeBase();
  });

  afterEach(async () => {
    for (const image of Object.values(images)) await engine?.untag(image);
  });

  /** Two releases, one after the other; the images of both are in the engine. */
  async function released(...changes: readonly Readonly<Record<string, string>>[]): Promise<readonly BuiltRelease[]> {
    const folder = newRepository(OWNER);
    const built: BuiltRelease[] = [];
    for (const [at, files] of changes.entries()) {
      write(folder, files);
      const input = { repository: openRepository(folder), revision: commit(folder), branch: 'main', folder: '' };
      const release = await buildRelease(input, new Steps(() => undefined));
      await bakeInto(engine, await baseIn(engine, base), release, [at === 0 ? images.before : images.next]);
      built.push(release);
    }
    return built;
  }

  /** The new release has another migration, which keeps nothing for the one before. */
  async function careless([before, next]: readonly BuiltRelease[]): Promise<readonly BuiltRelease[]> {
    if (!before || !next) throw new Error('two releases are tested');
    const { beside, contract, ...release } = next.release.chain.releases[1] as Release;
    const steps = migrationFrom(before.release.definition, next.release.definition).steps;
    const chain = {
      ...next.release.chain,
      releases: [before.release.chain.releases[0] as Release, { ...release, steps }],
    };
    const layer = await applicationLayer({ ...next.release, chain }, LOUD_BUNDLE);
    const built = { ...next, layers: [layer] };
    // One that only loses its name would stay in the engine.
    await engine.untag(images.next);
    await bakeInto(engine, await baseIn(engine, base), built, [images.next]);
    return [before, built];
  }

  /** What is said of the step, or what is wrong. */
  async function tested([before, next]: readonly BuiltRelease[], beside: Beside): Promise<string> {
    if (!before || !next) throw new Error('two releases are tested');
    const { definition } = before.release;
    const { revision } = before.commit;
    const previous = { position: 1, revision, definition, layers: before.layers, populator: 'Dev', beside };
    const lines: string[] = [];
    const input = {
      image: images.next,
      base,
      postgres: POSTGRES_IMAGE,
      owner: OWNER,
      definition: next.release.definition,
      previous,
      signal: new AbortController().signal,
    };
    const steps = new Steps((line) => lines.push(line));
    try {
      await smokeTest(engine.docker, input, steps);
      verdicts = steps.verdicts;
      return (lines.find((line) => line.startsWith('beside')) ?? '').replace(/^beside +\d+ ms {2}/, '');
    } catch (error) {
      if (error instanceof SmokeFailure) return error.message;
      throw error;
    }
  }

  /** Of the last test that went well. */
  let verdicts: readonly Verdict[] = [];

  const itself: Beside = { kind: 'image', image: images.before };

  it('has records with a value that is dropped: the upgrade is refused in words of its own', async () => {
    const status = (values: string) => `enum Status { ${values} }\n`;
    const field = 'field title { type string } field status { type Status }';
    const models = post(field).replace('set title', 'set status "archived", set title');
    const before = { ...FIRST, 'models.kiln': status('draft, archived') + models };
    const after = { 'models.kiln': status('draft, drop archived') + models.replace('"archived"', '"draft"') };
    const said = await tested(await released(before, after), itself);
    expect(said).to.match(
      /^`migrate` of a database of the previous release \(\w{12}, filled with Dev\) is refused: Records in "post" still have values in "status" that this release drops: "archived" \(2 records\)\./,
    );
    expect(said).to.include('\n  |   Give these records another value first');
  });

  it('is run: it finds what was renamed in the tables as they were, becomes ready, and answers its lists', async () => {
    const said = await tested(await released(FIRST, RENAMED), itself);
    expect(said).to.match(/^release 1 \(\w{12}\): every statement fits the database, 1 list answered$/);
  });

  it('fails the test where one of its statements does not fit, with the endpoints and what to do', async () => {
    const said = await tested(await careless(await released(FIRST, RENAMED)), itself);
    expect(said).to.match(/^Release 1 does not work on the database of this release, so requests to it would fail/);
    expect(said).to.match(
      /POST \/api\/post: column "title" of relation "post" does not exist \(release 1 \(\w{12}\)\)/,
    );
    expect(said).to.include('Split the change into two releases');
  });

  it('fails the test where a list fails that does not on its own database', async () => {
    const before = { ...FIRST, 'hooks/loud.js': NARROW };
    const said = await tested(await released(before, { ...WIDER, 'hooks/loud.js': LOUD }), itself);
    expect(said).to.match(/: `GET \/api\/post` of release 1 \(\w{12}\) is answered with 500\. Split the change/);
    expect(said).to.include('\n  | ');
  });

  it('may fail a list as it did before, so that it can be mended', async () => {
    const bad = { ...FIRST, 'hooks/loud.js': 'export const loud = () => { throw new Error("bad"); };\n' };
    const said = await tested(await released(bad, { ...WIDER, 'hooks/loud.js': LOUD }), itself);
    expect(said).to.match(/, 0 lists answered, `GET \/api\/post` fails as it did before$/);
  });

  const JOBS = `job Shout { input post { to Post } action { update post { set title post.title + "!" } } }
job Copy { input text { type string } action { create Post { set title text } } }
job Loud { input post { to Post } action { call { hook { arg title post.title, source loud from "loud.js" } } } }
job Never { action { refuse "never" } }
job Same { input post { to Post } action { create Tag { set name post.title } create Tag { set name post.title } } }
job Gone { action { create Post { set title "gone" } } }
schedule Each every hour { run Copy { text: "hour" } run Never {} run Gone {} }
model Tag { field name { type string, unique } }
on create of Post as made { run Shout { post: made } run Loud { post: made } run Same { post: made } }\n`;
  const WITH_JOBS = { ...FIRST, 'jobs.kiln': JOBS };

  it('has jobs that wait: the new one can do them, also those that were renamed; one may fail as it did before', async () => {
    const renamed = JOBS.replace('job Shout', 'job Cry was Shout').replace('run Shout', 'run Cry');
    const dropped = `${renamed.replace(/job Gone.*\n/, 'drop job Gone\n').replace(' run Gone {}', '')}`;
    await tested(
      await released(WITH_JOBS, { ...RENAMED, 'jobs.kiln': dropped.replaceAll('title', 'headline') }),
      itself,
    );
    const verdict = verdicts.find(({ of }) => of === 'jobs of release 1');
    expect(verdict).to.deep.equal({
      of: 'jobs of release 1',
      outcome: 'passed',
      says: 'release 1: 3 jobs of those that wait can be done; not tried, because they have code: Loud',
      details: ['Same is not tried: it fails on the previous release, too'],
    });
  });

  it('has jobs that wait: the test fails where the new one cannot do one of them, with its inputs and what to do', async () => {
    const models = post('field title { type string, unique }');
    const jobs = JOBS.replace('set title post.title + "!"', 'set title "Post 2"');
    const said = await tested(await released(WITH_JOBS, { 'models.kiln': models, 'jobs.kiln': jobs }), itself);
    expect(said).to.match(
      /^Jobs that release 1 has stored fail on this release, and so would those that wait during a rollout: job Shout\(post_id integer\) with \{"post_id": 1\}: /,
    );
    expect(said).to.include('unique (post_title_key)').and.to.include('give the changed job a new name');
  });

  const gone: Beside = { kind: 'statements', missing: `${OWNER}:gone` };

  it('fails the test by its statements alone where the engine has no image of it', async () => {
    const said = await tested(await careless(await released(FIRST, RENAMED)), gone);
    expect(said).to.include('column "title" of relation "post" does not exist');
  });

  it('is not tested where its code cannot be loaded, which is no fault of the new one', async () => {
    const bad = { ...FIRST, 'hooks/loud.js': `${LOUD}throw new Error('no luck today');\n` };
    const built = await released(bad, { ...WIDER, 'hooks/loud.js': LOUD });
    expect(await tested(built, itself)).to.equal('not tested beside release 1: it does not start on its own database');
    expect(await tested(built, gone)).to.include('not tested beside release 1: its `check` ended with 1');
  });
});
