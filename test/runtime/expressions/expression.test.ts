import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Call, Expression, Operation, Type } from '../../../compiler/definition/expression.ts';
import { ApiError } from '../../../runtime/errors/api-error.ts';
import { compileExpression } from '../../../runtime/expressions/compile-expression.ts';
import type { Environment } from '../../../runtime/expressions/compiled.ts';
import { emptyScope, resultName, type Scope } from '../../../runtime/expressions/scope.ts';
import { isServerOnly } from '../../../runtime/expressions/server-only.ts';
import { canonicalTimestamp } from '../../../runtime/values/moment.ts';

const NOTHING: Scope = emptyScope();

/** What a hook gives is written in its inline code, as JSON. */
function environmentOf(called: string[] = []): Environment {
  return {
    hook: ({ code }) => {
      const text = code.kind === 'inline' ? code.expression : 'null';
      return async () => {
        called.push(text);
        return JSON.parse(text);
      };
    },
    enumValues: () => ['draft', 'published', 'archived'],
  };
}

const run = (expression: Expression, scope = NOTHING) => compileExpression(expression, environmentOf()).run(scope);

const literal = (kind: Type['kind'], value: string | number | boolean | null): Expression => ({
  kind: 'literal',
  type: kind === 'enum' ? { kind, enum: 'Status' } : { kind },
  value,
});
const integer = (value: number | null) => literal('integer', value);
const float = (value: number | null) => literal('float', value);
const decimal = (value: string | null) => literal('decimal', value);
const text = (value: string | null) => literal('string', value);
const boolean = (value: boolean | null) => literal('boolean', value);
const hook = (value: unknown): Expression => ({
  kind: 'hook',
  hook: { arguments: [], code: { kind: 'inline', expression: JSON.stringify(value) } },
  type: { kind: 'any' },
});
const operation = (
  operator: Operation['operator'],
  operands: readonly Expression[],
  kind: Type['kind'],
): Expression => ({
  kind: 'operation',
  operator,
  operands,
  type: { kind },
});
const asked = (operator: Operation['operator'], ...operands: Expression[]) => operation(operator, operands, 'boolean');
const counted = (operator: Operation['operator'], a: Expression, b: Expression) =>
  operation(operator, [a, b], a.type.kind);
const call = (name: Call['function'], args: readonly Expression[], kind: Type['kind']): Expression => ({
  kind: 'call',
  function: name,
  arguments: args,
  type: { kind },
});
const list = (items: readonly Expression[], kind: Type['kind']): Expression => ({
  kind: 'list',
  items,
  type: { kind, many: true },
});
const convert = (value: Expression, kind: Type['kind']): Expression => ({ kind: 'convert', value, type: { kind } });

