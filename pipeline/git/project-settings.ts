/**
 * The settings of a project, in its `kiln.json`, as a revision has them. All of them are checked, whichever is read: a
 * misspelt setting would otherwise be off without anybody noticing.
 */

import { basename, dirname, posix } from 'node:path';
import { memoized, memoizedBeside } from '../../compiler/definition/memo.ts';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { nearWord } from '../../compiler/diagnostics/words/near-name.ts';
import { readObjects } from './objects.ts';
import { askGit, type Repository } from './repository.ts';
import { GitRefusal, lineOf } from './run-git.ts';

const SETTINGS_FILE = 'kiln.json';

/** The value of each gate that is on; a gate that is off is missing. */
export const GATES = { contract: 'guarded', plans: 'guarded', access: 'reviewed' } as const;

export type GateName = keyof typeof GATES;

interface ProjectSettings {
  /** The name of the application, and so of its images. */
  readonly name?: string;
  /** `guarded`: a change that breaks callers of the API needs a reason in a commit. */
  readonly contract?: 'guarded';
  /** The URL where the sources are published. */
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
  contract: gate('contract', 'breaking changes need no reason'),
  source: {
    isValid: (value) => typeof value === 'string' && isAddress(value),
    otherwise:
      'has to be the address of the sources, such as `https://git.example/acme/blog`, without a password or a token',
  },
  plans: gate('plans', 'a missing index is only a warning'),
  access: gate('access', 'weaker rules of access need no reason'),
};

function gate(name: GateName, off: string): Setting {
  const on = GATES[name];
  return { isValid: (value) => value === on, otherwise: `can only be \`"${on}"\`; leave it out where ${off}` };
}

const PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:']);

/** Whether the text is an address without secrets: labels and statements are public. */
function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !PROTOCOLS.has(url.protocol) || url.hostname === '') return false;
  // A token may stand for a user; only over SSH a user is no secret.
  return url.password === '' && (url.protocol === 'ssh:' || url.username === '');
}

/** Reads the settings; empty where the revision has no such file. `revision` is a full hash. */
function projectSettings(repository: Repository, revision: string, folder = repository.folder): ProjectSettings {
  return settingsAt(`${revision}:${folder === '' ? '' : `${folder}/`}${SETTINGS_FILE}`, repository);
}

/** Kept for the last revision: a release needs them several times. */
const settingsAt = memoizedBeside((name: string, repository: Repository): ProjectSettings => {
  const [object] = readObjects(repository, [name]);
  const path = name.slice(name.indexOf(':') + 1);
  return object?.type === 'blob' ? settingsFromText(object.content.toString('utf8'), path) : {};
});

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

// ── Gates ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The gates: what a release must not do without a reason. A gate is on if the repository has it (`git config
// kiln.contract guarded`), which no push changes, or if `kiln.json` has it. So the settings of the repository are the
// minimum.

const NAMES = Object.keys(GATES) as readonly GateName[];

/** The gates that are on, and where each is set, in words. */
export type Gates = ReadonlyMap<GateName, string>;

export function gatesOf(repository: Repository, revision: string, folder?: string): Gates {
  const floor = configuredGates(repository);
  const settings = projectSettings(repository, revision, folder);
  const on = NAMES.flatMap((name): readonly (readonly [GateName, string])[] => {
    if (floor.has(name)) return [[name, `the repository has \`git config kiln.${name} ${GATES[name]}\``]];
    return settings[name] === undefined ? [] : [[name, `\`kiln.json\` has \`"${name}": "${GATES[name]}"\``]];
  });
  return new Map(on);
}

/** The gates in the configuration. A misspelt one is rejected, since it would be off without anybody noticing. */
const configuredGates = memoized((repository: Repository): ReadonlySet<GateName> => {
  const valuesOf = configuredValues(repository);
  const on = NAMES.filter((name) => valuesOf(`kiln.${name}`).length > 0);
  const wrong = on.find((name) => valuesOf(`kiln.${name}`).some((value) => value !== GATES[name]));
  if (wrong === undefined) return new Set(on);
  const what = `\`git config kiln.${wrong}\` of the repository can only be \`${GATES[wrong]}\``;
  throw new GitRefusal('bad-settings', `${what}; unset it where the gate is off`);
});

