import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

import { inColumns, readExplanations } from '../../pipeline/cli/explain.ts';
import { buildOnce } from '../support/build-once.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CODES = readExplanations()
  .flatMap(({ explanations }) => [...explanations.keys()])
  .sort();

describe('kiln explain', () => {
  before(buildOnce);

  function explain(...words: readonly string[]) {
    const done = spawnSync(process.execPath, [join(ROOT, 'dist/kiln.js'), 'explain', ...words], { encoding: 'utf8' });
    return { code: done.status, out: done.stdout, err: done.stderr };
  }

  it('says what a code means, with an example and its fix', () => {
    const { code, out, err } = explain('unknown-model');
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out)
      .to.match(/^unknown-model\n\nSomething refers to a model/)
      .and.include('\nFor example:\n')
      .and.include('    reference author { to Autor }\n')
      .and.match(/What fixes it:\n.*reference author \{ to Author \}\n/s);
    expect(out.split('\n').filter((line) => line.length > 80)).to.deep.equal([]);
  });

  it('takes a code as it stands in a message', () => {
    const { out } = explain('unknown-model');
    for (const written of ['error[unknown-model]', 'error[unknown-model]:', '[unknown-model]', 'Unknown-Model'])
      expect(explain(written).out, written).to.equal(out);
    expect(explain('warning[idle-entrypoint]').out).to.match(/^idle-entrypoint\n/);
  });

  it('shows the previous release if the code is about a change', () => {
    expect(explain('member-disappeared').out).to.match(/Previous release:\n.*And now:\n.*What fixes it:\n/s);
  });

  it('shows every file where there are several', () => {
    expect(explain('hook-import-missing').out).to.include('  // main.kiln\n').and.include('  // hooks/receipts.ts\n');
  });

  it('shows the ends of an example that is very long', () => {
    const { out } = explain('too-many-columns');
    expect(out.split('\n')).to.have.length.below(40);
    expect(out)
      .to.include('channel_1600')
      .and.match(/… 1\d\d\d lines more …/);
  });

  it('lists all codes by group', () => {
    const { code, out } = explain();
    expect(code).to.equal(0);
    const listed = [...out.matchAll(/^ {2}([a-z-]+)$/gm)].map(([, name]) => name);
    expect([...listed].sort()).to.deep.equal(CODES);
    expect(out)
      .to.match(/^Text that cannot be read\n/)
      .and.include('\n\nChanges from one release to the next\n');
  });

  it('suggests codes that may have been meant', () => {
    expect(explain('unkown-model')).to.deep.include({ code: 2, out: '' });
    expect(explain('unkown-model').err).to.equal(
      'error: there is no code `unkown-model`: did you mean `unknown-model`?\n',
    );
    expect(explain('reference').err).to.include('`unknown-reference`').and.include('`reference-index`');
    expect(explain('zzz')).to.deep.equal({
      code: 2,
      out: '',
      err: 'error: there is no code `zzz`: see `kiln explain` for all of them\n',
    });
  });

  it('explains several codes, each once', () => {
    const { code, out } = explain('unknown-model', 'bad-name', 'error[bad-name]');
    expect(code).to.equal(0);
    expect(out).to.equal(`${explain('unknown-model').out}\n\n${explain('bad-name').out}`);
    const json = JSON.parse(explain('unknown-model', 'bad-name', '--json').out);
    expect(json.map((each: { code: string }) => each.code)).to.deep.equal(['unknown-model', 'bad-name']);
  });

  it('explains none of several where one is not known, and names each of those', () => {
    expect(explain('bad-name', 'zzz', 'unkown-model')).to.deep.equal({
      code: 2,
      out: '',
      err:
        'error: there is no code `zzz`: see `kiln explain` for all of them\n' +
        'error: there is no code `unkown-model`: did you mean `unknown-model`?\n',
    });
  });

  it('has columns that are read downwards, as many as fit', () => {
    expect(inColumns(['a', 'bbbb', 'c', 'd', 'e'], 20)).to.deep.equal(['a     c     e', 'bbbb  d']);
    expect(inColumns(['a', 'bbbb'], 3)).to.deep.equal(['a', 'bbbb']);
    expect(inColumns(['a', 'b'], 80)).to.deep.equal(['a  b']);
  });

  it('prints JSON for tools', () => {
    const one = JSON.parse(explain('newly-required-field', '--json').out);
    expect(one).to.have.all.keys('code', 'text', 'example', 'before', 'fix');
    expect(one.fix).to.include('backfill title');
    const all = JSON.parse(explain('--json').out);
    expect(all.map(({ code }: { code: string }) => code).sort()).to.deep.equal(CODES);
    expect(explain('unreadable-text', '--json').out).to.include('"example": null');
    const { example, fix } = JSON.parse(explain('unreadable-character', '--json').out);
    expect(example).to.include('string § }');
    expect(fix).to.include('string }');
  });
});
