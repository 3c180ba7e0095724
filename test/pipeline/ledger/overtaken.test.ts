import { expect } from 'chai';
import { buildRelease, prepareRelease, recordRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { readLedger } from '../../../pipeline/ledger/ledger.ts';
import { LedgerRefusal } from '../../../pipeline/ledger/ledger-reference.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { commit, gitIn, newRepository, write } from '../git/git-repository.ts';

const SILENT = new Steps(() => undefined);

function posts(...fields: readonly string[]): Readonly<Record<string, string>> {
  return {
    'blog.kiln': `model Post { ${fields.map((name) => `field ${name} { type string, default "" }`).join(' ')} }\n`,
  };
}

describe('a release that was compared before another build recorded one', () => {
  const folder = newRepository();
  const repository = openRepository(folder);
  const inputOf = (revision: string) => ({ repository, revision, branch: 'main', folder: '' });
  let title: string;
  let body: string;

  before(async () => {
    write(folder, posts('a'));
    await buildRelease(inputOf(commit(folder)), SILENT);
    write(folder, posts('a', 'title'));
    title = commit(folder);
    gitIn(folder, 'checkout', '--quiet', '-b', 'side', 'HEAD~1');
    write(folder, posts('a', 'title', 'body'));
    body = commit(folder);
  });

  it('is not appended to it: its steps begin at the previous release', async () => {
    const late = await prepareRelease(inputOf(title), SILENT);
    await buildRelease(inputOf(body), SILENT);
    const refusal = await recordRelease(inputOf(title), late, SILENT).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(LedgerRefusal).with.property('kind', 'overtaken');
    expect(readLedger(repository, 'main').releases.at(-1)?.release.revision).to.equal(body);
  });

  it('is the very release where both have made the same', async () => {
    const next = commit(folder, 'Next');
    const [one, other] = [await prepareRelease(inputOf(next), SILENT), await prepareRelease(inputOf(next), SILENT)];
    await recordRelease(inputOf(next), one, SILENT);
    await recordRelease(inputOf(next), other, SILENT);
    expect(readLedger(repository, 'main').releases.map(({ release }) => release.revision)).to.have.length(3);
    expect(other.layers.map(({ diffId }) => diffId)).to.deep.equal(one.layers.map(({ diffId }) => diffId));
  });
});
