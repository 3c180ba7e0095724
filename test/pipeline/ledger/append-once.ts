/** A build in a process of its own: reads the ledger, says so, waits for a line, appends, says what came of it. */
import { openRepository } from '../../../pipeline/git/repository.ts';
import { appendRelease } from '../../../pipeline/ledger/append-release.ts';
import { ledgerFor, newestRelease } from '../../../pipeline/ledger/ledger.ts';
import { LedgerRefusal } from '../../../pipeline/ledger/ledger-reference.ts';
import { releaseTexts } from './releases.ts';

const [folder = '', branch = '', revision = ''] = process.argv.slice(2);
const repository = openRepository(folder);
const ledger = ledgerFor(repository, branch, revision);
console.log('read');
process.stdin.once('data', () => {
  process.stdin.destroy();
  console.log(outcome());
});

function outcome(): string {
  try {
    const texts = releaseTexts(revision, newestRelease(ledger)?.release);
    return `appended ${appendRelease(repository, ledger, revision, texts).release.commit}`;
  } catch (error) {
    if (error instanceof LedgerRefusal) return error.kind;
    throw error;
  }
}
