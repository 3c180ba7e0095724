/**
 * Writes an expression of a definition in the language. Parts that the compiler has added are left out again: a
 * comparison with `@auth` checks by itself whether somebody is signed in, and two compared ids are their records.
 */

import type { PathRecord } from '../definition/endpoint.ts';
import type {
  Call,
  Expression,
  FieldValue,
  Hook,
  HookValue,
  Literal,
  Operation,
  Read,
  Snapshot,
  Step,
} from '../definition/expression.ts';
import { isUnit } from '../definition/functions.ts';
import type { ModelsByName } from '../definition/rules-written-out.ts';

/** The precedence of each operator, as in the grammar. */
const STRENGTH = { or: 1, and: 2, is: 3, in: 4, compare: 5, add: 6, multiply: 7, unary: 8, whole: 9 } as const;

interface Text {
  readonly text: string;
  readonly strength: number;
  /** The record, if the value is its id, or the records. */
  readonly record?: { readonly text: string; readonly model: string } | undefined;
}

/** The records whose values an expression reads. */
interface Readers {
  readonly authReads: readonly Read[];
  readonly records: readonly Pick<PathRecord, 'record' | 'reads'>[];
}

export class ExpressionTexts {
  readonly #models: ModelsByName;
  readonly #endpoint: Readers;

  constructor(models: ModelsByName, endpoint: Readers) {
    this.#models = models;
    this.#endpoint = endpoint;
  }

  of(expression: Expression): string {
    return this.#text(expression).text;
  }

  /** Writes expressions that must all hold. */
  ofAll(expressions: readonly Expression[]): string {
    const found = expressions.flatMap(conjuncts);
    const isAsked = found.some((each) => guarded(each) !== undefined);
    const needed = isAsked ? found.filter(({ kind }) => kind !== 'authenticated') : found;
    if (needed.length === 1) return this.of(needed[0] as Expression);
    return [...new Set(needed.map((each) => this.#within(each, STRENGTH.and)))].join(' and ');
  }

  #within(expression: Expression, least: number): string {
    const { text, strength } = this.#text(expression);
    return strength < least ? `(${text})` : text;
  }

  #text(expression: Expression): Text {
    switch (expression.kind) {
      case 'truth':
      case 'convert':
        return this.#text(expression.value);
      case 'authenticated':
        return { text: '@auth is not null', strength: STRENGTH.is };
      case 'operation':
        return this.#operation(expression);
      case 'call':
        return this.#call(expression);
      case 'member':
        return whole(`${this.#within(expression.of, STRENGTH.whole)}.${expression.name}`);
      case 'literal':
        return whole(literalText(expression));
      case 'list':
        return { ...whole(`[${this.#list(expression.items)}]`), record: this.#records(expression.items) };
      case 'object':
        return whole(`{ ${expression.members.map(({ name, value }) => `${name}: ${this.of(value)}`).join(', ')} }`);
      case 'snapshot':
        return this.#snapshot(expression);
      case 'input':
        return whole(expression.path.join('.'));
      case 'request':
        return whole(
          expression.from === 'header'
            ? `@request.header(${JSON.stringify(expression.path[0])})`
            : ['@claims', ...expression.path].join('.'),
        );
      case 'setting':
        return whole(`setting(${expression.name})`);
      case 'hook':
        return whole(this.#hook(expression));
      case 'field':
      case 'computed':
      case 'collect':
      case 'aggregate':
        return this.#fromRow(expression, '');
      // No rule has what only populators, validators and groups have.
      default:
        return whole(expression.kind);
    }
  }

  #list(expressions: readonly Expression[]): string {
    return expressions.map((each) => this.of(each)).join(', ');
  }

  // ── Paths ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #snapshot({ record, read: name }: Snapshot): Text {
    const read = this.#read(record, name);
    if (read?.kind === 'value') return this.#fromRow(read.value, record);
    return whole(read ? pathText([record, ...names(read.path)]) : record);
  }

  #read(record: string, name: string | null): Read | undefined {
    const { authReads, records } = this.#endpoint;
    const reads = record === '@auth' ? authReads : records.find((each) => each.record === record)?.reads;
    return reads?.find((read) => read.name === name);
  }