const TABLE: readonly (readonly [string, Expression, unknown])[] = [
  ['1 + 2', counted('+', integer(1), integer(2)), 3],
  ['-5 % 5', counted('%', integer(-5), integer(5)), 0],
  ['-7 % 5', counted('%', integer(-7), integer(5)), -2],
  ['7 % 0', counted('%', integer(7), integer(0)), null],
  ['1 + null', counted('+', integer(1), integer(null)), null],
  ['0.1 + 0.2', counted('+', float(0.1), float(0.2)), 0.1 + 0.2],
  ['1.0 / 4.0', operation('/', [float(1), float(4)], 'float'), 0.25],
  ['1.0 / 0.0', operation('/', [float(1), float(0)], 'float'), null],
  ['0.3 % 0.1', counted('%', float(0.3), float(0.1)), 0],
  ['decimal 1.50 + 1', counted('+', decimal('1.50'), decimal('1')), '2.50'],
  ['decimal 1.50 * 1.50', counted('*', decimal('1.50'), decimal('1.50')), '2.2500'],
  ['decimal 7 % 0', counted('%', decimal('7'), decimal('0')), null],
  ['-(0)', operation('negate', [integer(0)], 'integer'), 0],
  ['-(1.50)', operation('negate', [decimal('1.50')], 'decimal'), '-1.50'],
  ['abs(-1.50)', call('abs', [decimal('-1.50')], 'decimal'), '1.50'],
  ['abs(-2)', call('abs', [integer(-2)], 'integer'), 2],
  ['round(2.5)', call('round', [float(2.5)], 'integer'), 3],
  ['round(-0.2)', call('round', [float(-0.2)], 'integer'), 0],
  ['round(1.25, 1)', call('round', [float(1.25), integer(1)], 'float'), 1.3],
  ['round(decimal 2.345, 2)', call('round', [decimal('2.345'), integer(2)], 'decimal'), '2.35'],
  ['round(decimal 2.5)', call('round', [decimal('2.5')], 'decimal'), '3'],
  ['round(1250, -2)', call('round', [integer(1250), integer(-2)], 'integer'), 1300],
  ['round(null, 2)', call('round', [float(null), integer(2)], 'float'), null],
  ['decimal 1.0 is 1.00', asked('is', decimal('1.0'), decimal('1.00')), true],
  ['null is null', asked('is', text(null), text(null)), true],
  ['"a" is null', asked('is', text('a'), literal('any', null)), false],
  ['null in [null]', asked('in', text(null), list([text(null)], 'string')), true],
  ['1.0 in [1.00]', asked('in', decimal('1.0'), list([decimal('1.00')], 'decimal')), true],
  ['"a" in []', asked('in', text('a'), list([], 'string')), false],
  ['null < 1', asked('<', integer(null), integer(1)), null],
  ['decimal 9 < 10', asked('<', decimal('9'), decimal('10')), true],
  ['"\uffee" < "😀"', asked('<', text('\uffee'), text('😀')), true],
  [
    'a moment < another in another zone',
    asked('<', literal('timestamp', '2026-01-01T01:00:00+02:00'), literal('timestamp', '2025-12-31T23:00:00.5Z')),
    true,
  ],
  ['date <= date', asked('<=', literal('date', '2026-01-01'), literal('date', '2026-01-01')), true],
  ['draft < archived', asked('<', literal('enum', 'draft'), literal('enum', 'archived')), true],
  ['true and null', asked('and', boolean(true), boolean(null)), false],
  ['null or true', asked('or', boolean(null), boolean(true)), true],
  ['not null', asked('not', boolean(null)), true],
  ['truth of null', { kind: 'truth', value: boolean(null), type: { kind: 'boolean' } }, false],
  ['"a" joined with null', operation('join', [text('a'), text(null)], 'string'), null],
  ['"a" joined with 1e15', operation('join', [text('a'), convert(float(1e15), 'string')], 'string'), 'a1e+15'],
  ['concat("a", null, "b")', call('concat', [text('a'), text(null), text('b')], 'string'), 'ab'],
  ['coalesce(null, 0, 1)', call('coalesce', [integer(null), integer(0), integer(1)], 'integer'), 0],
  ['length("a😀")', call('length', [text('a😀')], 'integer'), 2],
  ['length(null)', call('length', [text(null)], 'integer'), null],
  ['lower("ΟΔΟΣ")', call('lower', [text('ΟΔΟΣ')], 'string'), 'οδος'],
  ['upper("straße")', call('upper', [text('straße')], 'string'), 'STRASSE'],
  ['trim of all white space', call('trim', [text('\ufeff\u00a0 a b\u2028\t')], 'string'), 'a b'],
  ['stringify(null)', call('stringify', [text(null)], 'string'), 'null'],
  ['stringify("a")', call('stringify', [text('a')], 'string'), 'a'],
  ['stringify(1.50)', call('stringify', [decimal('1.50')], 'string'), '1.50'],
  ['stringify(0.00001)', call('stringify', [float(0.00001)], 'string'), '1e-05'],
  ['stringify([1, 2])', call('stringify', [list([integer(1), integer(2)], 'integer')], 'string'), '[1, 2]'],
  ['stringify(true)', call('stringify', [boolean(true)], 'string'), 'true'],
  ['an integer as a decimal', convert(integer(-5), 'decimal'), '-5'],
  ['a decimal as a float', convert(decimal('-1.50'), 'float'), -1.5],
  ['null as a float', convert(decimal(null), 'float'), null],
  [
    'a list of decimals as floats',
    { kind: 'convert', value: list([decimal('1.5'), decimal(null)], 'decimal'), type: { kind: 'float', many: true } },
    [1.5, null],
  ],
  [
    'a uuid in upper case',
    literal('uuid', '018F4E6A-7C1B-7D2E-9A3F-5B6C7D8E9F01'),
    '018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01',
  ],
];

