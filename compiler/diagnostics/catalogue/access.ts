/** Accounts, and who may do what. */
import type { Span } from '../../source/source-file.ts';
import { said, type Words } from '../words/words.ts';
import { aRecord, behind, listOf, note, type Unknown, unknown } from './phrases.ts';

export interface AuthMailInputs {
  readonly mail: string;
  readonly model: string;
  readonly hasAccount: boolean;
  readonly isToken: boolean;
  /** Inputs that nobody gives. */
  readonly others: readonly string[];
  readonly declared: Span;
}

export const accessWords = {
  'auth-without-model': (_: object) => said('this `auth` has no model', 'add `model`, such as `model User`'),

  'half-a-login': (f: { has: string; lacks: string }): Words => ({
    message: `\`${f.has}\` needs a \`${f.lacks}\` beside it`,
    label: `add \`${f.lacks}\` and the name of a field`,
    help: 'password login is written `auth { model User, login email, password password_hash }`',
  }),

  'wrong-login-type': (f: { field: string; role: string; type: string; declared: Span }): Words => ({
    message: `\`${f.role}\` needs a string, but \`${f.field}\` is ${f.type}`,
    label: `name a field of type string${f.role === 'subject' ? ' or uuid' : ''}`,
    notes: note(f.declared, `\`${f.field}\` is declared here`),
  }),

  'nullable-login': (f: { field: string; role: string }): Words => ({
    message: `\`${f.field}\` may be null, but a ${f.role} must always have a value`,
    label: 'remove `nullable` from the field, or name another',
  }),

  'login-not-unique': (f: { field: string; role: string; declared: Span; type: Span | undefined }): Words => ({
    message: `\`${f.role}\` must identify one user, but several may have the same \`${f.field}\``,
    label: 'add `unique` to the field',
    notes: note(f.declared, `\`${f.field}\` is declared here`),
    edits: behind(f.type, ', unique'),
  }),

  'password-not-secret': (f: { field: string; declared: Span; type: Span | undefined }): Words => ({
    message: `\`${f.field}\` keeps passwords, but it is not secret`,
    label: 'add `secret` to the field',
    edits: behind(f.type, ', secret'),
    notes: note(f.declared, `\`${f.field}\` is declared here`),
  }),

  /** `isNew` where the record is made, which cannot do without. */
  'password-as-input': (f: { field: string; isNew: boolean }): Words => ({
    severity: 'warning',
    message: `the client sends \`${f.field}\` to this endpoint, and it is stored without being hashed`,
    label: `set it: \`set ${f.field} cryptoHash(…)\`${f.isNew ? '' : `, or leave it out: \`input * except { ${f.field} }\``}`,
  }),

  'register-without-login': (_: object) =>
    said('`register` needs accounts with a password', 'add `login` and `password`, or remove this'),

  'auth-mail-without-login': (f: { purpose: string; lacks: 'login' | 'register' }): Words => ({
    message:
      f.lacks === 'login'
        ? `\`${f.purpose} with\` needs accounts with a password`
        : '`verify with` is about accounts that register, and `register` is off',
    label: f.lacks === 'login' ? 'add `login` and `password`, or remove this' : 'remove this, or `register off`',
  }),

  /** `job` is where the job of that name is declared. */
  'unknown-auth-mail': (f: Unknown & { job: Span | undefined; model: string }): Words =>
    f.job
      ? {
          message: `\`${f.name}\` is a job, not a mail`,
          label: 'name a mail',
          notes: note(f.job, 'it is declared here'),
        }
      : unknown(
          f,
          `there is no mail \`${f.name}\``,
          `declare it: \`mail ${f.name} { input account { to ${f.model} }  input token { type string }  to account.…  … }\``,
        ),

  'auth-mail-twice': (f: { mail: string; purpose: string; first: Span }): Words => ({
    message: `\`${f.mail}\` has another purpose already, and the token in a mail has one`,
    label: `declare a mail of its own for \`${f.purpose}\``,
    notes: note(f.first, 'it is named here first'),
  }),

  'auth-mail-inputs': (f: AuthMailInputs): Words => ({
    message:
      f.hasAccount && f.isToken
        ? `nobody gives ${listOf(f.others)} to the mail \`${f.mail}\``
        : `the mail \`${f.mail}\` lacks an input for ${f.hasAccount ? 'the token' : 'the account'}`,
    label:
      f.hasAccount && f.isToken
        ? 'give each a default, or remove it'
        : `write \`${f.hasAccount ? 'input token { type string }' : `input account { to ${f.model} }`}\` in it`,
    notes: note(f.declared, `\`${f.mail}\` is declared here`),
  }),

  'token-is-made': (f: { mail: string; declared: Span }): Words => ({
    message: `the token of \`${f.mail}\` is made when the mail is sent`,
    label: 'remove this',
    notes: note(f.declared, `\`${f.mail}\` is declared here`),
  }),

  'register-input': (f: { field: string; role: 'password' | 'subject' }): Words => ({
    message:
      f.role === 'password'
        ? `\`${f.field}\` holds the hash of the password, which clients never send`
        : `\`${f.field}\` links an account to the tokens of a provider, so \`register\` never takes it`,
    label: f.role === 'password' ? 'remove this: `register` always takes `password`' : 'remove this',
  }),

  'register-lacks-field': (f: { field: string; model: string; isSubject: boolean; declared: Span }): Words => ({
    message: `\`register\` cannot make ${aRecord(f.model)}: \`${f.field}\` is required, and clients may not send it`,
    label: f.isSubject
      ? `make \`${f.field}\` nullable, or write \`register off\``
      : `give \`${f.field}\` a default, make it nullable, or write \`register off\``,
    notes: note(f.declared, f.isSubject ? 'it is the `subject` of `auth`' : `\`${f.field}\` is internal`),
  }),

  'self-granted': (f: Grant): Words => ({
    ...(f.choice ? { severity: 'warning' } : {}),
    message: `${DECIDES[f.isSubject ? 'subject' : f.side](f.field)}, and ${TAKES[f.by]}`,
    label: f.choice ? joinRemedy(f.choice) : grantRemedy(f),
    notes: f.rule && note(f.rule, 'the rule is here'),
  }),

  /** With a job, the endpoint changes no records, but stores work. */
  'open-write': (f: { model: string } | { job: string; isMail: boolean }): Words => ({
    severity: 'warning',
    message: `anybody can ${'model' in f ? `change \`${f.model}\`` : `${f.isMail ? 'send' : 'run'} \`${f.job}\``} here without signing in`,
    label: 'add an `authorize`; `authorize { true }` says that this is meant',
  }),

  'foreign-record': (f: Foreign): Words => ({
    severity: 'warning',
    message: foreignMessage(f),
    label: foreignRemedy(f),
    notes: f.about === 'answer' && f.place ? note(f.place, 'the rules of this endpoint do not mention it') : undefined,
  }),

  'foreign-change': (f: {
    model: string;
    does: 'update' | 'delete';
    record: string | undefined;
    /** Whether the path of the request names the record, so that an `authorize` may be about it. */
    isOfPath: boolean;
    /** Whether a query finds the users. */
    isQuery: boolean;
  }): Words => ({
    severity: 'warning',
    message: `everybody who is signed in can ${f.does === 'update' ? 'change' : 'delete'} any \`${f.model}\` here, not only themselves`,
    label: f.isQuery
      ? 'compare the user with the caller in the `filter`, or ask for more in the `authorize`'
      : f.record && !f.isOfPath
        ? `compare it with the caller: \`refuse "not-yours" when ${f.record} is not @auth\``
        : compareWith(f.record, '@auth'),
  }),

  /** `first` is one of the fields, which clients set at `place`. */
  'whole-caller': (f: { fields: readonly string[]; first: string; place: Span }): Words => ({
    severity: 'warning',
    message: `a hook decides by this whole record, and clients choose ${listOf(f.fields)} themselves`,
    label: 'pass only what the hook decides by, such as `@auth.id`',
    notes: note(f.place, `clients choose \`${f.first}\` here`),
  }),

  'true-when-signed-out': (f: { span: Span }): Words => ({
    severity: 'warning',
    message: 'this is also true when nobody is signed in',
    label: 'write `@auth is not null and …`; if everybody is meant, `@auth is null or …`',
    edits: [{ span: { ...f.span, end: f.span.start }, text: '@auth is not null and ' }],
  }),

  'null-is-null': (f: { caller: string; other: string; span: Span }): Words => ({
    severity: 'warning',
    message: `\`${f.other}\` and \`${f.caller}\` are also equal if both are null`,
    label: `write \`${f.caller} is not null and …\``,
    edits: [{ span: { ...f.span, end: f.span.start }, text: `${f.caller} is not null and ` }],
  }),

  /** `others` are the fields that it is unique together with. */
  'secret-unique': (f: { field: string; others: readonly string[]; declared: Span }): Words => ({
    message: `a client sends \`${f.field}\` here, which is secret and unique: the response would reveal whether somebody else has the same value`,
    label: `set it in the server, or leave the field out of the inputs`,
    notes: note(
      f.declared,
      f.others.length === 0 ? 'it is declared `unique` here' : `it is unique together with ${f.others.join(', ')}`,
    ),
  }),

  'password-taken': (f: { model: string; declared: Span }): Words => ({
    message: `registering takes a \`password\`, and \`${f.model}\` has a member of that name`,
    label: 'rename the member, or name it here',
    notes: note(f.declared, 'it is here'),
  }),
};

