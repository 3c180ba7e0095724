/** What an application is called, and so its images: `name` in `kiln.json`, or the name of its folder or repository. */
import { basename, dirname, posix } from 'node:path';
import { GitRefusal } from './git-refusal.ts';
import { imageNameFromText } from './image-name.ts';
import { projectSettings, SETTINGS_FILE } from './project-settings.ts';
import { askGit, type Repository } from './repository.ts';
import { lineOf } from './run-git.ts';

export function applicationName(repository: Repository, revision: string, folder = repository.folder): string {
  return projectSettings(repository, revision, folder).name ?? nameFrom(repository, folder);
}

/**
 * What an image says that it is. It depends on the revision alone: a clone in another folder, or from another remote,
 * gives the same image.
 */
export function applicationTitle(repository: Repository, revision: string, folder = repository.folder): string {
  const { name } = projectSettings(repository, revision, folder);
  return name ?? imageNameFromText(posix.basename(folder)) ?? UNTITLED;
}

const UNTITLED = 'API';

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
