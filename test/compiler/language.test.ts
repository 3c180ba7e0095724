import { join } from 'node:path';
import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles, compileCase, isUpdating, updateCase } from '../support/case-file.ts';
import { compactJson } from '../support/compact-json.ts';

/** One file a construct: a source, and the parts of the definition in which it shows. */
describe('the language', () => {
  before(() => loadGrammar());

  for (const construct of caseFiles(join(import.meta.dirname, 'language'))) {
    it(construct.name, () => {
      const definition = definitionOf(construct);
      const titles = construct.expectations.map(({ title }) => title);
      expect(titles, 'a construct shows in the definition').to.not.be.empty;
      const seen = titles.map((title) => ({ title, text: compactJson(partOf(definition, title)) }));
      if (isUpdating) updateCase(construct, seen);
      else expect(seen).to.deep.equal(construct.expectations);
    });
  }
});

function definitionOf(construct: CaseFile): Definition {
  const { definition, diagnostics } = compileCase(construct);
  const said = renderText(diagnostics, new SourceMap(construct.sources, '', (path) => construct.files.get(path)), {
    colour: false,
  });
  expect(definition, said).to.not.equal(undefined);
  return definition as Definition;
}

/** `models.Post.fields.title.default`: keys, positions in lists, and names or ids of what is in them. */
function partOf(whole: unknown, path: string): unknown {
  return path
    .split(' ')
    .join('.')
    .split(/\.(?![^[]*\])/)
    .reduce(step, whole);
}

function step(value: unknown, key: string): unknown {
  const name = key.replace(/^\[|\]$/g, '');
  const found = Array.isArray(value) ? itemOf(value, name) : (value as Record<string, unknown> | null)?.[name];
  if (found === undefined) throw new Error(`nothing in the definition is called \`${name}\``);
  return found;
}

/** Names with dots, such as the ids of endpoints, are written in brackets: `endpoints.[post.list]`. */
function itemOf(items: readonly unknown[], name: string): unknown {
  const named = items.find((item) => {
    const { name: itemName, id, kind, field } = item as Record<string, unknown>;
    return [itemName, id, field, kind].includes(name);
  });
  return named ?? items[Number(name)];
}
