/** The files that other CI systems run, against their own schemas; and the script that they all call. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { addFiles, projectFolder } from '../project-folder.ts';
import { githubMistakes, packageFolder } from './schemas.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const WORKFLOWS = ['ci', 'kiln-build', 'publish'].map((name) => `.github/workflows/${name}.yml`);
const ACTIONS = ['.github/actions/setup-kiln/action.yml', '.github/actions/kiln-build/action.yml'];
const NEW_PROJECT = 'pipeline/new/files/project/.github/workflows/kiln.yml';

describe('what GitHub runs', () => {
  for (const path of WORKFLOWS) {
    it(`can read ${path}`, async () => {
      expect(await githubMistakes('workflow', textOf(path))).to.deep.equal([]);
    });
  }

  for (const path of ACTIONS) {
    it(`can read ${path}`, async () => {
      expect(await githubMistakes('action', textOf(path))).to.deep.equal([]);
    });
  }

  it('can read the workflow of a new project', async () => {
    expect(await githubMistakes('workflow', textOf(NEW_PROJECT))).to.deep.equal([]);
  });

  it('names actions of others by their commits, with the version as a comment', () => {
    const used = [...WORKFLOWS, ...ACTIONS, NEW_PROJECT].flatMap((path) => [...textOf(path).matchAll(/uses: (.*)/g)]);
    const others = used.map(([, name = '']) => name).filter((name) => !/^(\.\/|<owner>)/.test(name));
    expect(others).not.to.be.empty;
    for (const name of others) expect(name).to.match(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const byAction = new Map(others.map((name) => [name.replace(/@.*/, ''), name]));
    expect([...new Set(others)].sort(), 'one version of each').to.deep.equal([...byAction.values()].sort());
  });

  it('never leaves the token in .git/config', () => {
    for (const path of [...WORKFLOWS, NEW_PROJECT]) {
      const steps = Object.values<{ steps: Step[] }>(parse(textOf(path)).jobs).flatMap(({ steps }) => steps);
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts, path).not.to.be.empty;
      for (const { with: inputs } of checkouts) expect(inputs?.['persist-credentials'], path).to.equal(false);
    }
  });

  it('stops before anything is fetched from Kiln where KILN_REF is not set', () => {
    const [first] = parse(textOf(NEW_PROJECT)).jobs.build.steps;
    expect(first.if).to.equal("vars.KILN_REF == ''");
    const { status, stdout } = spawnSync('sh', ['-e', '-c', first.run], { encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stdout).to.match(/^::error::Set the variable KILN_REF to the commit of Kiln that you trust\. /);
  });

  it('may attest where it is told to', () => {
    const { attest, steps } = ((action) => ({ attest: action.inputs.attest, steps: action.runs.steps }))(
      parse(textOf('.github/actions/kiln-build/action.yml')),
    );
    expect(attest.default).to.equal('false');
    const step = steps.find(({ uses }: Step) => uses?.startsWith('actions/attest-build-provenance@'));
    expect(step.with['subject-digest']).to.equal('$' + '{{ steps.build.outputs.digest }}');
    for (const permissions of [
      parse(textOf(NEW_PROJECT)).jobs.build.permissions,
      parse(textOf('.github/workflows/kiln-build.yml')).permissions,
    ])
      expect(permissions).to.include({ 'id-token': 'write', attestations: 'write' });
  });

  it('would refuse a word that it does not know', async () => {
    const text = textOf('.github/workflows/ci.yml').replace('runs-on', 'run-on');
    expect(await githubMistakes('workflow', text)).not.to.deep.equal([]);
  });
});

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

