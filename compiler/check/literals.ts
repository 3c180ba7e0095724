/** Literals take the type that is expected of them: `"draft"` is a value of an enum where an enum is asked for. */
import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/near-name.ts';
import type { Enum, Expression, Literal, Scalar, Type } from '../program/program.ts';
import { BOOLEAN, FLOAT, INTEGER, NULL, STRING, scalar } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';

export function checkLiteral(context: Context, literal: ast.Literal, expected: Type | undefined): Expression {
  const { span } = literal;
  switch (literal.kind) {
    case 'null':
      return { kind: 'literal', value: null, type: NULL, span };
    case 'boolean':
      return { kind: 'literal', value: literal.value, type: BOOLEAN, span };
    case 'integer':
    case 'float':
      return numberLiteral(literal, expected, 1);
    case 'string':
      return stringLiteral(context, literal.value, span, expected);
  }
}

/** A number with its sign: exact text where a decimal is expected, so that no digit is lost. */
export function numberLiteral(
  literal: Extract<ast.Literal, { kind: 'integer' | 'float' }>,
  expected: Type | undefined,
  sign: 1 | -1,
  span: Span = literal.span,
): Literal {
  const value = sign * literal.value;
  if (expected?.base.kind === 'decimal') {
    return { kind: 'literal', value: `${sign < 0 ? '-' : ''}${literal.text}`, type: scalar('decimal'), span };
  }
  if (literal.kind === 'float' || expected?.base.kind === 'float') return { kind: 'literal', value, type: FLOAT, span };
  return { kind: 'literal', value, type: INTEGER, span };
}

function stringLiteral(context: Context, value: string, span: Span, expected: Type | undefined): Literal {
  const base = expected?.base;
  if (base?.kind === 'enum') {
    checkEnumValue(context, value, span, base.enum);
    return { kind: 'literal', value, type: { base, nullable: false, many: false }, span };
  }
  const pattern = base && TEXT_FORMS[base.kind as Scalar];
  if (!pattern) return { kind: 'literal', value, type: STRING, span };
  const kind = base.kind as 'timestamp' | 'date' | 'uuid';
  const isWellFormed = pattern.test(value);
  if (!isWellFormed || !isRealDate(kind, value)) {
    context.report('bad-literal', span, { value, type: kind, example: EXAMPLES[kind], isWellFormed });
  }
  return { kind: 'literal', value, type: scalar(kind), span };
}

const TEXT_FORMS: Partial<Record<Scalar, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};

const EXAMPLES = {
  date: '2026-03-29',
  timestamp: '2026-03-29T12:30:00Z',
  uuid: '018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01',
};

/** JavaScript rolls the 31st of February over into March; a calendar does not. */
function isRealDate(kind: 'timestamp' | 'date' | 'uuid', value: string): boolean {
  if (kind === 'uuid') return true;
  const day = value.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  const dayExists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
  return dayExists && (kind === 'date' || !Number.isNaN(Date.parse(value)));
}

function checkEnumValue(context: Context, value: string, span: Span, type: Enum): void {
  if (type.values.some(({ name }) => name === value)) return;
  const near = nearName(value, type.values);
  const values = type.values.map(({ name }) => name);
  context.report('unknown-enum-value', span, {
    value,
    enum: type.name,
    values,
    span,
    near: near?.name,
    declared: type.span,
  });
}
