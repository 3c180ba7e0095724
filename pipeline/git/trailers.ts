import { looseLine } from './commit.ts';
import { gitFailure } from './git-refusal.ts';
import { areHere } from './objects.ts';
import { askGit, type Repository } from './repository.ts';

/**
 * The values of a trailer, such as `Breaking: <reason>`, in the commits that came after `from`, oldest first. Git decides
 * what is a trailer: a line of the last paragraph of a message. Where `from` is not here, only `to` itself is looked at.
 */
export function trailersBetween(
  repository: Repository,
  from: string | null,
  to: string,
  key: string,
): readonly string[] {
  // Most commits do not even have the word in them.
  const line = from === null ? undefined : looseLine(repository, to, from);
  if (line?.every(({ message }) => !message.toLowerCase().includes(key.toLowerCase()))) return [];
  const isKnown = from !== null && areHere(repository, [`${from}^{commit}`])[0];
  const commits = isKnown ? ['--reverse', `${from}..${to}`] : ['-1', to];
  const { status, bytes, stderr } = askGit(repository, [
    'log',
    '--no-show-signature',
    '--format=%(trailers:only,unfold)',
    ...commits,
  ]);
  if (status !== 0) throw gitFailure('read the messages of commits', stderr);
  const lines = bytes.toString('utf8').split('\n');
  return lines.flatMap((line) => valueIn(line, key));
}

/** Keys are the same in small and large letters, as they are for git. A trailer without a value says nothing. */
function valueIn(line: string, key: string): readonly string[] {
  const at = line.indexOf(':');
  const isKey = at > 0 && line.slice(0, at).trim().toLowerCase() === key.toLowerCase();
  const value = isKey ? line.slice(at + 1).trim() : '';
  return value === '' ? [] : [value];
}
