import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'));

describe('what `npm ci` installs', () => {
  const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
  const { allowScripts } = read('package.json') as { readonly allowScripts: Readonly<Record<string, boolean>> };
  const strangers = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);

  it('is pinned, each package with its checksum', () => {
    expect(strangers).to.have.length.greaterThan(100);
    const loose = strangers.filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity));
    expect(loose.map(([path]) => path)).to.deep.equal([]);
  });

  it('runs a script only of packages that are listed, and the list has no other', () => {
    const withScripts = strangers.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect([...new Set(withScripts)].sort()).to.deep.equal(Object.keys(allowScripts).sort());
  });
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
