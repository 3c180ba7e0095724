import type * as ast from '../ast/ast.ts';
import type { Validator } from '../program/program.ts';
import { ANY, nullable } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Building, type Context, checkText, meaningOf } from './context.ts';
import { checkCondition } from './fitting.ts';
import { fieldType, type Names } from './members.ts';
import { type Binding, emptyScope, POSITIONS } from './scope.ts';
import { isBuiltInValidator } from './validations.ts';

/** Validators by name, with their arguments; what they assert follows with `checkValidators`. */
export function declareValidators(
  declarations: readonly ast.ValidatorDeclaration[],
  names: Names,
): ReadonlyMap<string, Validator> {
  return new Map(declarations.map((declaration) => [declaration.name.text, declareValidator(declaration, names)]));
}

function declareValidator(declaration: ast.ValidatorDeclaration, names: Names): Validator {
  const { name, args, assert, code, message } = declaration;
  if (isBuiltInValidator(name.text)) names.report('built-in-validator', name.span, { name: name.text });
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
  return {
    kind: 'validator',
    name: name.text,
    doc: declaration.doc,
    arguments: args.map((arg) => argumentOf(arg, name.text, names)),
    assert: { kind: 'literal', value: true, type: ANY, span: declaration.span },
    code: code?.value ?? '',
    message: message?.value,
  };
}

function argumentOf(arg: ast.ValidatorArg, validator: string, names: Names) {
  const type = fieldType(names, arg, `${validator}.${arg.name.text}`, 'argument');
  return { name: arg.name.text, type: arg.nullable ? nullable(type) : type };
}

export function checkValidators(context: Context, declarations: readonly ast.ValidatorDeclaration[]): void {
  for (const declaration of declarations) {
    const validator = context.validators.get(declaration.name.text) as Building<Validator>;
    const names = argumentNames(context, declaration, validator);
    if (declaration.assert && declaration.args.length > 0) {
      validator.assert = checkCondition(context, declaration.assert, { ...emptyScope(POSITIONS.fieldValidate), names });
    }
  }
}

function argumentNames(context: Context, { args }: ast.ValidatorDeclaration, validator: Validator) {
  const names = new Map<string, Binding>();
  args.forEach(({ name }, index) => {
    const first: Span | undefined = names.get(name.text)?.span;
    if (first) context.report('duplicate-argument', name.span, { name: name.text, first });
    const { type } = validator.arguments[index] as Validator['arguments'][number];
    const binding: Binding = { kind: 'argument', name: name.text, type, span: name.span };
    context.witness?.meant(name.span, meaningOf(name.text, binding));
    names.set(name.text, binding);
  });
  return names;
}
