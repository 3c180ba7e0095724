/** `kiln pipeline show`: a release as text, or its report as a page. */
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeWhole } from '../../files/write-file.ts';
import { GitRefusal } from '../git/git-refusal.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { readDeployments } from '../ledger/deployments.ts';
import { reportPage } from '../page/report-page.ts';
import { found, showLines } from '../push/release-log.ts';
import { releasePage } from '../push/release-page.ts';
import { readSettings } from '../push/settings.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { openInBrowser } from './open-in-browser.ts';
import { told } from './pipeline.ts';
import { Refusal } from './refusal.ts';
import { note, print } from './terminal.ts';

interface ShowOptions {
  readonly open?: true;
  readonly html?: string;
}

export function show(name: string, folder: string, { open, html }: ShowOptions): Promise<ExitCode> {
  return told(async () => {
    const { repository, revision } = wanted(name, folder);
    if (open === undefined && html === undefined) {
      for (const line of showLines(repository, revision, readSettings(repository).branches)) print(line);
      return EXIT.ok;
    }
    const page = pageOf(repository, revision);
    const file = html ?? join(mkdtempSync(join(tmpdir(), 'kiln-report-')), `${revision.slice(0, 12)}.html`);
    const refusal = writeWhole(file, page);
    if (refusal !== undefined) throw new Refusal(refusal);
    print(resolve(file));
    if (open && !(await openInBrowser(resolve(file)))) note('No browser could be started: open the file yourself.');
    return EXIT.ok;
  });
}

/** A folder alone is the repository of somebody who has left the revision out. */
function wanted(name: string, folder: string): { readonly repository: Repository; readonly revision: string } {
  try {
    const repository = openRepository(folder);
    return { repository, revision: revisionOf(repository, name) };
  } catch (error) {
    const isFolder = error instanceof GitRefusal && statSync(name, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder) throw error;
    throw new GitRefusal('unknown-revision', 'show needs a revision first: kiln pipeline show <rev> [repo]');
  }
}

/** Made of what is recorded, so releases of an earlier Kiln have one too. */
function pageOf(repository: Repository, revision: string): string {
  const { ledger, release } = found(repository, revision, readSettings(repository).branches);
  const here = readDeployments(repository).filter((deployment) => deployment.revision === revision);
  const live = here.map(({ environment }) => environment);
  return reportPage({ ...releasePage(repository, ledger, release), live });
}
