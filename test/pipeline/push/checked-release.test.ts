import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildRelease, prepareRelease } from '../../../pipeline/bake/build-release.ts';
import { Steps } from '../../../pipeline/bake/steps.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { keepChecked, takeChecked } from '../../../pipeline/push/checked-release.ts';
import { commit, newRepository, temporaryFolder, write } from '../git/git-repository.ts';

const BLOG = 'model Post { field title { type string } }\napi { entrypoint Post { list endpoint {} } }\n';

describe('what the check of a push has prepared', () => {
  const before = process.env.XDG_CACHE_HOME;
  const cache = temporaryFolder();
  const kept = () => readdirSync(join(cache, 'kiln')).filter((name) => name.startsWith('push-'));

  beforeEach(() => {
    process.env.XDG_CACHE_HOME = cache;
  });

  afterEach(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });

  function project() {
    const folder = newRepository();
    write(folder, { 'blog.kiln': BLOG });
    const repository = openRepository(folder);
    const inputOf = (revision: string) => ({ repository, revision, branch: 'main', folder: '' });
    return { folder, inputOf, first: inputOf(commit(folder)) };
  }

  async function checked(input: Parameters<typeof keepChecked>[0]) {
    const steps = new Steps(() => undefined);
    const built = await prepareRelease(input, steps);
    keepChecked(input, built, steps.told);
    return { built, told: steps.told };
  }

  it('is what the build of the same push would prepare itself, and is taken once', async () => {
    const { folder, inputOf, first } = project();
    await buildRelease(first, new Steps(() => undefined));
    write(folder, { 'blog.kiln': BLOG.replace('string }', 'string } field body { type string, default "" }') });
    const input = inputOf(commit(folder, 'Second'));
    const { told } = await checked(input);
    const taken = takeChecked(input);
    const itself = await prepareRelease(input, new Steps(() => undefined));
    expect(taken?.built).to.deep.equal({ ...itself, release: { ...itself.release } });
    expect(taken?.built.release.texts['report.json']).to.include('Second');
    expect(taken?.built.release.difference).to.be.an('object');
    const lines: string[] = [];
    const steps = new Steps((line) => lines.push(line));
    if (taken) steps.repeat(taken.told);
    expect(lines.map((line) => line.split(' ')[0]).filter(Boolean)).to.deep.equal(['compile', 'compare', 'layer']);
    expect(steps.told).to.deep.equal(told);
    expect(takeChecked(input)).to.equal(undefined);
    expect(kept()).to.deep.equal([]);
  });

  it('is not taken for another revision, nor on another branch, nor where the ledger has grown', async () => {
    const { folder, inputOf, first } = project();
    await checked(first);
    expect(takeChecked({ ...first, branch: 'next' })).to.equal(undefined);
    const second = inputOf(commit(folder, 'Second', '--allow-empty'));
    expect(takeChecked(second)).to.equal(undefined);
    await checked(second);
    await buildRelease(first, new Steps(() => undefined));
    expect(takeChecked(second)).to.equal(undefined);
  });

  it('is prepared again where the file is damaged, or nothing can be kept', async () => {
    const { first } = project();
    await checked(first);
    const [name = ''] = kept();
    const file = join(cache, 'kiln', name);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0, bytes.length - 8));
    expect(takeChecked(first)).to.equal(undefined);
    process.env.XDG_CACHE_HOME = '/proc/none';
    await checked(first);
    expect(takeChecked(first)).to.equal(undefined);
  });
});
