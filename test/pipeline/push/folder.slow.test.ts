import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { folderInTree } from '../../../pipeline/push/settings.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { smallBaseArchive } from '../image/small-base.ts';
import { kiln, PushedProject } from './pushed-project.ts';
import { FIRST, RENAMED } from './pushed-sources.ts';

type Files = Readonly<Record<string, string>>;

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

describe('projects in folders of one repository', () => {
  const SHOP = {
    'shop.kiln': 'model Item { field name { type string } }\napi { entrypoint Item as item { list endpoint {} } }\n',
  };
  let folder: string;
  let place: string;

  before(async () => {
    place = temporaryFolder();
    writeFileSync(join(place, 'base.tar'), await smallBaseArchive());
    folder = newRepository('acme');
    write(folder, { ...below('apps/blog', FIRST), ...below('apps/my shop', SHOP) });
    commit(folder);
  });

  function build(path: string): string {
    const output = join(place, 'image.tar');
    const { status, said } = kiln(
      'build',
      join(folder, path),
      '--base-archive',
      join(place, 'base.tar'),
      '--output',
      output,
    );
    expect(status, said).to.equal(0);
    return said;
  }

  const references = () => gitIn(folder, 'for-each-ref', '--format=%(refname)', 'refs/kiln').split('\n');
  const shown = (reference: string, file: string) => gitIn(folder, 'show', `refs/kiln/folders/${reference}:${file}`);

  it('have ledgers of their own, and are called as their folders', () => {
    build('apps/blog');
    build('apps/my shop');
    expect(references()).to.deep.equal([
      'refs/kiln/folders/apps%2Fblog/builds/main',
      'refs/kiln/folders/apps%2Fblog/releases/main',
      'refs/kiln/folders/apps%2Fblog/reports/main',
      'refs/kiln/folders/apps%2Fmy%20shop/builds/main',
      'refs/kiln/folders/apps%2Fmy%20shop/releases/main',
      'refs/kiln/folders/apps%2Fmy%20shop/reports/main',
    ]);
    expect(shown('apps%2Fblog/releases/main', 'schema.sql')).to.include('"post"').and.not.to.include('"item"');
    expect(shown('apps%2Fmy%20shop/releases/main', 'schema.sql')).to.include('"item"').and.not.to.include('"post"');
    expect(JSON.parse(shown('apps%2Fmy%20shop/releases/main', 'definition.json')).models[0].name).to.equal('Item');
  });

  it('are compared with their own previous release, and forked from it on another branch', () => {
    gitIn(folder, 'checkout', '--quiet', '-b', 'next');
    write(folder, below('apps/blog', RENAMED));
    commit(folder);
    expect(build('apps/blog')).to.include('2 steps of migration');
    expect(build('apps/my shop')).to.include('no change of the database');
    expect(shown('apps%2Fblog/releases/next', 'migration.sql')).to.include('RENAME COLUMN "title" TO "headline"');
    expect(kiln('pipeline', 'log', join(folder, 'apps/blog'), 'next').said).to.include('rename the column "title"');
  });

  it('keep their history when they move, where it is handed over', () => {
    gitIn(folder, 'checkout', '--quiet', '-f', 'main');
    gitIn(folder, 'mv', 'apps/blog', 'blog');
    commit(folder, 'Move');
    gitIn(folder, 'update-ref', 'refs/kiln/folders/blog/releases/main', 'refs/kiln/folders/apps%2Fblog/releases/main');
    expect(build('blog')).to.include('no change of the database');
  });

  it('are named from the top of the repository', () => {
    expect(['apps/blog/', './apps//blog', 'apps/x/../blog'].map(folderInTree)).to.deep.equal(
      Array(3).fill('apps/blog'),
    );
    expect(['.', './', ''].map(folderInTree)).to.deep.equal(['', '', '']);
    for (const outside of ['..', '../blog', 'a/../../b', '/srv/blog'])
      expect(() => folderInTree(outside)).to.throw('is not a folder in the repository; name it from the top');
  });
});

describe('a push to a repository whose project is in a folder', () => {
  let project: PushedProject;

  before(async function () {
    skipWithoutImages(this);
    project = new PushedProject('--dir', 'apps/blog/', '--base', await runtimeBase(), '--postgres', POSTGRES_IMAGE);
  });

  it('builds that folder, and keeps the releases that a clone of it reads', async () => {
    const name = { 'apps/blog/kiln.json': JSON.stringify({ name: project.name }) };
    const revision = project.commit(
      { ...below('apps/blog', FIRST), ...name, 'models.kiln': 'model Broken {' },
      'First',
    );
    const { status, said } = await project.push(['main']);
    expect(status, said).to.equal(0);
    expect(Object.keys(project.images()), said).to.have.members([revision.slice(0, 12), 'main']);
    expect(gitIn(project.bare, 'for-each-ref', '--format=%(refname)', 'refs/kiln').split('\n')).to.deep.equal([
      'refs/kiln/folders/apps%2Fblog/builds/main',
      'refs/kiln/folders/apps%2Fblog/releases/main',
      'refs/kiln/folders/apps%2Fblog/reports/main',
      'refs/kiln/folders/apps%2Fblog/status/main',
    ]);
    expect(kiln('pipeline', 'wait', project.bare, '--dir', 'apps/blog').said).to.include(' is tested: sha256:');
    expect(kiln('pipeline', 'log', project.bare).said)
      .to.include('database  make all tables')
      .and.to.include('sha256:');
    expect(kiln('pipeline', 'show', 'main', project.bare).said).to.include('API\n  ');
    expect(project.remains()).to.equal('');
  });

  it('is refused where the folder is not there', async () => {
    gitIn(project.folder, 'mv', 'apps/blog', 'apps/other');
    project.commit({}, 'Moved');
    const { status, said } = await project.push(['main']);
    expect(status).to.equal(1);
    expect(said).to.include('the folder `apps/blog` does not exist at the revision');
  });
});
