import { expect } from 'chai';
import { type Draft, draftFrom, sentColumns, valuesFrom } from '../../console/data/drafts.ts';
import type { Cell, DataColumn } from '../../runtime/console/data/data-forms.ts';

const COLUMNS = {
  text: { name: 'text', type: 'string', isNullable: true },
  count: { name: 'count', type: 'integer' },
  price: { name: 'price', type: 'decimal', isNullable: true },
  isOpen: { name: 'isOpen', type: 'boolean' },
  tags: { name: 'tags', type: 'string', isList: true },
  extra: { name: 'extra', type: 'json', isNullable: true },
  hash: { name: 'hash', type: 'string', isSecret: true },
  password: { name: 'password', type: 'string', isSecret: true, isPassword: true },
} as const satisfies Readonly<Record<string, DataColumn>>;

describe('what the forms of the data send', () => {
  for (const [column, draft, value] of [
    ['text', '', ''],
    ['text', null, null],
    ['count', '12', 12],
    ['count', 'twelve', 'twelve'],
    ['price', '1.50', '1.50'],
    ['price', '', null],
    ['isOpen', 'false', false],
    ['tags', '["a"]', ['a']],
    ['extra', '', null],
    ['extra', '{ "a": [1] }', { a: [1] }],
  ] as const satisfies readonly (readonly [keyof typeof COLUMNS, Draft, unknown])[]) {
    it(`makes ${JSON.stringify(value)} of ${JSON.stringify(draft)} for ${column}`, () => {
      expect(valuesFrom([COLUMNS[column]], { [column]: draft })).to.deep.equal({
        values: { [column]: value },
        errors: {},
      });
    });
  }

  it('leaves out what nobody has touched', () => {
    expect(valuesFrom(Object.values(COLUMNS), { count: '1' }).values).to.deep.equal({ count: 1 });
  });

  it('leaves out a secret whose control is empty again', () => {
    const columns = [COLUMNS.hash, COLUMNS.text].map((column) => ({ column, draft: '' }));
    expect(sentColumns(columns, { hash: '', text: '' })).to.deep.equal([COLUMNS.text]);
    expect(sentColumns(columns, { hash: 'new', text: 'x' })).to.deep.equal([COLUMNS.hash, COLUMNS.text]);
  });

  it('refuses JSON whose numbers the browser would round, and shows it as it is stored', () => {
    const text = '{"a":12345678901234567890}';
    expect(draftFrom(COLUMNS.extra, text)).to.equal(text);
    expect(valuesFrom([COLUMNS.extra], { extra: text }).errors.extra).to.match(/more digits than JSON keeps/);
    expect(valuesFrom([COLUMNS.extra], { extra: '1e400' }).values).to.deep.equal({});
  });

  it('refuses an empty password', () => {
    expect(valuesFrom([COLUMNS.password], { password: '' }).errors).to.deep.equal({ password: 'must not be empty' });
  });

  it('says where a value is no JSON', () => {
    expect(valuesFrom([COLUMNS.tags], { tags: '[a]' }).errors).to.deep.equal({ tags: 'must be JSON' });
  });

  it('shows JSON on lines of its own, and nothing of a secret', () => {
    const shown: readonly (readonly [DataColumn, Cell, Draft])[] = [
      [COLUMNS.extra, '{"a": 1}', '{\n  "a": 1\n}'],
      [COLUMNS.hash, '•••', ''],
      [COLUMNS.hash, null, null],
    ];
    for (const [column, cell, draft] of shown) expect(draftFrom(column, cell)).to.equal(draft);
  });
});