/**
 * Reads all of Kiln's settings through one process: those of the repository, not those of the pusher. Git writes their
 * names in lower case, and a name without a value alone.
 */
export function configuredValues(repository: Repository): (key: string) => readonly string[] {
  const { bytes } = askGit(repository, ['config', '--local', '--null', '--get-regexp', '^kiln\\.']);
  const entries = bytes.toString('utf8').split('\0').filter(Boolean);
  return (key) => {
    const own = entries.filter((entry) => entry.split('\n')[0] === key.toLowerCase());
    return own.map((entry) => entry.slice(key.length + 1));
  };
}

/**
 * Lists the changes of the gates by a release, one sentence each. `before` has those of the release that it is compared
 * with.
 */
export function gateChanges(before: readonly string[], gates: Gates): readonly string[] {
  return NAMES.flatMap((name) => {
    const why = gates.get(name);
    if ((why !== undefined) === before.includes(name)) return [];
    if (why !== undefined) return [`the gate \`${name}\` is on now: ${why}`];
    const floor = `\`git config kiln.${name} ${GATES[name]}\` in the repository would keep it on`;
    return [`the gate \`${name}\` is off now; ${floor}`];
  });
}

// ── Source address ───────────────────────────────────────────────────────────────────────────────────────────────────

// The URL where the sources are published: `source` in `kiln.json`; null where it has none. The remote of a clone is
// not used, because another clone of the same commit may have another one.

export function sourceAddress(repository: Repository, revision: string, folder = repository.folder): string | null {
  return projectSettings(repository, revision, folder).source ?? null;
}

// ── Application name ─────────────────────────────────────────────────────────────────────────────────────────────────

// The name of an application, and so of its images: `name` in `kiln.json`, or the name of its folder or repository.

export function applicationName(repository: Repository, revision: string, folder = repository.folder): string {
  return projectSettings(repository, revision, folder).name ?? nameFrom(repository, folder);
}

/**
 * The title that an image states. It depends on the revision alone: a clone in another folder, or from another remote,
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
function nameOfRepository(repository: Repository): string {
  const { sharedFolder } = repository;
  const isBare = basename(sharedFolder) !== '.git';
  const origin = isBare ? '' : lineOf(askGit(repository, ['config', '--get', 'remote.origin.url']));
  return nameInUrl(origin) ?? nameInUrl(isBare ? sharedFolder : dirname(sharedFolder)) ?? '';
}

/** `git@host:acme/blog.git`, `https://host/acme/blog`, `/srv/git/blog.git`, `../blog/.git`. */
function nameInUrl(url: string): string | undefined {
  const path = url.replace(/\/+$/, '').replace(/\/\.git$/, '');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1).replace(/\.git$/, '');
  return last === '' || last === '.' || last === '..' ? undefined : last;
}

// ── Image name ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names under which an image can be tagged: `blog`, `acme/blog`, `ghcr.io/acme/blog`, `localhost:5000/blog`. */
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\\d+)?';
const IMAGE_NAME = new RegExp(`^(?:${HOST}/)?${PART}(?:/${PART})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const LONGEST = 255;
const LONGEST_PART = 100;

export function isImageName(name: string): boolean {
  return name.length <= LONGEST && IMAGE_NAME.test(name);
}

/**
 * Whether this is the name of an image, with or without a tag. A host may have a port, so the tag follows the last part
 * of the path.
 */
export function isTaggedName(name: string): boolean {
  const at = name.indexOf(':', name.lastIndexOf('/') + 1);
  return at < 0 ? isImageName(name) : isImageName(name.slice(0, at)) && TAG.test(name.slice(at + 1));
}

/** The nearest name of one part: `My Blog` → `my-blog`; nothing where no letter and no digit of it can stay. */
export function imageNameFromText(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/[._-]*[.][._-]*/g, '.')
    .replace(/_{3,}/g, '_')
    .slice(0, LONGEST_PART)
    .replace(/^[._-]+|[._-]+$/g, '');
  return isImageName(name) ? name : undefined;
}
