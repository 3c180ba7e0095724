/** The files that other CI systems run, against their own schemas; and the script that they all call. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { workflowFile } from '../../../pipeline/new/workflow-file.ts';
import { addFiles, projectFolder } from '../project-folder.ts';
import { githubMistakes, packageFolder } from './schemas.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

describe('what GitHub runs', () => {
  for (const path of ['.github/workflows/ci.yml', '.github/workflows/kiln-build.yml']) {
    it(`can read ${path}`, async () => {
      expect(await githubMistakes('workflow', textOf(path))).to.deep.equal([]);
    });
  }

  for (const path of ['.github/actions/setup-kiln/action.yml', '.github/actions/kiln-build/action.yml']) {
    it(`can read ${path}`, async () => {
      expect(await githubMistakes('action', textOf(path))).to.deep.equal([]);
    });
  }

  it('can read the workflow of a new project', async () => {
    const { text } = workflowFile({ name: 'my-app', variables: [] });
    expect(await githubMistakes('workflow', text)).to.deep.equal([]);
  });

  it('would refuse a word that it does not know', async () => {
    const text = textOf('.github/workflows/ci.yml').replace('runs-on', 'run-on');
    expect(await githubMistakes('workflow', text)).not.to.deep.equal([]);
  });
});

describe('ci/gitlab.yml', () => {
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

/** Stands in for `kiln`: appends a release to the ledger the first time, and writes down what it was told. */
const KILN = `#!/bin/sh
set -eu
echo "$*" >>"$KILN_LOG"
case $* in *--push*) exit 0 ;; esac
release=$(git commit-tree -m release HEAD^{tree})
git update-ref "refs/kiln/releases/feature%2Fx" "$release"
`;

describe('ci/build-and-push.sh', () => {
  function clone(): { readonly bare: string; readonly folder: string } {
    const bare = join(projectFolder({}), 'app.git');
    const folder = projectFolder({ 'a.kiln': 'model A {}\n', 'bin/kiln': KILN });
    chmodSync(join(folder, 'bin/kiln'), 0o755);
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

  function built(folder: string): {
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
    const words = `build . --branch feature/x --base base:1 ${tags}`;
    expect(told).to.deep.equal([words, `${words} --push`]);
    expect(git(bare, 'for-each-ref', '--format=%(refname)', 'refs/kiln')).to.equal('refs/kiln/releases/feature%2Fx');
    expect(readFileSync(join(folder, 'output'), 'utf8')).to.equal(`image=ghcr.io/acme/app:${commit}\n`);
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
});
