/**
 * Gates that a trailer opens: changes that break callers of the API, and rules of access that let more callers in. They are
 * told in any case; where the gate is on, a commit has to give the reason.
 */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { accessLines, apiLines } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { gatesOf } from '../git/gates.ts';
import type { GateName } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import type { Verdict } from '../smoke/verdict.ts';
import { BuildRefusal } from './build-refusal.ts';
import type { PreparedRelease } from './release-of-revision.ts';
import { ACCESS, BREAKING } from './trailer-keys.ts';

interface Revision {
  readonly repository: Repository;
  readonly revision: string;
  readonly folder: string;
}

interface TrailerGate {
  readonly name: GateName;
  /** Of the verdict. */
  readonly of: string;
  readonly trailer: string;
  readonly reasons: (release: PreparedRelease) => readonly string[];
  /** How many changes need a reason, and a line for each. */
  readonly found: (difference: PlacedDifference) => { readonly count: number; readonly lines: readonly string[] };
  readonly says: (count: number) => string;
  readonly none: string;
}

/** For what is shown of it; the rest is counted. */
export const MOST_LINES = 20;
const PLAIN = { colour: false };

export const CONTRACT_GATE: TrailerGate = {
  name: 'contract',
  of: 'contract',
  trailer: BREAKING,
  reasons: ({ breaking }) => breaking,
  found: ({ api }) => {
    const broken = api.filter(({ level }) => level === 'breaking');
    return { count: broken.length, lines: apiLines(broken, MOST_LINES, PLAIN) };
  },
  says: (count) => `${plural(count, 'change')} ${count === 1 ? 'breaks' : 'break'} callers of the API`,
  none: 'no change breaks callers of the API',
};

/** A rule that cannot be compared with what it was may let others in. */
export const ACCESS_GATE: TrailerGate = {
  name: 'access',
  of: 'rules of access',
  trailer: ACCESS,
  reasons: ({ reviewed }) => reviewed,
  found: ({ access }) => {
    const weaker = access.filter(({ direction }) => direction === 'weaker' || direction === 'other');
    return { count: weaker.length, lines: accessLines(weaker, MOST_LINES, PLAIN) };
  },
  says: (count) => `${plural(count, 'rule')} of access ${count === 1 ? 'is' : 'are'} weaker, or cannot be compared`,
  none: 'no rule of access is weaker',
};

const TRAILER_GATES: readonly TrailerGate[] = [CONTRACT_GATE, ACCESS_GATE];

/** What was recorded once is not refused later. */
export function mustGiveReasons({ repository, revision, folder }: Revision, release: PreparedRelease): void {
  const gates = gatesOf(repository, revision, folder);
  if (release.isRecorded || release.difference === null) return;
  for (const gate of TRAILER_GATES) {
    const why = gates.get(gate.name);
    const { count, lines } = gate.found(release.difference);
    if (why === undefined || count === 0 || gate.reasons(release).length > 0) continue;
    const ways = `undo ${count === 1 ? 'it' : 'them'}, or give the reason: end a commit message with the line \`${gate.trailer}: <reason>\``;
    throw new BuildRefusal(`${gate.says(count)}, and ${why}; ${ways} (\`git commit --amend\`)`, lines.join('\n'));
  }
}

export function reasonVerdicts(release: PreparedRelease): readonly Verdict[] {
  return TRAILER_GATES.map((gate) => reasonVerdict(gate, release));
}

export function reasonVerdict({ of, found, says, none, reasons }: TrailerGate, release: PreparedRelease): Verdict {
  const { difference } = release;
  if (difference === null) return { of, outcome: 'skipped', says: 'there is no release to compare with', details: [] };
  const { count, lines } = found(difference);
  if (count === 0) return { of, outcome: 'passed', says: none, details: [] };
  const details = [...reasons(release).map((reason) => `reason: ${reason}`), ...lines];
  return { of, outcome: 'warned', says: says(count), details };
}
