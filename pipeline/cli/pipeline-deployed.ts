/** `kiln pipeline deployed`: what is live where, and since when. */
import { userInfo } from 'node:os';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { askGit, openRepository, type Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { lineOf } from '../git/run-git.ts';
import { type Deployment, deploymentsOf, readDeployments, recordDeployment } from '../ledger/deployments.ts';
import { buildOf, readJournal } from '../push/build-journal.ts';
import { PushRefusal } from '../push/push-refusal.ts';
import { found } from '../push/release-log.ts';
import { readSettings } from '../push/settings.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { told } from './pipeline.ts';
import { note, print } from './terminal.ts';

interface DeployedOptions {
  readonly repo: string;
  readonly by?: string;
}

export function deployed(
  environment: string | undefined,
  release: string | undefined,
  { repo, by }: DeployedOptions,
): Promise<ExitCode> {
  return told(() => {
    const repository = openRepository(repo);
    if (environment === undefined) list(readDeployments(repository));
    else if (release === undefined) list(historyOf(repository, environment));
    else record(repository, environment, release, by);
    return EXIT.ok;
  });
}

const NOTHING = 'Nothing is recorded yet. `kiln pipeline deployed <env> <release>` records what an environment runs.';

/** Another clone may have recorded them, so they may have any characters. */
function list(deployments: readonly Deployment[]): void {
  const widest = Math.max(0, ...deployments.map(({ environment }) => environment.length));
  for (const { environment, revision, branch, when, who } of deployments)
    print(visible(`${environment.padEnd(widest)}  ${revision.slice(0, 12)}  ${minute(when)}  ${branch}, by ${who}`));
  if (deployments.length === 0) print(NOTHING);
}

function historyOf(repository: Repository, environment: string): readonly Deployment[] {
  const deployments = deploymentsOf(repository, environment);
  if (deployments.length > 0) return deployments;
  const known = readDeployments(repository).map((deployment) => `\`${deployment.environment}\``);
  const others = known.length === 0 ? 'no environment has any yet' : `there are ${known.join(', ')}`;
  throw new PushRefusal(`no deployment to \`${environment}\` is recorded; ${others}`);
}

function record(repository: Repository, environment: string, name: string, by: string | undefined): void {
  const revision = revisionOf(repository, name);
  const { branch } = found(repository, revision, readSettings(repository).branches);
  const [newest] = deploymentsOf(repository, environment);
  if (newest?.revision === revision) {
    print(`${environment} runs ${revision.slice(0, 12)} already, since ${minute(newest.when)}`);
    return;
  }
  recordDeployment(repository, {
    environment,
    revision,
    branch,
    when: new Date().toISOString(),
    who: by ?? whoIsHere(repository),
  });
  print(
    `${environment} runs ${revision.slice(0, 12)} of ${branch}${newest ? `, after ${newest.revision.slice(0, 12)}` : ''}`,
  );
  if (buildOf(readJournal(repository, branch), revision)?.outcome === 'failed')
    note('Its image failed its test: `kiln pipeline show` says why.');
}

/** CI systems name the user who started the job. */
const VARIABLES = ['GITHUB_ACTOR', 'GITLAB_USER_LOGIN'];

function whoIsHere(repository: Repository): string {
  const inJob = VARIABLES.map((name) => process.env[name]).find(Boolean);
  return inJob ?? (lineOf(askGit(repository, ['config', '--get', 'user.name'])) || userName());
}

/** A process in a container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** In UTC. */
function minute(when: string): string {
  return `${when.slice(0, 16).replace('T', ' ')} UTC`;
}
