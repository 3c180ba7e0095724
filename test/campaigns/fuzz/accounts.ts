/**
 * Who calls. Accounts are registered and signed in once and keep their tokens, since logins cost time and may be
 * limited. An account whose token has ended, by a logout or a changed password, is given a new one.
 */
import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Definition, Field, Model } from '../../../compiler/definition/definition.ts';
import type { Auth } from '../../../compiler/definition/endpoint.ts';
import { pick, type Random } from '../../../runtime/populate/random.ts';
import { hashPassword } from '../../../runtime/values/password.ts';
import { ENVIRONMENT } from '../../compiler/openapi/contract-data.ts';
import type { Queryable } from '../databases.ts';
import type { Sender } from '../send.ts';
import { PASSWORD } from './marks.ts';
import type { Operations } from './operations.ts';
import type { Body, Values } from './values.ts';

export interface Caller {
  readonly name: string;
  readonly token: string | null;
  /** Null for nobody; whether the token should be accepted for others. */
  readonly isGood: boolean | null;
}

const NOBODY: Caller = { name: 'nobody', token: null, isGood: null };
const KNOWN_PASSWORD = `${PASSWORD} of every account`;
const MOST_STORED = 12;
const MOST_KEPT = 24;
const REGISTERED = 3;

interface AccountsOptions {
  readonly definition: Definition;
  readonly client: Queryable;
  readonly sender: Sender;
  readonly operations: Operations;
  readonly values: Values;
}

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #good = new Map<string, Caller>();
  #bad: readonly Caller[] = [];

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** Every token that was ever good. */
  readonly tokens = new Set<string>();

  async prepare(): Promise<void> {
    const { auth } = this.#options.definition;
    if (auth === null) return;
    const registered = auth.password ? await this.#register() : [];
    for (const login of registered) await this.#signIn(login);
    await this.replenish();
    this.#bad = await this.#badCallers(auth);
  }

  /** Accounts that are stored by now, in place of those that are gone. */
  async replenish(): Promise<void> {
    const { auth } = this.#options.definition;
    if (auth === null) return;
    const unknown = (await this.#storedLogins(auth)).filter((login) => !this.#good.has(login));
    for (const login of unknown) await this.#signIn(login);
    for (const name of [...this.#good.keys()].slice(0, -MOST_KEPT)) this.#good.delete(name);
  }

  good(): readonly Caller[] {
    return [...this.#good.values()];
  }

  /** Mostly somebody, sometimes nobody, rarely somebody who pretends. */
  any(random: Random): Caller {
    const good = this.good();
    const chance = random.next();
    if (good.length === 0 || chance < 0.12) return NOBODY;
    return chance < 0.2 ? pick(this.#bad, random) : pick(good, random);
  }

  /** A token of a provider is good as long as there is the account, so there is nothing to renew. */
  async renew({ name }: Caller): Promise<void> {
    this.#good.delete(name);
    if (this.#options.definition.auth?.password) await this.#signIn(name);
  }

  /** What a login with the right password sends; null where nobody has one. */
  credentials({ name, isGood }: Caller): Body | null {
    const login = this.#options.definition.auth?.password?.login;
    return login !== undefined && isGood ? { [login]: name, password: KNOWN_PASSWORD } : null;
  }

  named(name: string | undefined): Caller | undefined {
    return name === undefined ? undefined : this.#good.get(name);
  }

  async #storedLogins(auth: Auth): Promise<readonly string[]> {
    const { client } = this.#options;
    const { table, model } = this.#tableOf(auth);
    const login = fieldOf(model, auth.password?.login ?? auth.subject ?? 'id').column;
    const half = MOST_STORED / 2;
    const ids = `(SELECT id FROM "${table}" ORDER BY id LIMIT ${half}) UNION (SELECT id FROM "${table}" ORDER BY id DESC LIMIT ${half})`;
    const { rows } = await client.query(`SELECT "${login}"::text AS login FROM "${table}" WHERE id IN (${ids})`);
    return rows.map((row) => row.login);
  }

  #tableOf(auth: Auth): { readonly table: string; readonly model: Model } {
    const model = this.#options.definition.models.find(({ name }) => name === auth.model) as Model;
    return { table: model.table, model };
  }

  async #register(): Promise<readonly string[]> {
    const { operations, values, definition } = this.#options;
    const operation = operations.all.find(({ endpoint }) => endpoint?.id === 'auth.register');
    const login = definition.auth?.password?.login ?? '';
    const logins: string[] = [];
    for (let tries = 0; operation && tries < REGISTERED * 5 && logins.length < REGISTERED; tries++) {
      const body = { ...values.bodyOf(operation), password: KNOWN_PASSWORD };
      const status = (await this.#post(operation.template, body))?.status;
      if (status === 201) logins.push(String((body as Body)[login]));
    }
    return logins;
  }

  async #signIn(login: string): Promise<void> {
    const token = await (this.#options.definition.auth?.password ? this.#login(login) : signed(login, '12h'));
    if (token === null) return;
    this.tokens.add(token);
    this.#good.set(login, { name: login, token, isGood: true });
  }

  /** The password is stored first: a request may have changed it. */
  async #login(login: string): Promise<string | null> {
    const { definition, client, operations } = this.#options;
    const auth = definition.auth as Auth;
    const { login: loginField, hash } = auth.password as NonNullable<Auth['password']>;
    const { table, model } = this.#tableOf(auth);
    const columns = [hash, loginField].map((field) => fieldOf(model, field).column);
    await client.query(`UPDATE "${table}" SET "${columns[0]}" = $1 WHERE "${columns[1]}"::text = $2`, [
      await knownHash(),
      login,
    ]);
    const path = operations.all.find(({ id }) => id === 'authLogin')?.template ?? '';
    const answer = await this.#post(path, { [loginField]: login, password: KNOWN_PASSWORD });
    return answer?.status === 200 ? String(answer.body.token) : null;
  }

  async #post(target: string, body: Body): Promise<{ readonly status: number; readonly body: Body } | null> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#options.sender.send({
      method: 'POST',
      target,
      headers,
      body: Buffer.from(JSON.stringify(body)),
    });
    return typeof answer === 'string' ? null : { status: answer.status, body: JSON.parse(answer.text || '{}') };
  }

  async #badCallers(auth: Auth): Promise<readonly Caller[]> {
    const [first] = this.good();
    const made = ['nobody.has.this', 'x', 'ey', 'A'.repeat(43), 'a.b.c', (first?.token ?? 'x').slice(0, -2)];
    const expired = auth.password ? await this.#expiredLogin(first) : await signed(first?.name ?? 'x', '-1h');
    const forged = auth.password ? [] : await forgedTokens(first?.name ?? 'x');
    const tokens = [...made, ...(expired === null ? [] : [expired]), ...forged];
    return tokens.map((token) => ({ name: 'pretender', token, isGood: false }));
  }

  async #expiredLogin(account: Caller | undefined): Promise<string | null> {
    const token = account ? await this.#login(account.name) : null;
    if (token === null) return null;
    this.tokens.add(token);
    const hash = createHash('sha256').update(token).digest();
    await this.#options.client.query(
      "UPDATE kiln_tokens SET expires_at = now() - interval '1 hour' WHERE token_hash = $1",
      [hash],
    );
    return token;
  }
}

