import type * as ast from '../ast/ast.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import type { Expression, Type } from '../program/program.ts';
import { ANY, isAny, isNumber, many, nullable, scalar } from '../program/type.ts';
import { type Context, reported } from './context.ts';
import { type FakerArgument, type FakerMethod, fakerCatalogue } from './faker-catalogue.ts';
import { hasRightCount, reportArgument } from './fitting.ts';
import type { Scope } from './scope.ts';

/** `faker.person.fullName()`, in populators. */
export function checkFakerCall(context: Context, call: ast.Call, scope: Scope, expected: Type | undefined): Expression {
  const [, module, method, ...more] = call.function.steps;
  if (!scope.position.faker)
    return context.report('faker-not-here', call.span, { noun: scope.position.noun }) ?? reported(call.span);
  // Each item of a list of which one is picked is checked as if it stood there itself.
  const isPick = module?.text === 'helpers' && method?.text === 'arrayElement';
  const wanted = isPick && expected?.base.kind === 'enum' ? many(expected) : undefined;
  const args = call.arguments.map((argument) => context.checkExpression(context, argument, scope, wanted));
  if (!module || !method || more.length > 0)
    return context.report('bad-faker-path', call.function.span, {}) ?? reported(call.span);
  const known = findMethod(context, module, method);
  if (!known || !argumentsFit(context, call, known, args)) return reported(call.span);
  const type = adapted(resultType(known), `${module.text}.${method.text}`, expected);
  return { kind: 'faker', module: module.text, method: method.text, arguments: args, type, span: call.span };
}

/** Texts that are numbers. */
const AMOUNTS: readonly string[] = ['commerce.price', 'finance.amount'];

/**
 * The type of a faker method for its place. faker knows neither decimals nor dates without a time, so similar types are
 * accepted for them.
 */
function adapted(type: Type, method: string, expected: Type | undefined): Type {
  if (type.many) return type;
  const isAmount = type.base.kind === 'integer' || type.base.kind === 'float' || AMOUNTS.includes(method);
  if (expected?.base.kind === 'decimal' && isAmount) return nullableLike(type, scalar('decimal'));
  if (expected?.base.kind === 'date' && type.base.kind === 'timestamp') return nullableLike(type, scalar('date'));
  return type;
}

function findMethod(context: Context, module: ast.Name, method: ast.Name): FakerMethod | undefined {
  const methods = own(fakerCatalogue, module.text);
  if (!methods) {
    const modules = Object.keys(fakerCatalogue);
    return context.report('unknown-faker-module', module.span, {
      name: module.text,
      near: nearWord(module.text, modules),
      modules,
    });
  }
  const known = own(methods, method.text);
  context.witness?.meant(module.span, { kind: 'faker', module: module.text, method: undefined });
  if (known) context.witness?.meant(method.span, { kind: 'faker', module: module.text, method: method.text });
  else {
    const names = Object.keys(methods);
    const facts = { module: module.text, name: method.text, near: nearWord(method.text, names), methods: names };
    context.report('unknown-faker-method', method.span, facts);
  }
  return known;
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function argumentsFit(context: Context, call: ast.Call, known: FakerMethod, args: readonly Expression[]): boolean {
  if (!hasRightCount(context, call, { fewest: known.required, most: known.most }, args.length)) return false;
  const takenAt = (index: number) => known.takes?.[index] ?? known.takes?.at(-1);
  const wrong = args.find((argument, index) => !argumentFits(argument.type, takenAt(index)));
  if (!wrong) return true;
  const wants = (takenAt(args.indexOf(wrong)) ?? []).map((kind) => ARGUMENT_NOUNS[kind]).join(' or ');
  reportArgument(context, call, wrong, wants);
  return false;
}

const ARGUMENT_NOUNS: Readonly<Record<FakerArgument, string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  list: 'a list',
};

function argumentFits(type: Type, takes: readonly FakerArgument[] | undefined): boolean {
  return isAny(type) || !takes || takes.includes(argumentKind(type));
}

function nullableLike(other: Type, type: Type): Type {
  return other.nullable ? nullable(type) : type;
}

function argumentKind(type: Type): FakerArgument {
  if (type.many) return 'list';
  if (isNumber(type)) return 'number';
  return type.base.kind === 'boolean' ? 'boolean' : 'string';
}

function resultType({ returns, list, nullable: mayBeNull }: FakerMethod): Type {
  const plain = returns === 'any' ? ANY : scalar(returns);
  const one = mayBeNull && returns !== 'any' ? nullable(plain) : plain;
  return list ? many(one) : one;
}
