import { expect } from 'chai';
import { BuildRefusal } from '../../pipeline/bake/build-names.ts';
import { type BuildInput, prepareRelease } from '../../pipeline/bake/build-release.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { commit, newRepository, write } from './git/git-repository.ts';

const BLOG = `model Post { field title { type string } }
api { entrypoint Post { list endpoint { order by { title }, paginable } } }
`;

describe('the plan gate', () => {
  /** A revision with these settings, as a push has it. */
  function revisionWith(settings: string, source = BLOG) {
    const folder = newRepository();
    write(folder, { 'blog.kiln': source, 'kiln.json': settings });
    const repository = openRepository(folder);
    return { repository, revision: commit(folder, 'First'), branch: 'main', folder: repository.folder };
  }

  const prepared = (input: BuildInput) => prepareRelease(input, new Steps(() => undefined));

  it('refuses a release that lacks an index, before anything is recorded, with the index to add', async () => {
    const refusal: unknown = await prepared(revisionWith('{ "plans": "guarded" }')).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(BuildRefusal);
    const { message, shown } = refusal as BuildRefusal;
    expect(message).to.include('`kiln.json` has `"plans": "guarded"`; add the indexes');
    expect(shown).to.equal(
      'GET /api/post sorts every matching `Post` by `title` to give a part of them: add `index` to `field title` of `model Post`',
    );
  });

  it('lets it pass where plans are not guarded, and where the index is there', async () => {
    await prepared(revisionWith('{}'));
    await prepared(revisionWith('{ "plans": "guarded" }', BLOG.replace('type string', 'type string, index')));
  });
});