  /** Writes a value of a named record, or of the row, which has no name. */
  #fromRow(value: Expression, record: string): Text {
    const at = (path: readonly Step[], end = '') => pathText([record, ...names(path), end]);
    switch (value.kind) {
      case 'field':
        return { ...whole(at(value.path, value.field)), record: this.#recordOf(value, at(value.path)) };
      case 'computed':
        return whole(at(value.path, value.computed));
      case 'collect':
        return this.#fromRow(value.value, at(value.path));
      case 'aggregate': {
        const over = value.value ? this.#fromRow(value.value, at(value.path)).text : at(value.path);
        // A query that counts is a number by itself.
        return whole(isCount(value.path.at(-1), this.#models) ? over : `${value.function}(${over})`);
      }
      default:
        return this.#text(value);
    }
  }

  /** The record whose id the field is. The row has no name. */
  #recordOf({ model, field }: FieldValue, start: string): Text['record'] {
    if (field === 'id') return start === '' ? undefined : { text: start, model };
    const reference = this.#models.get(model)?.references.find((each) => each.field === field);
    return reference && { text: pathText([start, reference.name]), model: reference.to };
  }

  #records(items: readonly Expression[]): Text['record'] {
    const records = items.map((item) => this.#text(item).record);
    const [first] = records;
    if (first === undefined || records.some((record) => record?.model !== first.model)) return undefined;
    return { text: `[${records.map((record) => record?.text).join(', ')}]`, model: first.model };
  }

  // ── Operations ────────────────────────────────────────────────────────────────────────────────────────────────────

  #operation(operation: Operation): Text {
    const { operator, operands } = operation;
    const [left, right] = operands as readonly [Expression, Expression];
    switch (operator) {
      case 'and': {
        const compared = guarded(operation);
        return compared ? this.#text(compared) : { text: this.ofAll([operation]), strength: STRENGTH.and };
      }
      case 'or': {
        const parts = alternatives(operation).map((each) => this.#within(each, STRENGTH.or));
        return { text: parts.join(' or '), strength: STRENGTH.or };
      }
      case 'not':
        return this.#negation(left);
      case 'is':
      case 'in':
        return this.#comparison(operator, operator, left, right);
      case 'negate':
        return { text: `-${this.#within(left, STRENGTH.unary)}`, strength: STRENGTH.unary };
      case 'join':
        return this.#binary('+', STRENGTH.add, left, right);
      default:
        return this.#binary(operator, strengthOf(operator), left, right);
    }
  }

  #negation(operand: Expression): Text {
    if (operand.kind === 'authenticated') return { text: '@auth is null', strength: STRENGTH.is };
    const compared = guarded(operand) ?? operand;
    if (compared.kind === 'operation' && (compared.operator === 'is' || compared.operator === 'in')) {
      const [left, right] = compared.operands as readonly [Expression, Expression];
      return this.#comparison(compared.operator, compared.operator === 'is' ? 'is not' : 'not in', left, right);
    }
    return { text: `not ${this.#within(operand, STRENGTH.unary)}`, strength: STRENGTH.unary };
  }

  #comparison(operator: 'is' | 'in', written: string, left: Expression, right: Expression): Text {
    const strength = STRENGTH[operator];
    const [first, second] = [this.#text(left).record, this.#text(right).record];
    const isOfRecords = first !== undefined && second !== undefined && first.model === second.model;
    if (isOfRecords) return { text: `${first.text} ${written} ${second.text}`, strength };
    if (first && isNull(right)) return { text: `${first.text} ${written} null`, strength };
    return this.#binary(written, strength, left, right);
  }

