/** Run by a `pre-receive` hook: says what is pushed, and refuses a push in which a source says so. */
import { readFileSync } from 'node:fs';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { isAncestor } from '../../../pipeline/git/revision.ts';
import { sourcesAt } from '../../../pipeline/git/sources-at.ts';

const repository = openRepository(process.argv[2] ?? '.');
for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  const [old = '', revision = '', reference = ''] = line.split(' ');
  const isNew = /^0+$/.test(old);
  const { sources } = sourcesAt(repository, revision);
  const texts = sources.map(({ path, text }) => `${path}=${text.trim()}`).join(' ');
  console.log(`${reference} ${isNew || isAncestor(repository, old, revision) ? 'forward' : 'rewritten'}: ${texts}`);
  if (sources.some(({ text }) => text.includes('refuse'))) process.exitCode = 1;
}
