import { once } from '../../compiler/definition/kept.ts';
import { looseLine } from './commit.ts';
import { gitFailure } from './git-refusal.ts';
import { areHere } from './objects.ts';
import { askGit, type Repository } from './repository.ts';

/** The values of a trailer, such as `Breaking: <reason>`, oldest first. */
type Trailers = (key: string) => readonly string[];

/**
 * Of the commits that came after `from`. Git decides what is a trailer: a line of the last paragraph of a message. Where
 * `from` is not here, only `to` itself is looked at.
 */
export function trailersBetween(repository: Repository, from: string | null, to: string): Trailers {
  const line = from === null ? undefined : looseLine(repository, to, from);
  const lines = once(() => trailerLines(repository, from, to));
  // Most commits do not even have the word in them, so git is not asked.
  const isAbsent = (key: string) => line?.every(({ message }) => !message.toLowerCase().includes(key.toLowerCase()));
  return (key) => (isAbsent(key) ? [] : lines().flatMap((each) => valueIn(each, key)));
}

function trailerLines(repository: Repository, from: string | null, to: string): readonly string[] {
  const isKnown = from !== null && areHere(repository, [`${from}^{commit}`])[0];
  const commits = isKnown ? ['--reverse', `${from}..${to}`] : ['-1', to];
  const { status, bytes, stderr } = askGit(repository, [
    'log',
    '--no-show-signature',
    '--format=%(trailers:only,unfold)',
    ...commits,
  ]);
  if (status !== 0) throw gitFailure('read the messages of commits', stderr);
  return bytes.toString('utf8').split('\n');
}

/** Keys are the same in small and large letters, as they are for git. A trailer without a value says nothing. */
function valueIn(line: string, key: string): readonly string[] {
  const at = line.indexOf(':');
  const isKey = at > 0 && line.slice(0, at).trim().toLowerCase() === key.toLowerCase();
  const value = isKey ? line.slice(at + 1).trim() : '';
  return value === '' ? [] : [value];
}
