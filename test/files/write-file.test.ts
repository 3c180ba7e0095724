import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../files/write-file.ts';

describe('a folder that is made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-folder-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is made with those above it', () => {
    expect(makeFolder(join(folder, 'a/b/c'))).to.equal(undefined);
    expect(makeFolder(join(folder, 'a/b/c'))).to.equal(undefined);
    expect(existsSync(join(folder, 'a/b/c'))).to.equal(true);
  });

  it('is refused where a file is, or where the system takes no folders', function () {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(makeFolder(file)).to.equal(`\`${file}\` is a file, but a folder is needed there`);
    expect(makeFolder(join(file, 'a/b'))).to.equal(
      `the folder \`${file}/a/b\` cannot be made: a part of its path is not a folder`,
    );
    if (!existsSync('/proc/self')) this.skip();
    expect(makeFolder('/proc/x/y')).to.equal('the folder `/proc/x/y` cannot be made: there can be no new folder');
  });
});
