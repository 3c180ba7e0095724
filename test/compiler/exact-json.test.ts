import { expect } from 'chai';
import { withoutInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';

const parsed = (json: string) => JSON.parse(withoutInexactNumbers(json) ?? json);

describe('compiler/definition/contract/exact-json', () => {
  for (const json of [
    '1e400',
    '-1e400',
    '1e-400',
    '12345678901234567890',
    '9007199254740993',
    '0.1234567890123456789',
    '8.999999999999999123',
    '-1.7976931348623159e308',
  ]) {
    it(`finds a number that would be another one: ${json}`, () => {
      expect(parsed(json)).to.equal(Number.POSITIVE_INFINITY);
      expect(parsed(`{"a":["x\\"",${json}, 1]}`)).to.deep.equal({ a: ['x"', Number.POSITIVE_INFINITY, 1] });
    });
  }

  for (const json of [
    '9007199254740991',
    '9007199254740992',
    '1e308',
    '1.50e1',
    '150E-1',
    '0.30000000000000004',
    '0.10000000000000000000',
    '-0e99',
    '0.0000000000000000000',
    '100000000000000000000',
    '"12345678901234567890"',
    '"\\\\"',
    '"\\"12345678901234567890"',
    '{"12345678901234567890":"1e400","a":"\\\\","b":1}',
  ]) {
    it(`leaves alone what stays what it is: ${json}`, () => {
      expect(withoutInexactNumbers(json)).to.equal(null);
    });
  }
});
