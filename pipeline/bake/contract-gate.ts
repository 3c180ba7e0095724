/** The contract with those who call the API: changes that break it are told, and where it is guarded they need a reason. */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { apiLines } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { projectSettings } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import type { Verdict } from '../smoke/verdict.ts';
import { BuildRefusal } from './build-refusal.ts';
import type { PreparedRelease } from './release-of-revision.ts';
import { BREAKING } from './trailer-keys.ts';

interface Revision {
  readonly repository: Repository;
  readonly revision: string;
  readonly folder: string;
}

/** What was recorded once is not refused later. */
export function mustKeepContract({ repository, revision, folder }: Revision, release: PreparedRelease): void {
  if (release.isRecorded || projectSettings(repository, revision, folder).contract !== 'guarded') return;
  const broken = breakingChanges(release.difference);
  if (broken.length === 0 || release.breaking.length > 0) return;
  const what = `${counted(broken.length)} callers of the API, and \`kiln.json\` has \`"contract": "guarded"\``;
  const ways = `undo ${broken.length === 1 ? 'it' : 'them'}, or give the reason: end a commit message with the line \`${BREAKING}: <reason>\``;
  const shown = apiLines(broken, MOST_LINES, { colour: false }).join('\n');
  throw new BuildRefusal(`${what}; ${ways} (\`git commit --amend\`)`, shown);
}

/** For what is shown of it; the rest is counted. */
export const MOST_LINES = 20;

export function contractVerdict({ difference, breaking }: PreparedRelease): Verdict {
  const of = 'contract';
  if (difference === null) return { of, outcome: 'skipped', says: 'there is no release to compare with', details: [] };
  const broken = breakingChanges(difference);
  if (broken.length === 0) return { of, outcome: 'passed', says: 'no change breaks callers of the API', details: [] };
  const says = `${counted(broken.length)} callers of the API`;
  const details = [
    ...breaking.map((reason) => `reason: ${reason}`),
    ...apiLines(broken, MOST_LINES, { colour: false }),
  ];
  return { of, outcome: 'warned', says, details };
}

function breakingChanges(difference: PlacedDifference | null): PlacedDifference['api'] {
  return (difference?.api ?? []).filter(({ level }) => level === 'breaking');
}

function counted(count: number): string {
  return `${plural(count, 'change')} ${count === 1 ? 'breaks' : 'break'}`;
}