  /** Operators of the same strength are read from the left. */
  #binary(operator: string, strength: number, left: Expression, right: Expression): Text {
    const text = `${this.#within(left, strength)} ${operator} ${this.#within(right, strength + 1)}`;
    return { text, strength };
  }

  // ── Calls ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #call({ function: name, arguments: args }: Call): Text {
    const [first, second] = args as readonly [Expression, Expression];
    if (isUnit(name))
      return { text: `${this.#within(first, STRENGTH.add)} + ${name}(${this.of(second)})`, strength: STRENGTH.add };
    if (name === 'coalesce' && this.#isCountOfCaller(first)) return this.#text(first);
    if (name === 'length' && first?.type.many) return whole(`count(${this.of(first)})`);
    return whole(`${name}(${this.#list(args)})`);
  }

  /**
   * Tells whether the value counts records of the caller. The count is written out, because it is null when nobody is
   * signed in.
   */
  #isCountOfCaller(value: Expression): boolean {
    if (value.kind !== 'snapshot' || value.record !== '@auth') return false;
    const read = this.#read(value.record, value.read);
    return read?.kind === 'value' && read.value.kind === 'aggregate';
  }

  #hook({ hook }: HookValue): string {
    const args = hook.arguments.map((each) =>
      each.kind === 'value' ? `arg ${each.name} ${this.of(each.value)}` : `arg ${each.name} query { … }`,
    );
    return `hook { ${[...args, codeText(hook)].join(', ')} }`;
  }
}

function whole(text: string): Text {
  return { text, strength: STRENGTH.whole };
}

function strengthOf(operator: Operation['operator']): number {
  if (operator === '+' || operator === '-') return STRENGTH.add;
  return operator === '*' || operator === '/' || operator === '%' ? STRENGTH.multiply : STRENGTH.compare;
}

function literalText({ type, value }: Literal): string {
  return type.kind === 'decimal' && typeof value === 'string' ? value : JSON.stringify(value);
}

function codeText({ code }: Hook): string {
  if (code.kind === 'inline') return `inline ${JSON.stringify(code.expression)}`;
  return `source ${code.export} from ${JSON.stringify(code.file)}`;
}

function names(path: readonly Step[]): readonly string[] {
  return path.map(({ name }) => name);
}

function pathText(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('.');
}

function isCount(step: Step | undefined, models: ModelsByName): boolean {
  if (step?.kind !== 'query') return false;
  return models.get(step.of)?.queries.find(({ name }) => name === step.name)?.query.cardinality === 'count';
}

function isNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** `a and b` is two conditions. */
export function conjuncts(condition: Expression): readonly Expression[] {
  if (condition.kind === 'truth') return conjuncts(condition.value);
  const isBoth = condition.kind === 'operation' && condition.operator === 'and' && guarded(condition) === undefined;
  return isBoth ? condition.operands.flatMap(conjuncts) : [condition];
}

function alternatives(condition: Expression): readonly Expression[] {
  if (condition.kind === 'truth') return alternatives(condition.value);
  const isEither = condition.kind === 'operation' && condition.operator === 'or';
  return isEither ? condition.operands.flatMap(alternatives) : [condition];
}

/**
 * The comparison with `@auth` behind a check that somebody is signed in. A test for null has no such check by itself.
 */
function guarded(expression: Expression): Operation | undefined {
  if (expression.kind !== 'operation' || expression.operator !== 'and') return undefined;
  const [first, second] = expression.operands;
  if (first?.kind !== 'authenticated' || second?.kind !== 'operation') return undefined;
  const isComparison = second.operator === 'is' || second.operator === 'in';
  return isComparison && second.operands.some(isOfCaller) && !second.operands.some(isNull) ? second : undefined;
}

/** A value of the authenticated record or of its token, or a list of them. */
function isOfCaller(expression: Expression): boolean {
  if (expression.kind === 'member') return isOfCaller(expression.of);
  if (expression.kind === 'convert') return isOfCaller(expression.value);
  if (expression.kind === 'list') return expression.items.length > 0 && expression.items.every(isOfCaller);
  if (expression.kind === 'request') return expression.from === 'claim';
  return expression.kind === 'snapshot' && expression.record === '@auth';
}
