/**
 * The settings of a project, in its `kiln.json`, as a revision has them. All of them are checked whoever asks for one: a
 * setting that is misspelt would otherwise be off without anybody noticing.
 */
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { nearWord } from '../../compiler/diagnostics/words/near-name.ts';
import { GitRefusal } from './git-refusal.ts';
import { isImageName } from './image-name.ts';
import { readObjects } from './objects.ts';
import type { Repository } from './repository.ts';

export const SETTINGS_FILE = 'kiln.json';

/** What a gate is set to where it is on; missing where it is off. */
export const GATES = { contract: 'guarded', plans: 'guarded', access: 'reviewed' } as const;

export type GateName = keyof typeof GATES;

export interface ProjectSettings {
  /** What the application is called, and so its images. */
  readonly name?: string;
  /** `guarded`: a change that breaks callers of the API needs a reason in a commit. */
  readonly contract?: 'guarded';
  /** Where the sources are published. */
  readonly source?: string;
  /** `guarded`: the test of a push fails where no index serves a statement. */
  readonly plans?: 'guarded';
  /** `reviewed`: a rule of access that lets more callers in needs a reason in a commit. */
  readonly access?: 'reviewed';
}

interface Setting {
  readonly isValid: (value: unknown) => boolean;
  /** Goes on from "`name` in `kiln.json`". */
  readonly otherwise: string;
}

const ALLOWED = 'small letters, digits and single `.`, `_`, `-` between them, as in `acme/blog`';

/** A new setting is a line here and one above. */
const SETTINGS: Readonly<Record<keyof ProjectSettings, Setting>> = {
  name: {
    isValid: (value) => typeof value === 'string' && isImageName(value),
    otherwise: `cannot name an image; it consists of ${ALLOWED}`,
  },
  contract: {
    isValid: (value) => value === 'guarded',
    otherwise: 'can only be `"guarded"`; leave it out where breaking changes need no reason',
  },
  source: {
    isValid: (value) => typeof value === 'string' && isAddress(value),
    otherwise:
      'has to be the address of the sources, such as `https://git.example/acme/blog`, without a password or a token',
  },
  plans: {
    isValid: (value) => value === 'guarded',
    otherwise: 'can only be `"guarded"`; leave it out where a missing index is only a warning',
  },
  access: {
    isValid: (value) => value === 'reviewed',
    otherwise: 'can only be `"reviewed"`; leave it out where weaker rules of access need no reason',
  },
};

const PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:']);

/** Labels and statements are public. */
function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !PROTOCOLS.has(url.protocol) || url.hostname === '') return false;
  // A token may stand for a user; only over SSH a user is no secret.
  return url.password === '' && (url.protocol === 'ssh:' || url.username === '');
}

/** The last settings that were read of a repository, since a build asks for each of them. A revision never changes. */
const lastRead = new WeakMap<Repository, { readonly name: string; readonly settings: ProjectSettings }>();

/** No settings where the revision has no such file. `revision` is a full hash. */
export function projectSettings(repository: Repository, revision: string, folder = repository.folder): ProjectSettings {
  const path = folder === '' ? SETTINGS_FILE : `${folder}/${SETTINGS_FILE}`;
  const name = `${revision}:${path}`;
  const last = lastRead.get(repository);
  if (last?.name === name) return last.settings;
  const settings = settingsNamed(repository, name, path);
  lastRead.set(repository, { name, settings });
  return settings;
}

function settingsNamed(repository: Repository, name: string, path: string): ProjectSettings {
  if (path.includes('\n')) return {};
  const [object] = readObjects(repository, [name]);
  return object?.type === 'blob' ? settingsFromText(object.content.toString('utf8'), path) : {};
}

function settingsFromText(text: string, path: string): ProjectSettings {
  const settings = objectFromText(text, path);
  for (const [key, value] of Object.entries(settings)) mustBeValid(key, value, path);
  return settings;
}

function objectFromText(text: string, path: string): object {
  try {
    const settings: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings;
  } catch (cause) {
    throw new GitRefusal('bad-settings', `\`${path}\` is not JSON: ${visible((cause as Error).message)}`, { cause });
  }
  throw new GitRefusal('bad-settings', `\`${path}\` has to be an object, as in \`{ "name": "blog" }\``);
}

function mustBeValid(key: string, value: unknown, path: string): void {
  const setting = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof ProjectSettings] : undefined;
  if (setting?.isValid(value)) return;
  if (setting) throw new GitRefusal('bad-settings', `\`${key}\` in \`${path}\` ${setting.otherwise}`);
  const known = Object.keys(SETTINGS);
  const near = nearWord(key, known);
  const advice = near ? `did you mean \`${near.name}\`?` : `there are ${known.map((name) => `\`${name}\``).join(', ')}`;
  throw new GitRefusal('bad-settings', `\`${path}\` has an unknown setting \`${visible(key)}\`; ${advice}`);
}
