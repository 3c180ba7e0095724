import { expect } from 'chai';
import type { BuiltInValidator } from '../../../compiler/definition/contract/validators.ts';
import type { Scalar } from '../../../compiler/definition/definition.ts';
import type { Expression, Hook, Validation, Validator } from '../../../compiler/definition/expression.ts';
import {
  compileValidation,
  type Failure,
  type ValidationEnvironment,
} from '../../../runtime/expressions/compile-validation.ts';
import { emptyScope, type Scope } from '../../../runtime/expressions/scope.ts';
import type { Value } from '../../../runtime/values/value.ts';

const NOTHING: Scope = emptyScope();

const literal = (value: string | number | boolean, kind: Scalar): Expression => ({
  kind: 'literal',
  value,
  type: { kind },
});
const kindOf = (value: string | number | boolean): Scalar =>
  typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'integer';

function check(
  validator: BuiltInValidator,
  args: readonly (Expression | string | number | boolean)[] = [],
  value: Expression | null = null,
): Validation {
  const code = validator.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const written = args.map((arg) => (typeof arg === 'object' ? arg : literal(arg, kindOf(arg))));
  return { kind: 'check', code, validator, value, arguments: written };
}
const own = (name: string, code: string, args: readonly Expression[] = []): Validation => ({
  kind: 'check',
  code,
  validator: { own: name },
  value: null,
  arguments: args,
});
const not = (part: Validation): Validation => ({ kind: 'not', part });
const all = (...parts: Validation[]): Validation => ({ kind: 'and', parts });
const any = (...parts: Validation[]): Validation => ({ kind: 'or', parts });

const VALIDATORS: readonly Validator[] = [
  {
    name: 'multipleOf',
    doc: null,
    code: 'uneven',
    arguments: [
      { name: 'value', type: { kind: 'integer' } },
      { name: 'step', type: { kind: 'integer' } },
    ],
    assert: {
      kind: 'operation',
      operator: 'is',
      operands: [
        {
          kind: 'operation',
          operator: '%',
          operands: [
            { kind: 'argument', name: 'value', type: { kind: 'integer' } },
            { kind: 'argument', name: 'step', type: { kind: 'integer' } },
          ],
          type: { kind: 'integer', nullable: true },
        },
        literal(0, 'integer'),
      ],
      type: { kind: 'boolean' },
    },
  },
  {
    name: 'cheap',
    doc: null,
    code: 'dear',
    arguments: [{ name: 'value', type: { kind: 'decimal' } }],
    assert: {
      kind: 'operation',
      operator: '<',
      operands: [{ kind: 'argument', name: 'value', type: { kind: 'decimal' } }, literal('10.00', 'decimal')],
      type: { kind: 'boolean' },
    },
  },
  {
    name: 'reserved',
    doc: null,
    code: 'reserved',
    arguments: [{ name: 'value', type: { kind: 'string' } }],
    assert: {
      kind: 'truth',
      value: {
        kind: 'hook',
        hook: { arguments: [], code: { kind: 'inline', expression: 'value === "admin"' } },
        type: { kind: 'any' },
      },
      type: { kind: 'boolean' },
    },
  },
];

function environment(compiled: Hook[] = []): ValidationEnvironment {
  return {
    hook: (hook) => {
      compiled.push(hook);
      return async (_, args) => args?.value === 'admin';
    },
    enumValues: () => [],
    validator: (name) => VALIDATORS.find((validator) => validator.name === name) as Validator,
  };
}

const failuresOf = (validation: Validation, value: Value, scope = NOTHING) =>
  compileValidation(validation, environment()).check(value, scope);
const failure = (code: string, message: string, params: Failure['params'] = {}): Failure => ({ code, message, params });

