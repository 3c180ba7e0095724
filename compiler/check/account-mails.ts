/** `verify with`, `reset with` and `invite with`: the mails of `auth` that bring a token to an account. */
import type * as ast from '../ast/ast.ts';
import type { AccountMail, Job, JobInput, Model } from '../program/program.ts';
import { STRING, sameBase } from '../program/type.ts';
import { type Context, firstOfEach, notAmong } from './context.ts';

const PURPOSES = ['verify', 'reset', 'invite'] as const;

/** The input that the server fills in when it sends such a mail. */
export const TOKEN_INPUT = 'token';

function writtenMails(auth: ast.AuthDeclaration) {
  return PURPOSES.flatMap((purpose) => {
    const name = auth[`${purpose}With`];
    return name ? [{ purpose, name }] : [];
  });
}

export function reportMailsWithoutLogin(context: Context, auth: ast.AuthDeclaration): void {
  for (const { purpose, name } of writtenMails(auth))
    context.report('auth-mail-without-login', name.span, { purpose, lacks: 'login' });
}

/** Checks the mails. Jobs have been declared. */
export function checkAccountMails(context: Context, auth: ast.AuthDeclaration, model: Model): readonly AccountMail[] {
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
    return mail && account ? [{ purpose, mail, account }] : [];
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
