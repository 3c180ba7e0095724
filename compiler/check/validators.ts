import type * as ast from '../ast/ast.ts';
import type { Validator } from '../program/program.ts';
import { ANY, nullable } from '../program/type.ts';
import { argumentNames, type Building, type Combinations, type Context, checkText } from './context.ts';
import { checkCondition } from './fitting.ts';
import { fieldType, type Names } from './members.ts';
import { emptyScope, POSITIONS } from './scope.ts';
import { checkCombination, isBuiltInValidator } from './validations.ts';

/** Validators by name, with their arguments; what they assert follows with `checkValidators`. */
export function declareValidators(
  declarations: readonly ast.ValidatorDeclaration[],
  names: Names,
): ReadonlyMap<string, Validator> {
  return new Map(declarations.map((declaration) => [declaration.name.text, declareValidator(declaration, names)]));
}

export function combinationsOf(declarations: readonly ast.ValidatorDeclaration[]): Combinations {
  const rules = declarations.flatMap(({ name, rule }) => (rule ? [[name.text, rule] as const] : []));
  return { byName: new Map(rules), told: new Set() };
}

function declareValidator(declaration: ast.ValidatorDeclaration, names: Names): Validator {
  const { name } = declaration;
  if (isBuiltInValidator(name.text)) names.report('built-in-validator', name.span, { name: name.text });
  if (!declaration.rule) checkDeclared(declaration, names);
  return {
    kind: 'validator',
    name: name.text,
    doc: declaration.doc,
    arguments: declaration.args.map((arg) => argumentOf(arg, name.text, names)),
    assert: { kind: 'literal', value: true, type: ANY, span: declaration.span },
    code: declaration.code?.value ?? '',
    ...(declaration.message && { message: declaration.message.value }),
  };
}

function checkDeclared({ name, args, assert, code, message }: ast.ValidatorDeclaration, names: Names): void {
  if (args.length === 0) names.report('validator-without-argument', name.span, { name: name.text });
  if (!assert) names.report('validator-without-assert', name.span, { name: name.text });
  if (!code) names.report('validator-without-code', name.span, { name: name.text });
  else if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code.value))
    names.report('bad-error-code', code.span, { code: code.value });
  if (message && checkText(message, names.report) && message.value.trim() === '')
    names.report('empty-message', message.span, {});
  const [first] = args;
  if (first?.type?.list)
    names.report('list-argument', first.type.list, { name: first.name.text, type: first.type.text });
  for (const arg of args) {
    for (const { text: flag, span } of arg.misplaced) {
      if (flag === 'required') names.report('required-field', span, { field: arg.name.text, ...span });
      else names.report('misplaced-flag', span, { flag, noun: 'an argument of a validator', ...span });
    }
  }
}

function argumentOf(arg: ast.ValidatorArg, validator: string, names: Names) {
  const type = fieldType(names, arg, `${validator}.${arg.name.text}`, 'argument');
  return { name: arg.name.text, type: arg.nullable ? nullable(type) : type };
}

export function checkValidators(context: Context, declarations: readonly ast.ValidatorDeclaration[]): void {
  for (const declaration of declarations) {
    const validator = context.validators.get(declaration.name.text) as Building<Validator>;
    const names = argumentNames(context, declaration.args, ({ text: name, span }, index) => {
      const { type } = validator.arguments[index] as Validator['arguments'][number];
      return { kind: 'argument', name, type, span };
    });
    const scope = { ...emptyScope(POSITIONS.fieldValidate), names };
    if (declaration.rule)
      checkCombination(context, declaration.name.text, { kind: 'field', name: '', type: ANY }, scope);
    if (declaration.assert && declaration.args.length > 0)
      validator.assert = checkCondition(context, declaration.assert, scope);
  }
}