const PASSES: readonly (readonly [BuiltInValidator, readonly (Expression | string | number | boolean)[], Value])[] = [
  ['min', [5], 5],
  ['min', [literal('1.50', 'decimal')], '10.5'],
  ['min', [1], '1.5'],
  ['max', [literal('10', 'decimal')], '9.99'],
  ['minLength', [2], '😀😀'],
  ['maxLength', [2], '😀😀'],
  ['pattern', ['^\\p{Lu}+$'], 'ÄÖ'],
  ['pattern', ['b'], 'abc'],
  ['isEmail', [], "o'neil+tag@mail.example.co.uk"],
  ['isUrl', [], 'https://example.com/a?b=c#d'],
  ['isUrl', [], 'http://localhost:3000'],
  ['isUuid', [], '018F4E6A-7C1B-7D2E-9A3F-5B6C7D8E9F01'],
  ['alphanumeric', [], 'abcXYZ09'],
  ['oneOf', ['a', 'b'], 'b'],
  ['oneOf', [literal('1.0', 'decimal')], '1.00'],
  ['isEqual', [literal('2026-01-01T01:00:00+01:00', 'timestamp')], '2026-01-01T00:00:00Z'],
  ['isNotEqual', [5], 6],
];

const FAILS: readonly (readonly [
  BuiltInValidator,
  readonly (Expression | string | number | boolean)[],
  Value,
  string,
  Failure['params'],
])[] = [
  ['min', [5], 4, 'must be at least 5', { min: 5 }],
  ['min', [literal('10', 'decimal')], '9.5', 'must be at least 10', { min: '10' }],
  ['max', [5], 6, 'must be at most 5', { max: 5 }],
  ['minLength', [4], '😀😀😀', 'must have at least 4 characters', { min: 4 }],
  ['maxLength', [1], 'ab', 'must have at most 1 character', { max: 1 }],
  ['pattern', ['^[a-z]+$'], 'A', 'must match the pattern ^[a-z]+$', { pattern: '^[a-z]+$' }],
  ['isEmail', [], 'nobody', 'must be an email address', {}],
  ['isEmail', [], '@example.com', 'must be an email address', {}],
  ['isEmail', [], 'a@localhost', 'must be an email address', {}],
  ['isEmail', [], 'a b@example.com', 'must be an email address', {}],
  ['isEmail', [], `${'a'.repeat(65)}@example.com`, 'must be an email address', {}],
  ['isEmail', [], 'a@-example.com', 'must be an email address', {}],
  ['isUrl', [], 'javascript:alert(1)', 'must be a URL that begins with http:// or https://', {}],
  ['isUrl', [], ' https://example.com', 'must be a URL that begins with http:// or https://', {}],
  ['isUrl', [], 'https://', 'must be a URL that begins with http:// or https://', {}],
  ['isUuid', [], 'x', 'must be a UUID', {}],
  ['alphanumeric', [], 'a-b', 'must have only letters from a to z and digits', {}],
  ['alphanumeric', [], '', 'must have only letters from a to z and digits', {}],
  ['oneOf', ['a', 'b'], 'c', 'must be one of a, b', { values: ['a', 'b'] }],
  ['isEqual', [true], false, 'must be true', { value: true }],
  ['isNotEqual', [5], 5, 'must not be 5', { value: 5 }],
];

