import { join } from 'node:path';
import { expect } from 'chai';
import {
  applicationName,
  applicationTitle,
  imageNameFromText,
  isImageName,
  sourceAddress,
} from '../../../pipeline/git/project-settings.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { commit, gitIn, newRepository, refusalOf, temporaryFolder, write } from './git-repository.ts';

describe("an application's name", () => {
  function nameOf(folder: string): string {
    return applicationName(openRepository(folder), gitIn(folder, 'rev-parse', 'HEAD'));
  }

  it("is the repository's, without .git", () => {
    const folder = newRepository('Blog Zürich');
    commit(folder);
    const bare = join(temporaryFolder(), 'shop.git');
    gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
    expect(nameOf(folder)).to.equal('blog-zurich');
    expect(nameOf(join(folder, '.git'))).to.equal('blog-zurich');
    expect(nameOf(bare)).to.equal('shop');
  });

  it('is that of where a clone came from', () => {
    const folder = newRepository('checkout-1');
    commit(folder);
    for (const url of ['git@host.example:acme/blog.git', 'https://host.example/acme/blog', '/srv/git/blog.git/']) {
      gitIn(folder, 'config', 'remote.origin.url', url);
      expect(nameOf(folder)).to.equal('blog');
    }
  });

  it('is `name` in the kiln.json of the project, as the revision has it', () => {
    const folder = newRepository();
    write(folder, { 'kiln.json': '{ "name": "ghcr.io/acme/top" }', 'apps/shop/kiln.json': '{ "name": "shop" }' });
    commit(folder);
    write(folder, { 'kiln.json': '{ "name": "dirty" }' });
    expect(nameOf(folder)).to.equal('ghcr.io/acme/top');
    expect(nameOf(join(folder, 'apps/shop'))).to.equal('shop');
  });

  it('stays that of the repository where kiln.json has no name', () => {
    const folder = newRepository();
    write(folder, { 'kiln.json': '{}' });
    commit(folder);
    expect(nameOf(folder)).to.equal('blog');
  });

  it('is no part of an image unless the revision itself says it', () => {
    const folder = newRepository('checkout-1');
    write(folder, { 'apps/my blog/a.kiln': '', 'apps/shop/kiln.json': '{ "name": "acme/shop" }' });
    commit(folder);
    gitIn(folder, 'config', 'remote.origin.url', 'https://host.example/acme/other');
    const titleOf = (path: string) => applicationTitle(openRepository(join(folder, path)), 'HEAD');
    expect(titleOf('')).to.equal('API');
    expect(titleOf('apps/my blog')).to.equal('my-blog');
    expect(titleOf('apps/shop')).to.equal('acme/shop');
  });

  it('comes with the address of the sources, as kiln.json has it', () => {
    const folder = newRepository();
    const addressWith = (text: string) => {
      write(folder, { 'kiln.json': text });
      commit(folder);
      return sourceAddress(openRepository(folder), 'HEAD');
    };
    expect(addressWith('{}')).to.equal(null);
    expect(addressWith('{ "source": "https://git.example/acme/blog" }')).to.equal('https://git.example/acme/blog');
    for (const source of ['"blog"', '7', '"file:///srv/git"', '"https://ann:secret@git.example/blog"']) {
      const { message } = refusalOf(() => addressWith(`{ "source": ${source} }`));
      expect(message).to.match(/^`source` in `kiln.json` has to be the address of the sources, such as/);
      expect(message).not.to.include('secret');
    }
  });

  it('refuses what cannot name an image', () => {
    const folder = newRepository();
    const refused = (text: string) => {
      write(folder, { 'kiln.json': text });
      commit(folder);
      return refusalOf(() => nameOf(folder)).message;
    };
    for (const name of ['"Blog"', '"a b"', '""', '7', '"a:latest"', '"-a"', '"a//b"', 'null']) {
      expect(refused(`{ "name": ${name} }`)).to.match(/^`name` in `kiln.json` cannot name an image/);
    }
    expect(refused('{ name }')).to.match(/^`kiln.json` is not JSON: /);
    expect(refused('[]')).to.equal('`kiln.json` has to be an object, as in `{ "name": "blog" }`');
  });

  it('asks for a name where that of the repository has no letter', () => {
    const folder = newRepository('日本');
    commit(folder);
    expect(refusalOf(() => nameOf(folder))).to.deep.equal({
      kind: 'bad-name',
      message:
        'no image can be called like the repository `日本`; add a `kiln.json` with `{ "name": "…" }` to the project',
    });
  });

  it('makes names that an image can have', () => {
    const texts = ['My Blog', 'a..b', 'a-._b', 'x___y', 'a--b', '__a__', 'É', `${'a'.repeat(99)}.b`];
    const names = texts.map((text) => imageNameFromText(text));
    expect(names.map((name) => name !== undefined && isImageName(name))).to.deep.equal(texts.map(() => true));
    expect(names.slice(0, 3)).to.deep.equal(['my-blog', 'a.b', 'a.b']);
  });
});
