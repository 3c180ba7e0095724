/** A definition that shares its items with the one that it is compared with says the same as one that was read whole. */
import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { definitionFromText } from '../../../compiler/definition/definition-from-text.ts';
import { definitionText } from '../../../compiler/definition/definition-text.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { differenceBetween } from '../../../pipeline/difference/difference-between.ts';
import { NOWHERE } from '../../../pipeline/difference/subject-place.ts';
import { CORPUS } from './api/corpus.ts';
import { BASE, baseDefinition, replaced } from './api/edited.ts';

describe('a definition that shares its items with a later one', () => {
  let text: string;

  before(async () => {
    await loadGrammar();
    text = definitionText(baseDefinition());
  });

  it('has the same differences from it', () => {
    let compared = 0;
    for (const { name, replace } of CORPUS) {
      const after = definitionOf(replaced(BASE, replace) ?? BASE);
      if (after === undefined) continue;
      const shared = definitionFromText(text, after) as Definition;
      const whole = JSON.parse(text) as Definition;
      expect(shared, name).to.deep.equal(whole);
      expect(differenceBetween(shared, after, NOWHERE), name).to.deep.equal(differenceBetween(whole, after, NOWHERE));
      compared++;
    }
    expect(compared).to.be.greaterThan(CORPUS.length / 2);
  });

  it('reads only what is different', () => {
    const after = baseDefinition();
    const [first, ...others] = after.models;
    const changed = { ...after, models: [{ ...first, doc: 'changed' }, ...others] } as Definition;
    const { models, endpoints } = definitionFromText(text, changed) as Definition;
    expect(models[0]).to.deep.equal(JSON.parse(JSON.stringify(first)));
    expect(models.slice(1).every((model, at) => model === others[at])).to.equal(true);
    expect(endpoints.every((endpoint, at) => endpoint === after.endpoints[at])).to.equal(true);
  });

  it('is read whole where its lines are not its items', () => {
    const [line] = text.split('\n').filter((each) => each.startsWith('{"name":'));
    const nested = `{"inside": {"deeper": [\n${line?.replace(/,$/, '')}\n]}}`;
    expect(definitionFromText(nested, baseDefinition())).to.deep.equal(JSON.parse(nested));
    for (const other of ['7', 'null', '[]', '{"models": null}', '{"models": [\n]}'])
      expect(definitionFromText(other, baseDefinition())).to.deep.equal(JSON.parse(other));
    expect(() => definitionFromText('{', baseDefinition())).to.throw(SyntaxError);
  });
});

function definitionOf(text: string): Definition | undefined {
  return compile([{ path: 'base.kiln', text }]).definition;
}
