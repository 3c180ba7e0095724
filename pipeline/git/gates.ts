/**
 * What a release must not do without more. A gate is on where the repository has it (`git config kiln.contract guarded`), which
 * no push changes, or where `kiln.json` has it. So the settings of the repository are the least.
 */
import { memoized } from '../../compiler/definition/memo.ts';
import { GitRefusal } from './git-refusal.ts';
import { GATES, type GateName, projectSettings } from './project-settings.ts';
import { askGit, type Repository } from './repository.ts';

const NAMES = Object.keys(GATES) as readonly GateName[];

/** Where each gate is set that is on, in words. */
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

/** One that is misspelt would be off without anybody noticing, so it is refused. */
const configuredGates = memoized((repository: Repository): ReadonlySet<GateName> => {
  const { bytes } = askGit(repository, [
    'config',
    '--local',
    '--null',
    '--get-regexp',
    `^kiln\\.(${NAMES.join('|')})$`,
  ]);
  const entries = bytes
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.split('\n'));
  for (const [key = '', value = ''] of entries) {
    const name = NAMES.find((each) => key === `kiln.${each}`) as GateName;
    if (value !== GATES[name])
      throw new GitRefusal(
        'bad-settings',
        `\`git config ${key}\` of the repository can only be \`${GATES[name]}\`; unset it where the gate is off`,
      );
  }
  return new Set(entries.map(([key = '']) => key.slice('kiln.'.length) as GateName));
});

/** What a release changes of the gates, one sentence each. `before` are those of the release that it is compared with. */
export function gateChanges(before: readonly string[], gates: Gates): readonly string[] {
  return NAMES.flatMap((name) => {
    const why = gates.get(name);
    if ((why !== undefined) === before.includes(name)) return [];
    if (why !== undefined) return [`the gate \`${name}\` is on now: ${why}`];
    const floor = `\`git config kiln.${name} ${GATES[name]}\` in the repository would keep it on`;
    return [`the gate \`${name}\` is off now; ${floor}`];
  });
}
