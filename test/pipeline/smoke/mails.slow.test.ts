/** The mails of a release, made from the records of its populator before it is accepted. */
import { expect } from 'chai';
import { bakeInto, baseIn } from '../../../pipeline/bake/bake.ts';
import { buildRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import { Steps, type Verdict } from '../../../pipeline/smoke/steps.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';
import { smokeTest } from './run-smoke-test.ts';

const OWNER = `kiln-test-mails-${process.pid}`;
const IMAGE = `${OWNER}:tested`;

const SOURCE = `model Post { field likes { type integer } field email { type string } }
model Other { field email { type string } }
mail Liked { input post { to Post } to post.email subject "Liked" body "liked.html" }
mail Never { input other { to Other } to other.email subject "Never" body "never.html" }
populator Dev { populate Post { repeat 2, set likes 3, set email "ada@example.com" } }
api {
  entrypoint Post as post { POST one "send" { action { send Liked { post: post } } } }
  entrypoint Other as other { POST one "send" { action { send Never { other: other } } } }
}
`;

describe('the mails of a release', () => {
  let engine: DockerEngine;
  let base: string;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
    base = await runtimeBase();
  });
  afterEach(() => engine?.untag(IMAGE));

  /** The verdict on the mails of a release with this template, or why it is refused. */
  async function tested(template: string): Promise<Verdict | string | undefined> {
    const folder = newRepository(OWNER);
    write(folder, { 'main.kiln': SOURCE, 'mails/liked.html': template, 'mails/never.html': '<p>Never</p>' });
    const input = { repository: openRepository(folder), revision: commit(folder), branch: 'main', folder: '' };
    const steps = new Steps(() => undefined);
    const built = await buildRelease(input, steps);
    await bakeInto(engine, await baseIn(engine, base), built, [IMAGE]);
    const { definition } = built.release;
    const where = { image: IMAGE, base, postgres: POSTGRES_IMAGE, owner: OWNER };
    try {
      const { signal } = new AbortController();
      await smokeTest(engine.docker, { ...where, definition, previous: null, signal }, steps);
      return steps.verdicts.find(({ of }) => of === 'mails');
    } catch (error) {
      if (error instanceof SmokeFailure) return error.message;
      throw error;
    }
  }

  it('are made, where there is a record for them', async () => {
    expect(await tested('<p>{{ post.likes }}</p>')).to.deep.equal({
      of: 'mails',
      outcome: 'passed',
      says: '1 of 2 made from the records of Dev',
      details: ['Never: there is no record for it'],
    });
  });

  it('refuse the release where one cannot be made', async () => {
    expect(await tested('<p>{{ post.likes * 9007199254740991 }}</p>')).to.equal(
      'Mails cannot be made from the records of Dev: job Liked(post_id integer) with {"post_id": 1}: `{{ post.likes * 9007199254740991 }} in mails/liked.html` is too large for an integer.',
    );
  });
});
