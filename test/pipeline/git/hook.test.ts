import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { revisionOf } from '../../../pipeline/git/revision.ts';
import { bundled } from '../../support/bundled.ts';
import { commit, ENVIRONMENT, gitIn, newRepository, refusalOf, temporaryFolder, write } from './git-repository.ts';

describe('reading in a pre-receive hook', () => {
  let bare: string;
  let folder: string;
  let script: string;

  before(() => {
    script = bundled(import.meta.resolve('./read-in-hook.ts'));
  });

  /** `before` is what the hook does before Kiln runs, `place` where Kiln looks. */
  function serve(before: string, place: string): void {
    const kiln = [process.execPath, script, place].map((word) => `'${word}'`).join(' ');
    write(bare, { 'hooks/pre-receive': `#!/bin/sh\n${before}\nexec ${kiln}\n` });
    chmodSync(join(bare, 'hooks/pre-receive'), 0o755);
  }

  function push(...words: readonly string[]): { readonly status: number | null; readonly said: string } {
    const options = { cwd: folder, env: ENVIRONMENT };
    const { status, stderr } = spawnSync('git', ['push', ...words, bare, 'main'], options);
    return { status, said: stderr.toString() };
  }

  beforeEach(() => {
    bare = join(temporaryFolder(), 'blog.git');
    folder = newRepository();
    gitIn(folder, 'init', '--quiet', '--bare', '-b', 'main', bare);
    write(folder, { 'a b.kiln': 'first' });
    commit(folder);
  });

  it('sees what is pushed before it is accepted', () => {
    serve('', '.');
    expect(push().said).to.include('refs/heads/main forward: a b.kiln=first');
    write(folder, { 'a b.kiln': 'second' });
    const revision = commit(folder);
    const { status, said } = push();
    expect(said).to.include('refs/heads/main forward: a b.kiln=second');
    expect(status).to.equal(0);
    expect(revisionOf(openRepository(bare), 'main')).to.equal(revision);
    write(folder, { 'a b.kiln': 'other' });
    commit(folder, 'Other', '--amend');
    expect(push('--force').said).to.include('refs/heads/main rewritten: a b.kiln=other');
  });

  it('leaves no trace of a push that is refused', () => {
    serve('', '.');
    write(folder, { 'a b.kiln': 'refuse' });
    const revision = commit(folder);
    expect(push().status).not.to.equal(0);
    expect(refusalOf(() => revisionOf(openRepository(bare), revision)).kind).to.equal('unknown-revision');
  });

  it('sees it from another folder, and where the hook has unset GIT_DIR', () => {
    serve('unset GIT_DIR; cd /', bare);
    expect(push().said).to.include('a b.kiln=first');
  });
});
