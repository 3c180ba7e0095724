import { expect } from 'chai';
import { readExplanations } from '../../pipeline/cli/explain.ts';
import { runKilnHere } from './run-kiln.ts';

const CODES = readExplanations()
  .flatMap(({ explanations }) => [...explanations.keys()])
  .sort();

describe('kiln explain', () => {
  async function explain(...words: readonly string[]) {
    const { status: code, out, err } = await runKilnHere(['explain', ...words]);
    return { code, out, err };
  }

  it('says what a code means, with an example and its fix', async () => {
    const { code, out, err } = await explain('unknown-model');
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out)
      .to.match(/^unknown-model\n\nSomething refers to a model/)
      .and.include('\nFor example:\n')
      .and.include('    reference author { to Autor }\n')
      .and.match(/What fixes it:\n.*reference author \{ to Author \}\n/s);
    expect(out.split('\n').filter((line) => line.length > 80)).to.deep.equal([]);
  });

  it('takes a code as it stands in a message', async () => {
    const { out } = await explain('unknown-model');
    for (const written of ['error[unknown-model]', 'error[unknown-model]:', '[unknown-model]', 'Unknown-Model'])
      expect((await explain(written)).out, written).to.equal(out);
    expect((await explain('warning[idle-entrypoint]')).out).to.match(/^idle-entrypoint\n/);
  });

  it('shows the previous release if the code is about a change', async () => {
    expect((await explain('member-disappeared')).out).to.match(/Previous release:\n.*And now:\n.*What fixes it:\n/s);
  });

  it('shows every file where there are several', async () => {
    expect((await explain('hook-import-missing')).out)
      .to.include('  // main.kiln\n')
      .and.include('  // hooks/receipts.ts\n');
  });

  it('shows the ends of an example that is very long', async () => {
    const { out } = await explain('too-many-columns');
    expect(out.split('\n')).to.have.length.below(40);
    expect(out)
      .to.include('channel_1600')
      .and.match(/… 1\d\d\d lines more …/);
  });

  it('lists all codes by group', async () => {
    const { code, out } = await explain();
    expect(code).to.equal(0);
    const listed = [...out.matchAll(/^ {2}([a-z-]+)$/gm)].map(([, name]) => name);
    expect([...listed].sort()).to.deep.equal(CODES);
    expect(out)
      .to.match(/^Text that cannot be read\n/)
      .and.include('\n\nChanges from one release to the next\n');
  });

  it('suggests codes that may have been meant', async () => {
    expect(await explain('unkown-model')).to.deep.include({ code: 2, out: '' });
    expect((await explain('unkown-model')).err).to.equal(
      'error: there is no code `unkown-model`: did you mean `unknown-model`?\n',
    );
    expect((await explain('reference')).err)
      .to.include('`unknown-reference`')
      .and.include('`reference-index`');
    expect(await explain('zzz')).to.deep.equal({
      code: 2,
      out: '',
      err: 'error: there is no code `zzz`: see `kiln explain` for all of them\n',
    });
  });

  it('explains several codes, each once', async () => {
    const { code, out } = await explain('unknown-model', 'bad-name', 'error[bad-name]');
    expect(code).to.equal(0);
    expect(out).to.equal(`${(await explain('unknown-model')).out}\n\n${(await explain('bad-name')).out}`);
    const json = JSON.parse((await explain('unknown-model', 'bad-name', '--json')).out);
    expect(json.map((each: { code: string }) => each.code)).to.deep.equal(['unknown-model', 'bad-name']);
  });

  it('explains none of several where one is not known, and names each of those', async () => {
    expect(await explain('bad-name', 'zzz', 'unkown-model')).to.deep.equal({
      code: 2,
      out: '',
      err:
        'error: there is no code `zzz`: see `kiln explain` for all of them\n' +
        'error: there is no code `unkown-model`: did you mean `unknown-model`?\n',
    });
  });

  it('prints JSON for tools', async () => {
    const one = JSON.parse((await explain('newly-required-field', '--json')).out);
    expect(one).to.have.all.keys('code', 'text', 'example', 'before', 'fix');
    expect(one.fix).to.include('backfill title');
    const all = JSON.parse((await explain('--json')).out);
    expect(all.map(({ code }: { code: string }) => code).sort()).to.deep.equal(CODES);
    expect((await explain('unreadable-text', '--json')).out).to.include('"example": null');
    const { example, fix } = JSON.parse((await explain('unreadable-character', '--json')).out);
    expect(example).to.include('string § }');
    expect(fix).to.include('string }');
  });
});