describe('runtime/expressions', () => {
  for (const [title, expression, expected] of TABLE) {
    it(`gives ${JSON.stringify(expected)} for ${title}`, () => {
      const compiled = compileExpression(expression, environmentOf());
      expect(compiled.isAsync).to.equal(false);
      const value = compiled.run(NOTHING);
      expect(value).to.deep.equal(expected);
      expect(Object.is(value, -0)).to.equal(false);
    });
  }

  const tooMuch: Readonly<Record<string, Expression>> = {
    'an integer beyond 2^53 - 1': counted('+', integer(Number.MAX_SAFE_INTEGER), integer(1)),
    'a product of integers': counted('*', integer(-(2 ** 40)), integer(2 ** 40)),
    'a float that is not finite': counted('*', float(1e200), float(1e200)),
    'a float that vanishes': counted('*', float(1e-200), float(1e-200)),
    'a decimal of too many digits': counted('*', decimal('9'.repeat(70_000)), decimal('9'.repeat(70_000))),
    'a decimal that no float holds': convert(decimal('9'.repeat(400)), 'float'),
    'a rounded float that is no integer': call('round', [float(1e300)], 'integer'),
    'a token without characters': call('cryptoToken', [integer(0)], 'string'),
  };
  for (const [title, expression] of Object.entries(tooMuch)) {
    it(`refuses ${title} as out of range`, () => {
      const compiled = compileExpression(expression, environmentOf());
      let thrown: unknown;
      try {
        compiled.run(NOTHING);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).to.be.instanceOf(ApiError);
      expect((thrown as ApiError).code).to.equal('validation-failed');
      expect((thrown as ApiError).errors[0]?.code).to.equal('out-of-range');
    });
  }

  describe('what a request holds', () => {
    const snapshot = (record: string, read: string | null, type: Type): Expression => ({
      kind: 'snapshot',
      record,
      read,
      type,
    });
    const scope: Scope = {
      ...emptyScope(),
      inputs: { title: 'T', author: { name: 'N' } },
      records: {
        post: { title: 'P', tags: ['a', 'b'] },
        posts: [
          { title: 'P', tags: ['a', 'b'], price: '1.50' },
          { title: 'Q', tags: ['c'], price: '2.25' },
        ],
        gone: null,
        [resultName('total')]: 5,
        '@auth': { id: 1 },
      },
    };
    const STRING: Type = { kind: 'string' };
    const STRINGS: Type = { kind: 'string', many: true };
    const rows: readonly (readonly [string, Expression, unknown])[] = [
      ['a read of one record', snapshot('post', 'title', STRING), 'P'],
      ['a list of one record', snapshot('post', 'tags', STRINGS), ['a', 'b']],
      ['a read of several records', snapshot('posts', 'title', STRINGS), ['P', 'Q']],
      ['the lists of several records as one', snapshot('posts', 'tags', STRINGS), ['a', 'b', 'c']],
      ['null of no record', snapshot('gone', 'title', STRING), null],
      ['an empty list of no record', snapshot('gone', 'tags', STRINGS), []],
      ['null of a record that nobody found', snapshot('constructor', 'name', STRING), null],
      ['a result as it is', snapshot('total', null, { kind: 'integer' }), 5],
      ['an input', { kind: 'input', path: ['title'], type: STRING }, 'T'],
      ['an input of a group', { kind: 'input', path: ['author', 'name'], type: STRING }, 'N'],
      [
        'null for an input of a group that is not there',
        { kind: 'input', path: ['other', 'name'], type: STRING },
        null,
      ],
      ['null for an input that is called like a method', { kind: 'input', path: ['toString'], type: STRING }, null],
      ['whether anybody is there', { kind: 'authenticated', type: { kind: 'boolean' } }, true],
      [
        'a sum over what was found',
        {
          kind: 'aggregate',
          function: 'sum',
          path: [],
          value: snapshot('posts', 'price', { kind: 'decimal', many: true }),
          type: { kind: 'decimal' },
        },
        '3.75',
      ],
      [
        'a mean over what was found',
        {
          kind: 'aggregate',
          function: 'avg',
          path: [],
          value: snapshot('posts', 'price', { kind: 'decimal', many: true }),
          type: { kind: 'decimal' },
        },
        '1.875',
      ],
      [
        'the last in order of what was found',
        { kind: 'aggregate', function: 'max', path: [], value: snapshot('posts', 'title', STRINGS), type: STRING },
        'Q',
      ],
      [
        'a count of nothing',
        {
          kind: 'aggregate',
          function: 'count',
          path: [],
          value: snapshot('gone', 'tags', STRINGS),
          type: { kind: 'integer' },
        },
        0,
      ],
    ];
    for (const [title, expression, expected] of rows) {
      it(`gives ${title}`, () => {
        expect(run(expression, scope)).to.deep.equal(expected);
      });
    }

    it('gives the arguments of a validator', () => {
      const compiled = compileExpression(
        { kind: 'argument', name: 'step', type: { kind: 'integer' } },
        environmentOf(),
      );
      expect(compiled.run(NOTHING, { step: 6 })).to.equal(6);
    });

    it('knows when nobody is there', () => {
      expect(run({ kind: 'authenticated', type: { kind: 'boolean' } })).to.equal(false);
    });
  });

  describe('the clock', () => {
    it('gives a timestamp, or milliseconds as an integer, and the day', () => {
      const before = Date.now();
      const scope = emptyScope();
      const moment = run(call('now', [], 'timestamp'), scope) as string;
      const millis = run(call('now', [], 'integer'), scope) as number;
      expect(canonicalTimestamp(moment)).to.equal(moment);
      expect(millis).to.be.within(before, Date.now());
      expect(run(call('today', [], 'date'), scope)).to.match(/^\d{4}-\d{2}-\d{2}$/);
    });

    it('stands still within a request', async () => {
      const scope = emptyScope();
      const first = run(call('now', [], 'timestamp'), scope);
      await sleep(5);
      expect(run(call('now', [], 'timestamp'), scope)).to.equal(first);
      expect(run(call('now', [], 'integer'), scope)).to.equal(Date.parse(first as string));
      expect(run(call('now', [], 'timestamp'), emptyScope())).to.not.equal(first);
    });
  });

  describe('custom code', () => {
    it('makes what is around it wait', async () => {
      const compiled = compileExpression(
        operation('+', [hook(2), convert(integer(1), 'float')], 'float'),
        environmentOf(),
      );
      expect(compiled.isAsync).to.equal(true);
      expect(await compiled.run(NOTHING)).to.equal(3);
    });

    it('runs in order, and not where the answer is known', async () => {
      const called: string[] = [];
      const ask = (expression: Expression) => compileExpression(expression, environmentOf(called)).run(NOTHING);
      const truth = (value: boolean): Expression => ({ kind: 'truth', value: hook(value), type: { kind: 'boolean' } });
      expect(await ask(asked('and', truth(false), truth(true)))).to.equal(false);
      expect(await ask(asked('or', truth(true), truth(false)))).to.equal(true);
      expect(await ask(call('coalesce', [hook(null), hook(7), hook(8)], 'any'))).to.equal(7);
      expect(called).to.deep.equal(['false', 'true', 'null', '7']);
    });

    it('is compared as the type beside it', async () => {
      expect(await run(asked('is', hook(1.5), decimal('1.50')))).to.equal(true);
      expect(await run(asked('is', hook('x'), decimal('1.50')))).to.equal(false);
      expect(await run(asked('is', hook({ a: 1, b: 2 }), hook({ b: 2, a: 1 })))).to.equal(true);
      expect(await run(asked('<', hook('9'), hook('a')))).to.equal(true);
      expect(await run(asked('in', integer(2), hook([1, 2])))).to.equal(true);
      expect(await run(asked('in', integer(2), hook(null)))).to.equal(false);
    });

    it('is a mistake of the application where it gives what cannot be used', async () => {
      const failure = await Promise.resolve(run(operation('+', [hook('x'), float(1)], 'float'))).catch(
        (error) => error,
      );
      expect(failure).to.be.instanceOf(Error).and.not.instanceOf(ApiError);
      expect((failure as Error).message).to.contain('must be a number');
    });
  });

  it('hashes passwords and knows them again', async () => {
    const hash = (await run(call('cryptoHash', [text('secret')], 'string'))) as string;
    expect(hash).to.match(/^scrypt\$/);
    expect(await run(call('cryptoCompare', [text('secret'), text(hash)], 'boolean'))).to.equal(true);
    expect(await run(call('cryptoCompare', [text('other'), text(hash)], 'boolean'))).to.equal(false);
    expect(await run(call('cryptoCompare', [text(null), text(hash)], 'boolean'))).to.equal(null);
    expect(run(call('cryptoToken', [integer(8)], 'string'))).to.have.length(8);
    expect(run(call('cryptoToken', [], 'string'))).to.have.length(43);
  });

  describe('what reads the database', () => {
    const field: Expression = { kind: 'field', path: [], model: 'Post', field: 'title', type: { kind: 'string' } };
    const inside = call('length', [field], 'integer');

    it('is told from what does not', () => {
      expect(isServerOnly(inside)).to.equal(false);
      expect(isServerOnly(asked('and', boolean(true), asked('is', field, text('a'))))).to.equal(false);
      expect(
        isServerOnly({ kind: 'aggregate', function: 'count', path: [], value: null, type: { kind: 'integer' } }),
      ).to.equal(false);
      expect(isServerOnly(call('concat', [text('a'), hook('b')], 'string'))).to.equal(true);
    });

    it('is not evaluated here', () => {
      expect(() => compileExpression(inside, environmentOf())).to.throw('field cannot be evaluated here');
    });
  });
});
