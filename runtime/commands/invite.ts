/** `invite LOGIN [--set FIELD=VALUE …]`: makes an account in the database of DATABASE_URL and sends its invitation. */
import { inviteAccount } from '../invite.ts';
import { loadHooks, loadRelease } from '../load/application-folder.ts';
import { type Command, configuredIn } from './command.ts';

export const invite: Command = async (environment, say, args) => {
  const [login, ...rest] = args;
  const values = valuesFrom(rest);
  if (login === undefined || login.startsWith('--') || values === null) {
    say('Write `invite LOGIN --set FIELD=VALUE`, with a `--set` for each field.');
    return 2;
  }
  const configured = configuredIn(environment, say);
  if (!configured) return 1;
  const { folder } = configured;
  const options = { ...configured, hooks: await loadHooks(folder), release: loadRelease(folder) };
  const { done, problems = [] } = await inviteAccount(options, login, values);
  if (done) process.stdout.write(`${done}\n`);
  for (const problem of problems) say(problem);
  return done ? 0 : 1;
};

/** `--set role=admin` or `--set=role=admin`; null where something else is given. */
function valuesFrom(args: readonly string[]): Readonly<Record<string, string>> | null {
  const texts = args
    .join('\0')
    .replace(/(^|\0)--set\0/g, '$1--set=')
    .split('\0')
    .filter(Boolean);
  const pairs = texts.map((text) => /^--set=([^=]+)=(.*)$/s.exec(text));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] as string, pair?.[2] as string]));
}
