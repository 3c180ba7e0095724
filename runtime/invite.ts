/** Invites somebody: an account without a password, and a job that sends the mail with its invitation. */
import { passwordAuthOf } from '../compiler/definition/accounts.ts';
import type { Config } from './config/config.ts';
import { invitationOf } from './endpoints/application.ts';
import { createLog } from './observe/log.ts';
import { openDatabase } from './query/connections/open-database.ts';
import type { ImageRelease } from './query/database-release.ts';
import { databaseOptions, type Served } from './serve.ts';

interface InviteOptions extends Required<Omit<Served, 'openApi'>> {
  readonly config: Config;
  readonly release?: ImageRelease | undefined;
}

type Invitation =
  | { readonly done: string; readonly problems?: undefined }
  | { readonly done?: undefined; readonly problems: readonly string[] };

/** `values` are the fields of the account, as texts. */
export async function inviteAccount(
  options: InviteOptions,
  login: string,
  values: Readonly<Record<string, string>>,
): Promise<Invitation> {
  const { definition, config, release } = options;
  const auth = passwordAuthOf(definition);
  const invite = auth?.password.invite;
  if (!auth || !invite)
    return { problems: ['The application has no invitations: write `invite with` and the name of a mail in `auth`.'] };
  const names = invite.inputs.map(({ name }) => name).filter((name) => name !== auth.password.login);
  const unknown = Object.keys(values).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    return { problems: unknown.map((name) => `There is no field \`${name}\` to set. There are ${names.join(', ')}.`) };
  const log = createLog('silent');
  const database = openDatabase({ ...databaseOptions(config, release), log });
  try {
    const application = { ...config, ...options, database, overflowed: () => undefined };
    const send = invitationOf(auth, invite, application);
    const invited = await send({ ...values, [auth.password.login]: login }, log);
    if (typeof invited === 'string') return SAID[invited](login);
    const flag = (path: string) => (path === auth.password.login ? login : `--set ${path}=…`);
    return { problems: invited.map(({ path, message }) => `${flag(path)}: \`${path}\` ${message}.`) };
  } finally {
    await database.close();
  }
}

const SAID = {
  new: (login: string): Invitation => ({
    done: `Made an account for ${login}; its invitation is sent by the servers.`,
  }),
  again: (login: string): Invitation => ({
    done: `${login} was invited before; another invitation is sent. The account was not changed.`,
  }),
  taken: (login: string): Invitation => ({
    done: `Somebody had registered ${login} without verifying the address. The account has the values of this invitation now and no password; its invitation is sent by the servers.`,
  }),
  known: (login: string): Invitation => ({
    problems: [`${login} has an account with a password. Nothing was changed.`],
  }),
};
