import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { FORMS, grammarForms } from '../../scripts/grammar-forms.ts';

describe('the forms of the compiler', () => {
  it('are those of the grammar; `npm run grammar` makes them again', () => {
    expect(readFileSync(FORMS, 'utf8')).to.equal(grammarForms());
  });
});
