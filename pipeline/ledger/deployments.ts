/**
 * The deployments. Each environment has a reference of its own, `refs/kiln/deployed/<environment>`: a chain of commits,
 * one for each deployment, with the file `deployed.json`. So `git log -p` shows its history, and nothing of it gets
 * lost.
 */
import { readObjects } from '../git/objects.ts';
import { askGit, type Repository, referenceId, referencesIn } from '../git/repository.ts';
import { lineOf } from '../git/run-git.ts';
import { writeDrafts } from '../git/write-objects.ts';
import { branchOfLedger, heldRefusal, LedgerRefusal, recordReference, recordsOf } from './ledger-reference.ts';
import { isShaped, isText, shapedFrom } from './shapes.ts';

export interface Deployment {
  readonly environment: string;
  readonly revision: string;
  readonly branch: string;
  /** The time, as an ISO timestamp. */
  readonly when: string;
  readonly who: string;
}

const FILE = 'deployed.json';

/** Reads the newest deployment of each environment, ordered by the names of the environments. */
export function readDeployments(repository: Repository): readonly Deployment[] {
  const references = referencesIn(repository, recordsOf(repository, 'deployed'));
  return deploymentsIn(
    repository,
    references.map(({ id, name }) => ({ commit: id, environment: branchOfLedger(name) })),
  );
}

/** Reads the deployments of an environment, newest first. */
export function deploymentsOf(repository: Repository, environment: string): readonly Deployment[] {
  const tip = referenceId(repository, referenceOf(repository, environment));
  if (tip === null) return [];
  const commits = lineOf(askGit(repository, ['rev-list', '--first-parent', tip])).split('\n');
  return deploymentsIn(
    repository,
    commits.map((commit) => ({ commit, environment })),
  );
}

interface Place {
  readonly commit: string;
  readonly environment: string;
}

/** Reads deployments. Anything else, such as what a push has brought, is left out. */
function deploymentsIn(repository: Repository, places: readonly Place[]): readonly Deployment[] {
  const objects = readObjects(
    repository,
    places.map(({ commit }) => `${commit}:${FILE}`),
  );
  return places.flatMap(({ environment }, at) => {
    const text = objects[at]?.content.toString('utf8') ?? '';
    const deployment = shapedFrom<Deployment>(text, isDeployment);
    return deployment === undefined ? [] : [{ ...deployment, environment }];
  });
}

const isDeployment = isShaped({ environment: isText, revision: isText, branch: isText, when: isText, who: isText });

/** Records a deployment. Deployments that are recorded at the same time follow each other, and none is lost. */
export function recordDeployment(repository: Repository, deployment: Deployment): void {
  const { environment, revision, when } = deployment;
  const reference = referenceOf(repository, environment);
  const isWritten = writeDrafts(repository, [
    (objects) => {
      const tree = objects.tree({ [FILE]: objects.blob(`${JSON.stringify(deployment, null, 2)}\n`) });
      const from = referenceId(repository, reference);
      if (from !== null) mustBeHistory(repository, reference, from);
      const message = `${environment}: ${revision.slice(0, 12)}\n`;
      const time = Math.floor(Date.parse(when) / 1000);
      const to = objects.commit({ tree, parents: from === null ? [] : [from], time, message });
      return { name: reference, from, to };
    },
  ]);
  if (!isWritten) throw heldRefusal(repository, reference, 'run it again');
}

function mustBeHistory(repository: Repository, reference: string, id: string): void {
  const [object] = readObjects(repository, [id]);
  if (object?.type === 'commit') return;
  const advice = `run \`git update-ref -d ${reference}\` to begin a new one`;
  throw new LedgerRefusal('damaged', `\`${reference}\` is not a history of deployments; ${advice}`);
}

const ENVIRONMENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

function referenceOf(repository: Repository, environment: string): string {
  if (ENVIRONMENT_NAME.test(environment)) return recordReference(repository, 'deployed', environment);
  const what = `\`${environment}\` cannot name an environment`;
  throw new LedgerRefusal('bad-name', `${what}; a name has letters, digits, \`-\` and \`_\`, as in \`production\``);
}