/** A field that somebody could set to get past a rule. */
export interface Grant {
  readonly field: string;
  readonly by: 'register' | 'endpoint' | 'own-record' | 'joining';
  readonly isSubject: boolean;
  /** Whether the rule reads the field through `@auth`, or from a record that says who is let in. */
  readonly side: 'caller' | 'record';
  readonly isReference: boolean;
  readonly isRequired: boolean;
  readonly isInternal: boolean;
  readonly isLogin: boolean;
  readonly rule: Span | undefined;
  /** The choice of the client, if the caller becomes a member of the chosen record. */
  readonly choice: Chosen | undefined;
}

type Chosen =
  | { readonly by: 'input'; readonly input: string; readonly isExtra: boolean }
  /** `alias` is what the author calls the record of the path. */
  | { readonly by: 'path'; readonly alias: string | undefined };

const DECIDES: Readonly<Record<'subject' | Grant['side'], (field: string) => string>> = {
  subject: (field) => `\`${field}\` decides who signs in to an account`,
  caller: (field) => `a rule reads \`${field}\` of the caller`,
  record: (field) => `a rule decides by \`${field}\` who is let in`,
};

function joinRemedy(choice: Chosen): string {
  if (choice.by === 'input') return `check \`${choice.input}\` with a \`validate\` or a \`query\``;
  return `say in the \`authorize\` who may do so, by a rule about \`${choice.alias ?? 'the record of the path'}\``;
}

