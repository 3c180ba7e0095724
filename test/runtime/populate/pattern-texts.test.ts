import { expect } from 'chai';
import { textsOfPattern } from '../../../runtime/populate/pattern-texts.ts';

const PATTERNS = [
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^[A-Z]{2}-\\d{4}$',
  '^(?:foo|ba[rz])(\\s\\w{2,})?$',
  '^#[0-9a-fA-F]{6}$',
  '^\\+?[1-9]\\d{6,14}$',
  '^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$',
  '^\\S.*\\S$',
  'x{3}y??z*?',
  '^[-.\\]]{2}$',
  '^(?<year>\\d{4})$',
  '^\\p{L}{3}$',
  '^\\u00e9[\\x41-\\x5a]{2}$',
];

describe('texts of a pattern', () => {
  for (const pattern of PATTERNS) {
    it(`match ${pattern}, and differ`, () => {
      const texts = textsOfPattern(pattern);
      expect(texts).not.to.equal(null);
      const { size = 0, at = () => '' } = texts ?? {};
      const count = Math.min(size, 500);
      const found = Array.from({ length: count }, (_, index) => at(Math.floor((index * size) / count)));
      for (const text of found) expect(text).to.match(new RegExp(pattern, 'u'));
      expect(new Set(found).size).to.be.greaterThan(count * 0.9);
    });
  }

  it('are not guessed where the pattern looks around or back', () => {
    for (const pattern of ['^(?=a)a$', '(a)\\1', '(?<!b)a', '(?<name>a)\\k<name>'])
      expect(textsOfPattern(pattern)).to.equal(null);
  });
});