describe('ci/gitlab.yml', () => {
  const configuration = () =>
    parse(textOf('ci/gitlab.yml'), {
      customTags: [{ tag: '!reference', collection: 'seq', resolve: (value) => value }],
    });

  it('stops where KILN_REF is not set, and installs packages without the token of the job', () => {
    const script: readonly string[] = configuration()['.kiln-install'].script;
    const { status, stdout } = spawnSync('sh', ['-c', String(script[0])], { env: {}, encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stdout).to.match(/^Set KILN_REF to the commit of Kiln that you trust\./);
    const install = script.findIndex((line) => line.includes('install-kiln.sh'));
    expect(script[install]).to.match(/^env -u CI_JOB_TOKEN -u CI_REPOSITORY_URL /);
    expect(script.findIndex((line) => line.startsWith('git remote set-url origin'))).to.equal(install - 1);
  });

  /** Written for Node 22, it asks sets for what those of Node 20 do not have. */
  const UNION = 'Set.prototype.union ??= function (other) { return new Set([...this, ...other]); }';

  function listed(text: string): { readonly code: number | null; readonly out: string; readonly err: string } {
    const folder = projectFolder({ '.gitlab-ci.yml': text });
    execFileSync('git', ['init', '--quiet', folder]);
    const preload = `data:text/javascript,${encodeURIComponent(UNION)}`;
    const words = ['--import', preload, join(packageFolder('gitlab-ci-local'), 'dist/index.js'), '--list-csv-all'];
    const { status, stdout, stderr } = spawnSync('node', words, { cwd: folder, encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  }

  it("keeps to GitLab's schema, and builds after the check", () => {
    const { code, out, err } = listed(textOf('ci/gitlab.yml'));
    expect(code, err).to.equal(0);
    expect(out)
      .to.match(/^kiln-check;/m)
      .and.to.match(/^kiln-build;.*kiln-check/m);
  });

  it('would be refused with a word that GitLab does not know', () => {
    const { code, err } = listed(textOf('ci/gitlab.yml').replace('resource_group', 'resourcegroup'));
    expect(code).to.equal(1);
    expect(err).to.include('resourcegroup');
  });
});

/** Stands in for `kiln`: appends a release to the ledger the first time, leaves a report, and writes down what it was told. */
const KILN = `#!/bin/sh
set -eu
echo "$*" >>"$KILN_LOG"
env | grep -E 'TOKEN|GIT_CONFIG' >>"$KILN_LOG.seen" || true
case $* in *--push*) echo "push 3 ms  ghcr.io/acme/app:$(git rev-parse --short=12 HEAD)@sha256:7c1f" ;; esac
reports=refs/kiln/reports/feature%2Fx
report=$(git rev-parse --quiet --verify "$reports" || true)
git update-ref "$reports" "$(git commit-tree -m "Report" \${report:+-p "$report"} HEAD^{tree})"
case $* in *--push*) exit 0 ;; esac
ledger=refs/kiln/releases/feature%2Fx
parent=$(git rev-parse --quiet --verify "$ledger" || true)
git log --format=%B "$ledger" 2>/dev/null | grep -q "^Revision: $(git rev-parse HEAD)$" && exit 0
release=$(git commit-tree -m "Release" -m "Revision: $(git rev-parse HEAD)" \${parent:+-p "$parent"} HEAD^{tree})
git update-ref "$ledger" "$release"
`;

/** Stands in for a Docker engine that has no images yet. */
const DOCKER = `#!/bin/sh
echo "$*" >>"$KILN_LOG.docker"
case $* in "image inspect"*) exit 1 ;; esac
`;

describe('ci/build-and-push.sh', () => {
  function clone(): { readonly bare: string; readonly folder: string } {
    const bare = join(projectFolder({}), 'app.git');
    const folder = projectFolder({ 'a.kiln': 'model A {}\n', 'bin/kiln': KILN, 'bin/docker': DOCKER });
    for (const program of ['kiln', 'docker']) chmodSync(join(folder, 'bin', program), 0o755);
    git(folder, 'init', '--quiet', '--bare', bare);
    git(folder, 'init', '--quiet', '--initial-branch', 'feature/x');
    git(folder, 'remote', 'add', 'origin', bare);
    git(folder, 'add', 'a.kiln');
    git(folder, 'commit', '--quiet', '--message', 'Begin');
    git(folder, 'push', '--quiet', 'origin', 'feature/x');
    git(folder, 'checkout', '--quiet', '--detach');
    return { bare, folder };
  }

  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@x',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@x',
  };
  const git = (cwd: string, ...words: readonly string[]) =>
    execFileSync('git', words, { cwd, encoding: 'utf8', env: { ...process.env, ...identity }, stdio: 'pipe' }).trim();

  function built(
    folder: string,
    more: Readonly<Record<string, string>> = {},
  ): {
    readonly code: number | null;
    readonly told: readonly string[];
    readonly err: string;
  } {
    const log = join(folder, 'log');
    addFiles(folder, { log: '' });
    const env = {
      ...process.env,
      ...identity,
      PATH: `${folder}/bin:${process.env.PATH}`,
      KILN_LOG: log,
      KILN_IMAGE: 'ghcr.io/Acme/app',
      KILN_BRANCH: 'feature/x',
      KILN_BASE_IMAGE: 'base:1',
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_REF: 'refs/heads/feature/x',
      ...more,
    };
    const { status, stderr } = spawnSync(join(root, 'ci/build-and-push.sh'), { cwd: folder, encoding: 'utf8', env });
    return { code: status, told: readFileSync(log, 'utf8').trim().split('\n'), err: stderr };
  }

  it('records the release on the ledger of its branch before it pushes the image', () => {
    const { bare, folder } = clone();
    const { code, told, err } = built(folder);
    expect(code, err).to.equal(0);
    const commit = git(folder, 'rev-parse', '--short=12', 'HEAD');
    const tags = `--tag ghcr.io/acme/app:${commit} --tag ghcr.io/acme/app:feature-x`;
    const words = 'build . --branch feature/x --base base:1';
    expect(told).to.deep.equal([`${words} --test postgres:18 ${tags}`, `${words} ${tags} --push`]);
    expect(git(bare, 'for-each-ref', '--format=%(refname)', 'refs/kiln')).to.equal(
      'refs/kiln/releases/feature%2Fx\nrefs/kiln/reports/feature%2Fx',
    );
    expect(readFileSync(join(folder, 'output'), 'utf8')).to.equal(
      `image=ghcr.io/acme/app:${commit}\nname=ghcr.io/acme/app\ndigest=sha256:7c1f\n`,
    );
  });

  it('gives the token to fetches and pushes of git alone, for the address of the repository', () => {
    const { bare, folder } = clone();
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const spy = `#!/bin/sh\necho "$1 \${GIT_CONFIG_KEY_0:-} \${GIT_CONFIG_VALUE_0:-}" >>"$KILN_LOG.git"\nexec '${real}' "$@"\n`;
    addFiles(folder, { 'bin/git': spy, 'log.git': '', 'log.seen': '' });
    chmodSync(join(folder, 'bin/git'), 0o755);
    const { code, err } = built(folder, { KILN_GIT_TOKEN: 'secret-1', KILN_GIT_USER: 'gitlab-ci-token' });
    expect(code, err).to.equal(0);
    expect(readFileSync(join(folder, 'log.seen'), 'utf8')).to.equal('');
    const header = `Authorization: Basic ${Buffer.from('gitlab-ci-token:secret-1').toString('base64')}`;
    const calls = readFileSync(join(folder, 'log.git'), 'utf8').split('\n');
    const carrying = calls.filter((call) => call.includes('Basic'));
    expect([...new Set(carrying)]).to.deep.equal(
      ['fetch', 'push'].map((command) => `${command} http.${bare}.extraheader ${header}`),
    );
    expect(calls.filter((call) => /^(fetch|push) /.test(call))).to.deep.equal(carrying);
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.to.include('Basic');
  });

  it('pushes neither the release nor the image where the test of the image fails', () => {
    const { bare, folder } = clone();
    addFiles(folder, { 'bin/kiln': KILN.replace('ledger=', 'case $* in *--test*) exit 1 ;; esac\nledger=') });
    const { code, told } = built(folder, { KILN_POSTGRES: 'postgres:17' });
    expect(code).to.equal(1);
    expect(told).to.have.length(1);
    expect(told[0]).to.include(' --test postgres:17 ');
    expect(git(bare, 'for-each-ref', 'refs/kiln')).to.equal('');
  });

  it('pulls the base that it is told, and makes one where it is told none', () => {
    const { folder } = clone();
    const log = join(folder, 'log.docker');
    expect(built(folder).code).to.equal(0);
    expect(readFileSync(log, 'utf8')).to.equal('image inspect base:1\npull --quiet base:1\n');
    addFiles(folder, { 'log.docker': '' });
    expect(built(folder, { KILN_BASE_IMAGE: '' }).code).to.equal(0);
    expect(readFileSync(log, 'utf8')).to.match(/^build --quiet --tag kiln-runtime \S+\n$/);
  });

  it('pushes no image where the repository does not take the release', () => {
    const { bare, folder } = clone();
    addFiles(bare, { 'hooks/pre-receive': '#!/bin/sh\nexit 1\n' });
    chmodSync(join(bare, 'hooks/pre-receive'), 0o755);
    const { code, told, err } = built(folder);
    expect(code).to.equal(1);
    expect(told).to.have.length(1);
    expect(err).to.include('the release was not recorded');
  });

  const nextCommit = (folder: string) => {
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Next');
    return git(folder, 'rev-parse', 'HEAD');
  };

  it('takes the ledger as the repository has it, though an earlier job left another one behind', () => {
    const { bare, folder } = clone();
    expect(built(folder).code).to.equal(0);
    nextCommit(folder);
    const left = git(folder, 'commit-tree', '-m', 'left behind', 'HEAD^{tree}');
    git(folder, 'update-ref', 'refs/kiln/releases/feature%2Fx', left);
    git(folder, 'update-ref', 'refs/kiln/releases/other', left);
    const { code, err } = built(folder);
    expect(code, err).to.equal(0);
    expect(git(bare, 'log', '--format=%s', 'refs/kiln/releases/feature%2Fx')).to.equal('Release\nRelease');
    expect(git(folder, 'for-each-ref', '--format=%(refname)', 'refs/kiln/releases/other')).to.equal('');
  });

  it('makes no release of a commit that a newer release contains', () => {
    const { bare, folder } = clone();
    const older = git(folder, 'rev-parse', '--short=12', 'HEAD');
    const newer = nextCommit(folder);
    expect(built(folder).code).to.equal(0);
    git(folder, 'checkout', '--quiet', older);
    const { code, told, err } = built(folder);
    expect(code).to.equal(1);
    expect(told).to.deep.equal(['']);
    expect(err).to.equal(
      `error: ${older} is part of ${newer}, which has been released on feature/x already; to go back, revert in a new commit\n`,
    );
    expect(git(bare, 'log', '--format=%s', 'refs/kiln/releases/feature%2Fx')).to.equal('Release');
  });

  it('leaves the tag of the branch where it is when the job of an older release is run again', () => {
    const { folder } = clone();
    const older = git(folder, 'rev-parse', '--short=12', 'HEAD');
    expect(built(folder).code).to.equal(0);
    nextCommit(folder);
    expect(built(folder).code).to.equal(0);
    git(folder, 'checkout', '--quiet', older);
    const { code, told, err } = built(folder);
    expect(code, err).to.equal(0);
    expect(told.at(-1)).to.match(new RegExp(`--tag ghcr.io/acme/app:${older} --push$`));
    expect(told.join()).not.to.include(':feature-x');
  });

  it('refuses what is on no branch', () => {
    const { folder } = clone();
    for (const reference of ['refs/pull/7/merge', 'refs/tags/v1']) {
      const { code, told, err } = built(folder, { GITHUB_REF: reference });
      expect([code, told]).to.deep.equal([1, ['']]);
      expect(err).to.include(`error: ${reference} is not a branch`);
    }
  });
});

describe('ci/install-kiln.sh', () => {
  it('installs all that the build of Kiln bundles, some of which is for development only', () => {
    const folder = projectFolder({
      'kiln/ci/install-kiln.sh': textOf('ci/install-kiln.sh'),
      'bin/npm': '#!/bin/sh\necho "$PWD $*" >"$NPM_LOG"\n',
    });
    for (const file of ['kiln/ci/install-kiln.sh', 'bin/npm']) chmodSync(join(folder, file), 0o755);
    const log = join(folder, 'log');
    const env = { PATH: `${folder}/bin:${process.env.PATH}`, NPM_LOG: log, GITHUB_PATH: join(folder, 'path') };
    const { status, stderr } = spawnSync(join(folder, 'kiln/ci/install-kiln.sh'), { env, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    const { devDependencies } = JSON.parse(textOf('package.json'));
    expect(Object.keys(devDependencies)).to.include('preact');
    expect(readFileSync(log, 'utf8'))
      .to.match(/kiln ci /)
      .and.not.to.match(/omit|production/);
    expect(readFileSync(join(folder, 'path'), 'utf8')).to.match(/kiln\/dist\/bin\n$/);
  });
});