function grantRemedy({ field, by, isLogin, isRequired, isReference, isInternal }: Grant): string {
  // An internal field is still sent if it is set from an input, or if an input names it.
  const withheld = isInternal ? `set \`${field}\` to what no client sends` : `mark \`${field}\` as \`internal\``;
  if (by === 'own-record') return `${withheld}, or list the inputs without it`;
  if (by === 'endpoint') return `${withheld}, or add an \`authorize\` that requires more than being signed in`;
  if (isLogin) return 'nobody checks that it belongs to them: compare another field, or write `register off`';
  if (!isRequired) return 'mark it `internal`, or leave it out of `register`';
  return isReference
    ? 'make it `internal` and `nullable`, or write `register off`'
    : 'mark it `internal`, with a default';
}

type Foreign =
  | ({
      readonly about: 'choice';
      readonly reference: string;
      /** The model of the users, if it is a reference to users. */
      readonly model: string | undefined;
      /** The value of the caller in its place: `@auth`, `@auth.team`. */
      readonly owner: string;
      readonly does: 'create' | 'update';
    } & Chosen)
  /** `shown` is a part of the answer: `note.text`. An endpoint at `place` has the whole record. */
  | ({ readonly about: 'answer'; readonly shown: string; readonly model: string; readonly place?: Span } & Chosen)
  /** By `create … or keep` or `or update`. */
  | {
      readonly about: 'found';
      readonly model: string;
      readonly isChanged: boolean;
      /** A member of the record; without one, the record is a user. */
      readonly owner: string | undefined;
      readonly caller: string;
      readonly key: readonly string[];
    };

function foreignMessage(f: Foreign): string {
  if (f.about === 'found' && f.isChanged)
    return `everybody who is signed in can change any \`${f.model}\` here by its key, not only ${f.owner ? 'their own' : 'themselves'}`;
  if (f.about === 'found')
    return `the response is the \`${f.model}\` that has the key, which may belong to somebody else`;
  const where = f.by === 'path' ? 'by the path of this request' : 'here';
  if (f.about === 'answer' && f.place)
    return `clients choose the \`${f.shown}\` ${where}, and may use any \`${f.model}\` behind it, though rules say who may`;
  if (f.about === 'answer')
    return `the response shows \`${f.shown}\` of any \`${f.model}\` that clients choose ${where}, though rules say who may read it`;
  const anybody = f.model ? `any \`${f.model}\`, not only themselves` : `any, not only \`${f.owner}\``;
  return `clients choose the \`${f.reference}\` ${where}, and may name ${anybody}`;
}

function foreignRemedy(f: Foreign): string {
  if (f.about === 'found') return `${keyOfCaller(f)}${f.isChanged ? '' : '; or leave it out of the response'}`;
  if (f.about === 'answer') return `${f.place ? '' : 'leave it out of the `response`, or '}${joinRemedy(f)}`;
  if (f.by === 'path') return compareWith(f.alias, f.owner);
  const checked = `or check \`${f.input}\` with a \`validate\``;
  if (f.does === 'create' || f.isExtra) return `set it: \`set ${f.reference} ${f.owner}\`, ${checked}`;
  return `leave it out: \`input * except { ${f.input} }\`, ${checked}`;
}

function keyOfCaller(f: Extract<Foreign, { about: 'found' }>): string {
  if (!f.owner) return 'change the caller alone: `update @auth { … }`';
  const key = f.key.includes(f.owner) ? f.key : [f.owner, ...f.key];
  return `\`set ${f.owner} ${f.caller}\` with the key \`unique { ${key.join(', ')} }\``;
}

function compareWith(record: string | undefined, owner: string): string {
  return record
    ? `compare it with the caller: \`authorize { ${record} is ${owner} }\``
    : `give the entrypoint of the record an alias, such as \`as owner\`, and compare it: \`authorize { owner is ${owner} }\``;
}

const TAKES: Readonly<Record<Grant['by'], string>> = {
  register: '`register` takes it from anybody',
  endpoint: 'this endpoint takes it from anybody',
  'own-record': 'this endpoint takes it from the caller',
  joining: 'everybody who is signed in can add themselves here',
};
