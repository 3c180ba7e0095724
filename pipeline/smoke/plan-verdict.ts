/** What `check --plans` of an image has written, as the verdict on the plans of its statements. */
import { SmokeFailure } from './smoke-failure.ts';
import type { Verdict } from './verdict.ts';

interface PlanSteps {
  judge(verdict: Verdict): void;
  note(lines: readonly string[]): void;
  run(name: string, work: () => void, detail: string): Promise<void>;
}

/** The statements were explained when they were checked, so this takes no time. */
export async function judgePlans(
  lines: readonly string[],
  plans: 'guarded' | undefined,
  steps: PlanSteps,
): Promise<void> {
  const verdict = planVerdict(lines);
  const isRefused = verdict.outcome === 'warned' && plans === 'guarded';
  steps.judge(isRefused ? { ...verdict, outcome: 'failed' } : verdict);
  await steps.run('plans', () => undefined, verdict.says);
  if (isRefused) throw new SmokeFailure(REFUSED, verdict.details);
  steps.note(verdict.details);
}

const REFUSED = 'Statements of this release lack an index, and `plans` in `kiln.json` is guarded. Add the indexes.';

/** The first line is about the statements; then comes what is said of all plans, and a line for each that lacks an index. */
function planVerdict([, summary = '', ...findings]: readonly string[]): Verdict {
  const of = 'plans';
  const explained = /^plans: (\d+ statements? explained)/.exec(summary)?.[1];
  if (explained === undefined) {
    const why = /^plans: skipped, since (.+)$/.exec(summary)?.[1] ?? 'the base image is of an older Kiln';
    return { of, outcome: 'skipped', says: `no statement was explained, since ${why}`, details: [] };
  }
  if (findings.length === 0) return { of, outcome: 'passed', says: `${explained}, no index is missing`, details: [] };
  const count = findings.length;
  const missing = `${count} ${count === 1 ? 'lacks' : 'lack'} an index`;
  return { of, outcome: 'warned', says: `${explained}, ${missing}`, details: findings };
}
