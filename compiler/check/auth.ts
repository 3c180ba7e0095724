import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/near-name.ts';
import type { Auth, Field, Input, Model } from '../program/program.ts';
import { STRING, typeName } from '../program/type.ts';
import type { Context } from './context.ts';
import { byPlace } from './declarations.ts';
import { type Names, reportUnknownModel } from './members.ts';
import { emptyScope, POSITIONS } from './scope.ts';
import { checkWrite } from './writes.ts';

/** The model behind `@auth`; needed before any expression is read. */
export function authModelOf(auth: ast.AuthDeclaration | undefined, names: Names): Model | undefined {
  if (!auth) return undefined;
  if (!auth.model) {
    names.report('auth-without-model', auth.span, {});
    return undefined;
  }
  const model = names.models.get(auth.model.text);
  if (model) names.witness?.meant(auth.model.span, { kind: 'model', model });
  else reportUnknownModel(names, auth.model, 'auth');
  return model;
}

const USERS = /^(app|site)?_?(user|member|account|person|customer|client|employee|profile|login)s?$/i;

/** One `auth` is missing, however often it is asked for: it is said where it is first missed. */
export function reportNoAuth({ asksForAuth = [], models, report }: Context): void {
  const [first] = asksForAuth.map((span) => ({ span })).sort(byPlace);
  const [model, ...others] = [...models.keys()].filter((name) => USERS.test(name));
  if (first) report('auth-not-declared', first.span, { model: others.length === 0 ? model : undefined });
}

export function checkAuth(context: Context, auth: ast.AuthDeclaration | undefined): Auth | undefined {
  const model = context.authModel;
  if (!auth || !model) return undefined;
  return {
    model,
    password: checkPassword(context, auth, model),
    subject: auth.subject && textField(context, auth.subject, model, 'subject'),
  };
}

function checkPassword(context: Context, auth: ast.AuthDeclaration, model: Model): Auth['password'] {
  const { login, password } = auth;
  if (!login && !password) return undefined;
  if (!login || !password) {
    const [has, lacks] = login ? ['login', 'password'] : ['password', 'login'];
    context.report('half-a-login', (login ?? password ?? auth).span, { has, lacks });
    return undefined;
  }
  const loginField = textField(context, login, model, 'login');
  const hash = textField(context, password, model, 'password');
  if (!loginField || !hash) return undefined;
  if (hash.type.nullable) context.report('nullable-login', password.span, { field: hash.name, role: 'password' });
  if (loginField.type.nullable) context.report('nullable-login', login.span, { field: loginField.name, role: 'login' });
  return { login: loginField, hash, registerInputs: registerInputs(context, auth, model, hash) };
}

/** A login and a subject tell users apart; a password must never be shown. */
function textField(
  context: Context,
  name: ast.Name,
  model: Model,
  role: 'login' | 'password' | 'subject',
): Field | undefined {
  const member = model.members.get(name.text);
  if (member) context.witness?.meant(name.span, { kind: 'member', member });
  if (member?.kind !== 'field') {
    const near = nearName(name.text, model.fields);
    const others = model.fields.map((field) => field.name);
    context.report('unknown-field', name.span, { name: name.text, model: model.name, span: name.span, near, others });
    return undefined;
  }
  const isText =
    member.type.base.kind === 'string' ||
    member.type.base.kind === 'any' ||
    (role === 'subject' && member.type.base.kind === 'uuid');
  if (!isText)
    context.report('wrong-login-type', name.span, {
      field: name.text,
      role,
      type: typeName(member.type),
      declared: member.span,
    });
  else if (role === 'password' && !member.secret)
    context.report('password-not-secret', name.span, { field: name.text, declared: member.span });
  else if (role !== 'password' && !member.unique)
    context.report('login-not-unique', name.span, { field: name.text, role, declared: member.span });
  else if (role !== 'password' && member.secret)
    context.report('secret-read', name.span, {
      field: `${model.name}.${name.text}`,
      noun: `a \`${role}\``,
      declared: member.span,
    });
  return member;
}

/** The model's create inputs, with `password` in place of the hash. */
function registerInputs(context: Context, auth: ast.AuthDeclaration, model: Model, hash: Field): readonly Input[] {
  const { inputs } = checkWrite(context, {
    kind: 'create',
    model,
    items: [],
    fixed: [],
    withheld: [],
    inputs: { kind: 'root' },
    implicit: true,
    scope: emptyScope(POSITIONS.set),
    head: auth.span,
  });
  const clash = hash.name === 'password' ? undefined : model.members.get('password');
  if (clash)
    context.report('password-taken', (auth.password as ast.Name).span, { model: model.name, declared: clash.span });
  return inputs.map((input) => (input.field === hash ? passwordInput(input) : input));
}

function passwordInput(input: Input): Input {
  return {
    ...input,
    path: ['password'],
    type: STRING,
    required: true,
    default: undefined,
    mayBeAbsent: false,
    doc: undefined,
  };
}
