/** What an application is called, and so its images: `name` in `kiln.json`, or the name of its folder or repository. */
import { basename, dirname, posix } from 'node:path';
import { GitRefusal } from './git-refusal.ts';
import { imageNameFromText, isImageName } from './image-name.ts';
import { readObjects } from './objects.ts';
import { askGit, type Repository } from './repository.ts';
import { lineOf } from './run-git.ts';

const SETTINGS_FILE = 'kiln.json';
const ALLOWED = 'small letters, digits and single `.`, `_`, `-` between them, as in `acme/blog`';

export function applicationName(repository: Repository, revision: string, folder = repository.folder): string {
  return nameInSettings(repository, revision, folder) ?? nameFrom(repository, folder);
}

function nameInSettings(repository: Repository, revision: string, folder: string): string | undefined {
  const path = folder === '' ? SETTINGS_FILE : `${folder}/${SETTINGS_FILE}`;
  if (path.includes('\n')) return undefined;
  const [object] = readObjects(repository, [`${revision}:${path}`]);
  if (object?.type !== 'blob') return undefined;
  const { name } = settingsFromText(object.content.toString('utf8'), path);
  if (name === undefined) return undefined;
  if (typeof name === 'string' && isImageName(name)) return name;
  throw new GitRefusal('bad-name', `\`name\` in \`${path}\` cannot name an image; it consists of ${ALLOWED}`);
}

function settingsFromText(text: string, path: string): { readonly name?: unknown } {
  try {
    const settings: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings;
  } catch (cause) {
    throw new GitRefusal('bad-name', `\`${path}\` is not JSON: ${(cause as Error).message}`, { cause });
  }
  throw new GitRefusal('bad-name', `\`${path}\` has to be an object, as in \`{ "name": "blog" }\``);
}

/** Two projects of one repository must not be called the same. */
function nameFrom(repository: Repository, folder: string): string {
  const isTop = folder === '';
  const given = isTop ? nameOfRepository(repository) : posix.basename(folder);
  const name = imageNameFromText(given);
  if (name !== undefined) return name;
  const advice = `add a \`${SETTINGS_FILE}\` with \`{ "name": "…" }\` to the project`;
  throw new GitRefusal(
    'bad-name',
    `no image can be called like the ${isTop ? 'repository' : 'folder'} \`${given}\`; ${advice}`,
  );
}

/** A clone is called as where it came from, whatever its folder is called on this machine. */
function nameOfRepository({ sharedFolder, ...rest }: Repository): string {
  const isBare = basename(sharedFolder) !== '.git';
  const repository = { ...rest, sharedFolder };
  const origin = isBare ? '' : lineOf(askGit(repository, ['config', '--get', 'remote.origin.url']));
  return nameInUrl(origin) ?? nameInUrl(isBare ? sharedFolder : dirname(sharedFolder)) ?? '';
}

/** `git@host:acme/blog.git`, `https://host/acme/blog`, `/srv/git/blog.git`, `../blog/.git`. */
function nameInUrl(url: string): string | undefined {
  const path = url.replace(/\/+$/, '').replace(/\/\.git$/, '');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1).replace(/\.git$/, '');
  return last === '' || last === '.' || last === '..' ? undefined : last;
}
