import { expect } from 'chai';
import type { Type } from '../../../compiler/definition/expression.ts';
import { checkValue, fitsType, valueFromText } from '../../../runtime/values/kinds.ts';

const ENUM: Type = { kind: 'enum', enum: 'Status' };
const enumValues = () => ['draft', 'published'];
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** A value and what becomes of it; what is refused has the sentence in an Error. */
type Row = readonly [Type['kind'] | Type, unknown, unknown];
const refusal = (message: string) => new Error(message);
const INTEGER = refusal('must be an integer');
const RANGE = refusal('must be between -9007199254740991 and 9007199254740991');
const UNSTORABLE = refusal('must not contain the character U+0000 or half of a surrogate pair');
const DECIMAL = refusal('must be a decimal as a string, such as "12.50"');
const TIMESTAMP = refusal('must be a timestamp with a zone, such as "2026-03-29T12:30:00Z"');

const SENT: readonly Row[] = [
  ['integer', 5, 5],
  ['integer', -0, 0],
  ['integer', 5.5, INTEGER],
  ['integer', '5', INTEGER],
  ['integer', null, INTEGER],
  ['integer', 2 ** 53, RANGE],
  ['integer', Number.POSITIVE_INFINITY, RANGE],
  ['float', 5.5, 5.5],
  ['float', '5.5', refusal('must be a number')],
  ['float', Number.POSITIVE_INFINITY, refusal('is too large for a float')],
  ['boolean', true, true],
  ['boolean', 1, refusal('must be true or false')],
  ['decimal', '007.50', '7.50'],
  ['decimal', 7.5, DECIMAL],
  ['decimal', '1e5', DECIMAL],
  ['string', 'a', 'a'],
  ['string', 5, refusal('must be a string')],
  ['string', 'a\0', UNSTORABLE],
  ['string', '\ud83d', UNSTORABLE],
  ['timestamp', '2026-11-15T05:00:00+01:00', '2026-11-15T04:00:00Z'],
  ['timestamp', '2026-11-15', TIMESTAMP],
  ['timestamp', new Date(0), TIMESTAMP],
  ['date', '2026-11-15', '2026-11-15'],
  ['date', '2026-11-31', refusal('must be a date, such as "2026-03-29"')],
  ['uuid', '018F4E6A-7C1B-7D2E-9A3F-5B6C7D8E9F01', '018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01'],
  ['uuid', '018f', refusal('must be a UUID')],
  [ENUM, 'draft', 'draft'],
  [ENUM, 'gone', refusal('must be one of draft, published')],
  [ENUM, 'constructor', refusal('must be one of draft, published')],
  ['json', { a: [1, null] }, { a: [1, null] }],
  ['json', { a: ['\0'] }, UNSTORABLE],
  ['json', { 'a\0': 1 }, UNSTORABLE],
  ['json', nested(100), nested(100)],
  ['json', nested(101), refusal('must not be nested deeper than 100 levels')],
  [{ kind: 'integer', many: true }, [1, 2], [1, 2]],
  [{ kind: 'integer', many: true }, [1, 'x'], refusal('item 2 must be an integer')],
  [{ kind: 'integer', many: true }, 1, refusal('must be a list')],
];

const WRITTEN: readonly (readonly [Row[0], string, unknown])[] = [
  ['integer', '-12', -12],
  ['integer', '1.0', INTEGER],
  ['integer', '', INTEGER],
  ['integer', ' 1', INTEGER],
  ['integer', '0x10', INTEGER],
  ['integer', '9007199254740992', RANGE],
  ['float', '1.5e3', 1500],
  ['float', '1e999', refusal('is too large for a float')],
  ['float', 'Infinity', refusal('must be a number')],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', '1', refusal('must be true or false')],
  ['decimal', '1.50', '1.50'],
  ['decimal', '1,50', refusal('must be a decimal, such as 12.50')],
  ['string', '5', '5'],
  [ENUM, 'draft', 'draft'],
  ['json', '{"a":1}', { a: 1 }],
  ['json', '{', refusal('must be JSON')],
  [{ kind: 'integer', many: true }, '[1,2]', [1, 2]],
];

const GIVEN: readonly Row[] = [
  ['timestamp', new Date('2026-11-15T04:56:40.120Z'), '2026-11-15T04:56:40.12Z'],
  ['timestamp', new Date(Number.NaN), TIMESTAMP],
  ['timestamp', new Date('+012026-01-01T00:00:00Z'), TIMESTAMP],
  ['decimal', 1e-7, '0.0000001'],
  ['decimal', Number.NaN, DECIMAL],
  ['integer', 5n, 5],
  ['integer', 2n ** 60n, RANGE],
  ['string', 5, refusal('must be a string')],
  [{ kind: 'decimal', many: true }, [1, '2.0'], ['1', '2.0']],
  ['any', { at: new Date(0), left: undefined }, { at: '1970-01-01T00:00:00.000Z' }],
  ['any', () => 1, refusal('must be a value that JSON can say')],
  ['json', { a: 1n }, refusal('must be a value that JSON can say')],
];

describe('runtime/values: what comes from outside', () => {
  describe('as JSON of a client', () => tell(SENT, checkValue));
  describe('as text of a path or a query', () =>
    tell(WRITTEN, (text, type) => valueFromText(String(text), type, enumValues)));
  describe('from custom code', () => tell(GIVEN, fitsType));

  it('keeps a key that is called __proto__ where it is', () => {
    const checked = checkValue(JSON.parse('{"__proto__":{"a":1}}'), { kind: 'json' }, enumValues);
    expect(JSON.stringify(checked.ok && checked.value)).to.equal('{"__proto__":{"a":1}}');
  });
});

function tell(rows: readonly Row[], check: typeof checkValue): void {
  for (const [kind, value, expected] of rows) {
    const type: Type = typeof kind === 'string' ? { kind } : kind;
    const outcome = expected instanceof Error ? 'refuses' : 'takes';
    it(`${outcome} ${shown(value)} for ${type.many ? 'many ' : ''}${type.kind}`, () => {
      const checked = check(value, type, enumValues);
      if (expected instanceof Error) expect(checked).to.deep.equal({ ok: false, message: expected.message });
      else expect(checked).to.deep.equal({ ok: true, value: expected });
    });
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Array.isArray(value) ? `a list (${JSON.stringify(value).length})` : String(value);
}