let hash: Promise<string> | undefined;

function knownHash(): Promise<string> {
  hash ??= hashPassword(KNOWN_PASSWORD);
  return hash;
}

function fieldOf({ fields }: Model, name: string): Field {
  return fields.find((field) => field.name === name) as Field;
}

const encoded = (text: string) => new TextEncoder().encode(text);

async function signed(subject: string, end: string, key: string = ENVIRONMENT.KILN_JWT_SECRET): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setExpirationTime(end)
    .setIssuer(ENVIRONMENT.KILN_JWT_ISSUER)
    .setAudience(ENVIRONMENT.KILN_JWT_AUDIENCE)
    .sign(encoded(key));
}

/** Signed by another key, for another audience, or not at all. */
async function forgedTokens(subject: string): Promise<readonly string[]> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: subject, exp: 4e9, iss: ENVIRONMENT.KILN_JWT_ISSUER, aud: ENVIRONMENT.KILN_JWT_AUDIENCE };
  const elsewhere = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(subject).setExpirationTime('1h');
  return [
    await signed(subject, '1h', 'another secret that is long enough too!'),
    await elsewhere.setIssuer('https://elsewhere.example').sign(encoded(ENVIRONMENT.KILN_JWT_SECRET)),
    `${part({ alg: 'none' })}.${part(claims)}.`,
    `${part({ alg: 'none' })}.${part(claims)}.x`,
  ];
}
