import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { changesBetween } from '../../compiler/change/changes-between.ts';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { storedPart } from '../../pipeline/dev/dev-releases.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const SEARCH = `
  model Post { field title { type string } }
  api { entrypoint Post { list endpoint { searchable { title } } } }`;

describe('what a development database remembers of a definition', () => {
  before(loadGrammar);

  for (const name of readdirSync(EXAMPLES)) {
    it(`has all that ${name} stores`, () => {
      const folder = join(EXAMPLES, name);
      const definition = defined(compile(readSources(folder).sources, fileTextIn(folder)).definition);
      expect(storageFingerprint(storedPart(definition))).to.equal(storageFingerprint(definition));
      expect(changesBetween(storedPart(definition), definition)).to.deep.equal({ changes: [], problems: [] });
    });
  }

  it('has the searches, which have indexes', () => {
    const definition = defined(compile([{ path: 'app.kiln', text: SEARCH }]).definition);
    expect(storageFingerprint(storedPart(definition))).to.equal(storageFingerprint(definition));
    expect(storageFingerprint({ ...definition, endpoints: [] })).not.to.equal(storageFingerprint(definition));
  });
});

function defined(definition: Definition | undefined): Definition {
  if (definition === undefined) throw new Error('it does not compile');
  return definition;
}
