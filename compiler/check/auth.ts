import type * as ast from '../ast/ast.ts';
import { INVITED } from '../definition/accounts.ts';
import { storedInput } from '../program/parts.ts';
import type { AccountMail, Assignment, Auth, Field, Input, Job, JobInput, Model } from '../program/program.ts';
import { STRING, sameBase, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { byPlace, type Context, findMember, firstOfEach, notAmong, reportSecret } from './context.ts';
import { modelNamed, type Names } from './members.ts';
import { emptyScope, POSITIONS } from './scope.ts';
import { createInput, isRequired, PLAIN_INPUT } from './write-inputs.ts';
import { checkWrite, updatedBeside } from './writes.ts';

/** The model behind `@auth`; needed before any expression is read. */
export function authModelOf(auth: ast.AuthDeclaration, names: Names): Model | undefined {
  if (!auth.model) return names.report('auth-without-model', auth.span, {});
  return modelNamed(names, auth.model, 'auth');
}

const USERS = /^(app|site)?_?(user|member|account|person|customer|client|employee|profile|login)s?$/i;

/** Reports once that `auth` is missing, at the first place that needs it. */
export function reportNoAuth({ asksForAuth = [], models, report }: Context): void {
  const [first] = [...asksForAuth].sort(byPlace);
  const [model, ...others] = [...models.keys()].filter((name) => USERS.test(name));
  if (first)
    report('auth-not-declared', first.span, { word: first.word, model: others.length === 0 ? model : undefined });
}

export function checkAuth(context: Context, auth: ast.AuthDeclaration | undefined): Auth | undefined {
  const model = context.authModel;
  if (!auth || !model) return undefined;
  const subject = auth.subject && textField(context, auth.subject, model, 'subject');
  return { span: auth.span, model, password: checkPassword(context, auth, model, subject), subject };
}

function checkPassword(context: Context, auth: ast.AuthDeclaration, model: Model, subject?: Field): Auth['password'] {
  const { login, password, register } = auth;
  if (!login && !password) {
    if (register) context.report('register-without-login', register.span, {});
    reportMailsWithoutLogin(context, auth);
    return undefined;
  }
  if (!login || !password) {
    const [has, lacks] = login ? ['login', 'password'] : ['password', 'login'];
    return context.report('half-a-login', (login ?? password ?? auth).span, { has, lacks });
  }
  const loginField = textField(context, login, model, 'login');
  const hash = textField(context, password, model, 'password');
  if (!loginField || !hash) return undefined;
  if (hash.type.nullable) context.report('nullable-login', password.span, { field: hash.name, role: 'password' });
  if (loginField.type.nullable) context.report('nullable-login', login.span, { field: loginField.name, role: 'login' });
  return {
    login: loginField,
    hash,
    registerInputs: registerInputs({ context, auth, model, hash, subject }),
    changed: changedBy(passwordInput(hash), hash),
    invited: invitedIn(model, hash, auth.span),
    mails: checkAccountMails(context, auth, model),
  };
}

function changedBy(input: Input, hash: Field): readonly Assignment[] {
  const changed = storedInput(input);
  return [changed, ...updatedBeside([changed], hash.model)];
}

/** Whoever invites may set any field. The password is one that nobody can know. */
function invitedIn({ fields }: Model, hash: Field, span: Span): readonly Assignment[] {
  const inputs = fields.filter((field) => field.origin !== 'id' && field !== hash).map(createInput);
  return [...inputs.map(storedInput), { field: hash, value: { kind: 'literal', value: INVITED, type: STRING, span } }];
}

/** A login and a subject tell users apart; a password must never be shown. */
function textField(
  context: Context,
  name: ast.Name,
  model: Model,
  role: 'login' | 'password' | 'subject',
): Field | undefined {
  const member = findMember(context, name, model);
  if (member?.kind !== 'field')
    return context.report('unknown-field', name.span, { model: model.name, ...notAmong(name, model.fields) });
  const placed = { declared: member.span, type: member.typeSpan };
  const isText =
    member.type.base.kind === 'any' ||
    (!member.type.many &&
      (member.type.base.kind === 'string' || (role === 'subject' && member.type.base.kind === 'uuid')));
  if (!isText)
    context.report('wrong-login-type', name.span, {
      field: name.text,
      role,
      type: typeName(member.type),
      declared: member.span,
    });
  else if (role === 'password' && !member.secret)
    context.report('password-not-secret', name.span, { field: name.text, ...placed });
  else if (role !== 'password' && !member.unique)
    context.report('login-not-unique', name.span, { field: name.text, role, ...placed });
  else if (role !== 'password' && member.secret) reportSecret(context, member, name.span, `a \`${role}\``);
  return member;
}

/** What registration makes an account of. */
interface Account {
  readonly context: Context;
  readonly auth: ast.AuthDeclaration;
  readonly model: Model;
  readonly hash: Field;
  readonly subject: Field | undefined;
}

/**
 * The inputs of registration: the login, the password, the fields without which no record can be stored, and the fields
 * that the author names. The subject is never one of them, because it says whose tokens belong to the account.
 */
function registerInputs(account: Account): readonly Input[] | undefined {
  const { context, auth, model, hash, subject } = account;
  const clash = hash.name === 'password' ? undefined : model.members.get('password');
  if (clash)
    context.report('password-taken', (auth.password as ast.Name).span, { model: model.name, declared: clash.span });
  if (auth.register?.off) return undefined;
  const withheld = subject ? [hash, subject] : [hash];
  const { inputs } = checkWrite({
    context,
    kind: 'create',
    model,
    items: allowedInputs(account, withheld),
    fixed: [],
    withheld: [...withheld, ...lackingFields(account)],
    inputsUnder: [],
    unlisted: 'required',
    scope: emptyScope(POSITIONS.set),
    head: auth.span,
  });
  return inField(model, [...inputs, passwordInput(hash)]);
}

/** The inputs in the order of the model's fields. */
function inField({ fields }: Model, inputs: readonly Input[]): readonly Input[] {
  const place = ({ field }: Input): number => fields.indexOf(field as Field);
  return [...inputs].sort((one, other) => place(one) - place(other));
}

/** Reports what registration never takes, and gives the rest. */
function allowedInputs({ context, auth, hash }: Account, withheld: readonly Field[]): readonly ast.InputItem[] {
  return (auth.register?.inputs ?? []).map((item) => ({
    ...item,
    fields: item.fields.filter(({ name }) => {
      const field = withheld.find((candidate) => candidate.name === name.text);
      const role = field === hash ? 'password' : 'subject';
      if (field) context.report('register-input', name.span, { field: name.text, role });
      return field === undefined;
    }),
  }));
}

/** Fields that a record needs and that registration may not take: no account could be made. */
function lackingFields({ context, auth, model, hash, subject }: Account): readonly Field[] {
  const named = new Set((auth.register?.inputs ?? []).flatMap(({ fields }) => fields.map(({ name }) => name.text)));
  const lacking = model.fields.filter(
    (field) =>
      field.origin !== 'id' &&
      field !== hash &&
      isRequired(field) &&
      (field === subject || (field.internal && !named.has(field.name))),
  );
  for (const { name, span } of lacking)
    context.report('register-lacks-field', auth.register?.span ?? auth.span, {
      field: name,
      model: model.name,
      isSubject: name === subject?.name,
      declared: span,
    });
  return lacking;
}

function passwordInput(hash: Field): Input {
  return {
    ...PLAIN_INPUT,
    path: ['password'],
    type: STRING,
    validate: hash.validate,
    named: false,
    normalise: [],
    doc: null,
    field: hash,
  };
}

// ── Mails of accounts ────────────────────────────────────────────────────────────────────────────────────────────────

// `verify with`, `reset with` and `invite with`: the mails of `auth` that bring a token to an account.

const PURPOSES = ['verify', 'reset', 'invite'] as const;

/** The input that the server fills in when it sends such a mail. */
export const TOKEN_INPUT = 'token';

function writtenMails(auth: ast.AuthDeclaration) {
  return PURPOSES.flatMap((purpose) => {
    const name = auth[`${purpose}With`];
    return name ? [{ purpose, name }] : [];
  });
}

function reportMailsWithoutLogin(context: Context, auth: ast.AuthDeclaration): void {
  for (const { purpose, name } of writtenMails(auth))
    context.report('auth-mail-without-login', name.span, { purpose, lacks: 'login' });
}

/** Checks the mails. Jobs have been declared. */
function checkAccountMails(context: Context, auth: ast.AuthDeclaration, model: Model): readonly AccountMail[] {
  const written = writtenMails(auth);
  if (auth.verifyWith && auth.register?.off)
    context.report('auth-mail-without-login', auth.verifyWith.span, { purpose: 'verify', lacks: 'register' });
  const once = firstOfEach(
    written,
    ({ name }) => name.text,
    ({ name, purpose }, first) =>
      context.report('auth-mail-twice', name.span, { mail: name.text, purpose, first: first.name.span }),
  );
  return [...once.values()].flatMap(({ purpose, name }) => {
    const mail = mailNamed(context, name, model);
    const account = mail && accountInput(context, mail, name, model);
    return account ? [{ purpose, mail: name.text, account: account.input.path[0] }] : [];
  });
}

function mailNamed({ jobs, report, witness }: Context, name: ast.Name, model: Model): Job | undefined {
  const found = jobs.byName.get(name.text);
  if (found?.delivers !== 'mail') {
    const mails = [...jobs.byName.values()].filter(({ delivers }) => delivers === 'mail');
    return report('unknown-auth-mail', name.span, { ...notAmong(name, mails), job: found?.span, model: model.name });
  }
  witness?.meant(name.span, { kind: 'job', job: found });
  jobs.used.add(found.name);
  jobs.withToken.add(found.name);
  return found;
}

/** The input for the account; undefined after a report of inputs that do not fit. */
function accountInput({ jobs, report }: Context, mail: Job, name: ast.Name, model: Model): JobInput | undefined {
  if (jobs.incomplete.has(mail.name)) return undefined;
  const accounts = mail.inputs.filter(
    ({ type: { base, nullable } }) => base.kind === 'record' && base.model === model && !nullable,
  );
  const token = mail.inputs.find((input) => input.name === TOKEN_INPUT);
  const isToken =
    token && sameBase(token.type.base, STRING.base) && !token.type.many && !token.type.nullable && token.input.required;
  const [account] = accounts;
  const others = mail.inputs.filter((input) => input !== token && input !== account && input.input.required);
  if (account && isToken && others.length === 0) return account;
  const facts = { mail: mail.name, model: model.name, isToken: isToken === true, hasAccount: account !== undefined };
  return report('auth-mail-inputs', name.span, {
    ...facts,
    others: others.map((each) => each.name),
    declared: mail.span,
  });
}
