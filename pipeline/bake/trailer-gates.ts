/**
 * Gates that a trailer opens: changes that break callers of the API, and rules of access that let more callers in. They are
 * told in any case; where the gate is on, a commit has to give the reason.
 */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { accessLines, apiLines } from '../difference/difference-text.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { type GateName, gatesOf } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import type { Verdict } from '../smoke/steps.ts';
import { ACCESS, BREAKING, BuildRefusal } from './build-names.ts';
import { liveText } from './compared-releases.ts';
import type { ComparedRelease, PreparedRelease } from './release-of-revision.ts';

interface Revision {
  readonly repository: Repository;
  readonly revision: string;
  readonly folder: string;
}

interface TrailerGate {
  readonly name: GateName;
  /** The subject of the verdict. */
  readonly of: string;
  readonly trailer: string;
  readonly reasons: (release: ComparedRelease) => readonly string[];
  /** How many changes need a reason, in words, and a line for each. */
  readonly found: (difference: PlacedDifference) => Omit<Found, 'reasons'>;
  readonly none: string;
}

/** The number of lines that are shown; the rest is counted. */
export const MOST_LINES = 20;
const PLAIN = { colour: false };

const CONTRACT_GATE: TrailerGate = {
  name: 'contract',
  of: 'contract',
  trailer: BREAKING,
  reasons: ({ breaking }) => breaking,
  found: ({ api }) => {
    const broken = api.filter(({ level }) => level === 'breaking');
    const count = broken.length;
    const says = `${plural(count, 'change')} ${count === 1 ? 'breaks' : 'break'} callers of the API`;
    return { count, says, lines: apiLines(broken, MOST_LINES, PLAIN) };
  },
  none: 'no change breaks callers of the API',
};

/** A rule that cannot be compared with what it was may let others in. */
const ACCESS_GATE: TrailerGate = {
  name: 'access',
  of: 'rules of access',
  trailer: ACCESS,
  reasons: ({ reviewed }) => reviewed,
  found: ({ access }) => {
    const weaker = access.filter(({ direction }) => direction === 'weaker');
    const others = access.filter(({ direction }) => direction === 'other');
    const found = [...weaker, ...others];
    const says = weakerText(weaker.length, others.length);
    return { count: found.length, says, lines: accessLines(found, MOST_LINES, PLAIN) };
  },
  none: 'no rule of access is weaker',
};

function weakerText(weaker: number, others: number): string {
  const rules = (count: number) => `${plural(count, 'rule')} of access`;
  return [
    ...(weaker === 0 ? [] : [`${rules(weaker)} ${weaker === 1 ? 'is' : 'are'} weaker`]),
    ...(others === 0 ? [] : [`${rules(others)} cannot be compared with what ${others === 1 ? 'it was' : 'they were'}`]),
  ].join(', and ');
}

const TRAILER_GATES: readonly TrailerGate[] = [CONTRACT_GATE, ACCESS_GATE];

/**
 * Collects the verdict of each gate on a release, for its report. A release is compared with the newest one that
 * passed, and with each live one: there must be a reason for each comparison. A release that is recorded already is
 * never rejected later.
 */
export function reasonVerdicts(
  { repository, revision, folder }: Revision,
  release: PreparedRelease,
): readonly Verdict[] {
  const gates = gatesOf(repository, revision, folder);
  const compared = comparedWith(release);
  return TRAILER_GATES.map((gate) => {
    const found = compared.map((each) => foundBy(gate, each)).filter(({ count }) => count > 0);
    const why = release.isRecorded ? undefined : gates.get(gate.name);
    const unexplained = found.find(({ reasons }) => reasons.length === 0);
    if (why !== undefined && unexplained !== undefined) throw refusalOf(gate, unexplained, why);
    return verdictOf(gate, found, compared.length === 0);
  });
}

/** `since` is empty for the release that it follows. */
interface Compared extends ComparedRelease {
  readonly since: string;
}

function comparedWith({ difference, breaking, reviewed, live }: PreparedRelease): readonly Compared[] {
  return [
    ...(difference === null ? [] : [{ difference, breaking, reviewed, since: '' }]),
    ...live.map((each) => ({ ...each, since: `since ${liveText(each)}, ` })),
  ];
}

interface Found {
  readonly count: number;
  readonly says: string;
  readonly lines: readonly string[];
  readonly reasons: readonly string[];
}

function foundBy(gate: TrailerGate, compared: Compared): Found {
  const { count, says, lines } = gate.found(compared.difference);
  return { count, says: `${compared.since}${says}`, lines, reasons: gate.reasons(compared) };
}

function refusalOf({ trailer }: TrailerGate, { count, says, lines }: Found, why: string): BuildRefusal {
  const ways = `undo ${count === 1 ? 'it' : 'them'}, or give the reason: end a commit message with the line \`${trailer}: <reason>\``;
  return new BuildRefusal(`${says}, and ${why}; ${ways} (\`git commit --amend\`)`, lines.join('\n'));
}

function verdictOf({ of, none }: TrailerGate, found: readonly Found[], isFirst: boolean): Verdict {
  if (isFirst) return { of, outcome: 'skipped', says: 'there is no release to compare with', details: [] };
  if (found.length === 0) return { of, outcome: 'passed', says: none, details: [] };
  const reasons = [...new Set(found.flatMap((each) => each.reasons))].map((reason) => `reason: ${reason}`);
  const details = [...reasons, ...new Set(found.flatMap(({ lines }) => lines))];
  return { of, outcome: 'warned', says: found.map(({ says }) => says).join(', and '), details };
}