describe('runtime/expressions: validations', () => {
  for (const [validator, args, value] of PASSES) {
    it(`lets ${JSON.stringify(value)} pass ${validator}`, () => {
      expect(failuresOf(check(validator, args), value)).to.deep.equal([]);
    });
    it(`lets ${JSON.stringify(value)} not pass not ${validator}`, () => {
      expect(failuresOf(not(check(validator, args)), value)).to.have.length(1);
    });
  }

  for (const [validator, args, value, message, params] of FAILS) {
    const { code } = check(validator, args) as { code: string };
    it(`says of ${JSON.stringify(value)}: ${message}`, () => {
      expect(failuresOf(check(validator, args), value)).to.deep.equal([failure(code, message, params)]);
    });
    it(`lets ${JSON.stringify(value)} pass not ${validator}`, () => {
      expect(failuresOf(not(check(validator, args)), value)).to.deep.equal([]);
    });
  }

  it('is not asked about null', () => {
    expect(failuresOf(check('min', [5]), null)).to.deep.equal([]);
    expect(failuresOf(not(check('min', [5])), null)).to.deep.equal([]);
  });

  it('collects all failures of `and`', () => {
    const failures = failuresOf(all(check('isEmail'), check('alphanumeric'), check('maxLength', [9])), '-');
    expect(failures).to.deep.equal([
      failure('is-email', 'must be an email address'),
      failure('alphanumeric', 'must have only letters from a to z and digits'),
    ]);
  });

  it('asks for lengths first, and for the rest only where they hold', async () => {
    const asked: Value[] = [];
    const around: ValidationEnvironment = {
      ...environment(),
      hook: () => async (_, args) => {
        asked.push(args?.value as Value);
        return false;
      },
    };
    const short = all(
      own('reserved', 'reserved'),
      check('isUrl'),
      not(check('minLength', [4])),
      check('minLength', [2]),
    );
    const { check: checked } = compileValidation(short, around);
    expect((await checked('a'.repeat(9), NOTHING)).map(({ code }) => code)).to.deep.equal(['min-length']);
    expect((await checked('a', NOTHING)).map(({ code }) => code)).to.deep.equal(['min-length']);
    expect(asked).to.deep.equal([]);
    expect((await checked('abc', NOTHING)).map(({ code }) => code)).to.deep.equal(['reserved', 'is-url']);
    expect(asked).to.deep.equal(['abc']);
  });

  it('asks for lengths first within each part of an `or`', () => {
    const long = `http://${'a.'.repeat(500_000)}`;
    const either = any(all(check('isUrl'), check('maxLength', [200])), all(check('isEmail'), check('maxLength', [50])));
    expect((failuresOf(either, long) as Failure[]).map(({ code }) => code)).to.deep.equal(['max-length', 'max-length']);
  });

  it('has a limit of its own for addresses, whatever follows', () => {
    expect(failuresOf(check('isUrl'), `https://example.com/${'a'.repeat(8172)}`)).to.deep.equal([]);
    expect(failuresOf(check('isUrl'), `https://example.com/${'a'.repeat(8173)}`)).to.have.length(1);
    expect(failuresOf(check('isUrl'), `http://${'\u00e9'.repeat(1_000_000)}`)).to.have.length(1);
    expect(failuresOf(check('isEmail'), `a@${'a.'.repeat(500_000)}com`)).to.have.length(1);
  });

  it('matches a pattern in time that is in proportion to the text', () => {
    expect(failuresOf(check('pattern', ['^(a+)+$']), `${'a'.repeat(100_000)}!`)).to.have.length(1);
  });

  it('refuses a text that is too long for a large pattern, whether it is to match or not', () => {
    const pattern = check('pattern', ['a.{1,900}[cx]$']);
    const failures = failuresOf(pattern, 'a'.repeat(100_000)) as Failure[];
    expect(failures.map(({ code }) => code)).to.deep.equal(['max-length']);
    const max = failures[0]?.params.max;
    expect(max).to.be.within(1000, 10_000);
    expect(failures[0]?.message).to.equal(
      `must have at most ${max} characters, because longer texts are not compared with the pattern`,
    );
    expect(failuresOf(not(pattern), 'a'.repeat(100_000))).to.deep.equal(failures);
  });

  it('says of a long text that it does not match, if the pattern itself says how long it may be', () => {
    const pattern = check('pattern', ['^[a-z]{1,900}$']);
    expect((failuresOf(pattern, 'a'.repeat(100_000)) as Failure[]).map(({ code }) => code)).to.deep.equal(['pattern']);
    expect(failuresOf(not(pattern), 'a'.repeat(100_000))).to.deep.equal([]);
  });

  it('works a value out once that is compared with a pattern', async () => {
    let calls = 0;
    const around: ValidationEnvironment = {
      ...environment(),
      hook: () => async () => {
        calls++;
        return 'abc';
      },
    };
    const code = { arguments: [], code: { kind: 'inline', expression: '"abc"' } } as const;
    const value: Expression = { kind: 'hook', hook: code, type: { kind: 'any' } };
    const compiled = compileValidation(check('pattern', ['^b'], value), around);
    expect(compiled.isAsync).to.equal(true);
    expect(await compiled.check(null, NOTHING)).to.have.length(1);
    expect(calls).to.equal(1);
  });

  it('compares long decimals without making numbers of them', () => {
    const long = '9'.repeat(131_072);
    const choices = Array.from({ length: 2000 }, (_, index) =>
      literal(`${'9'.repeat(131_071)}${index % 9}.5`, 'decimal'),
    );
    expect(failuresOf(check('oneOf', choices), long)).to.have.length(1);
  });

  it('asks of `or` that one part passes', () => {
    const either = any(check('isEmail'), check('alphanumeric'));
    expect(failuresOf(either, 'abc')).to.deep.equal([]);
    expect((failuresOf(either, 'a-b') as Failure[]).map(({ code }) => code)).to.deep.equal([
      'is-email',
      'alphanumeric',
    ]);
  });

  it('says of `not` what must not be', () => {
    expect(failuresOf(not(check('oneOf', ['a', 'b'])), 'a')).to.deep.equal([
      failure('one-of', 'must not be one of a, b', { values: ['a', 'b'] }),
    ]);
    expect(failuresOf(not(check('isNotEqual', [5])), 6)).to.deep.equal([
      failure('is-not-equal', 'must be 5', { value: 5 }),
    ]);
    expect(failuresOf(not(not(check('min', [5]))), 4)).to.have.length(1);
  });

  it('moves `not` inwards', () => {
    const neither = not(any(check('isEmail'), check('minLength', [3])));
    expect((failuresOf(neither, 'abcd') as Failure[]).map(({ code }) => code)).to.deep.equal(['min-length']);
    expect(failuresOf(neither, 'ab')).to.deep.equal([]);
    const notBoth = not(all(check('alphanumeric'), check('minLength', [3])));
    expect(failuresOf(notBoth, 'ab')).to.deep.equal([]);
    expect(failuresOf(notBoth, 'abc')).to.have.length(2);
  });

  it('looks at another value than its own where that is written', () => {
    const paid: Expression = { kind: 'input', path: ['paid'], type: { kind: 'integer' } };
    const scope = { ...NOTHING, inputs: { paid: 0 } };
    expect(failuresOf(check('min', [1], paid), null, scope)).to.deep.equal([
      failure('min', 'must be at least 1', { min: 1 }),
    ]);
  });

  it('repeats nothing that was read or sent', () => {
    const pin: Expression = { kind: 'snapshot', record: '@auth', read: 'pin', type: { kind: 'string' } };
    const scope = { ...NOTHING, records: { '@auth': { pin: '1234' } } };
    expect(failuresOf(check('isEqual', [pin]), '1111', scope)).to.deep.equal([
      failure('is-equal', 'must be the expected value'),
    ]);
    expect(failuresOf(check('isEqual', [pin]), '1234', scope)).to.deep.equal([]);
  });

  describe('of the author', () => {
    it('take the value first, then what is written', () => {
      const validation = own('multipleOf', 'uneven', [literal(6, 'integer')]);
      expect(failuresOf(validation, 12)).to.deep.equal([]);
      expect(failuresOf(validation, 13)).to.deep.equal([failure('uneven', 'must satisfy multipleOf', { step: 6 })]);
    });

    it('take an integer for a decimal', () => {
      expect(failuresOf(own('cheap', 'dear'), 9)).to.deep.equal([]);
      expect(failuresOf(own('cheap', 'dear'), 10)).to.have.length(1);
    });

    it('may wait for custom code', async () => {
      const compiled = compileValidation(all(check('minLength', [2]), not(own('reserved', 'reserved'))), environment());
      expect(compiled.isAsync).to.equal(true);
      expect(await compiled.check('bob', NOTHING)).to.deep.equal([]);
      expect(await compiled.check('admin', NOTHING)).to.deep.equal([failure('reserved', 'must not satisfy reserved')]);
      expect(await compiled.check(null, NOTHING)).to.deep.equal([]);
    });

    it('are compiled once for all that have them', () => {
      const compiled: Hook[] = [];
      const around = environment(compiled);
      compileValidation(own('reserved', 'reserved'), around);
      compileValidation(not(own('reserved', 'reserved')), around);
      expect(compiled).to.have.length(1);
    });

    it('do not make others wait', () => {
      expect(compileValidation(own('cheap', 'dear'), environment()).isAsync).to.equal(false);
    });
  });
});
