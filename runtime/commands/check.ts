/**
 * `check [--plans] [--jobs]`: whether the database of DATABASE_URL can carry out every statement of this image. It runs none
 * of them. With `--plans` it also says which endpoints lack an index. With `--jobs` it also tries the jobs that wait, one of
 * each kind, and rolls back what they have done.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import { checkApplication } from '../check.ts';
import type { JobCheck } from '../jobs/check-jobs.ts';
import { loadHooks, loadRelease } from '../load/application-folder.ts';
import { findingText, indexFindings } from '../query/index-advice.ts';
import { type Command, configuredIn, flagsFrom } from './command.ts';

export const check: Command = async (environment, say, args) => {
  const flags = flagsFrom(args, { plans: 'flag', jobs: 'flag' });
  if (typeof flags === 'string') {
    say(flags);
    return 2;
  }
  // Statements are the same without the values of settings, and only jobs need them.
  const configured = configuredIn(environment, say, flags.has('jobs'));
  if (!configured) return 1;
  const { folder, definition, settings, config } = configured;
  const { failures, jobs } = await checkApplication({
    definition,
    ...(flags.has('jobs') && { settings }),
    hooks: await loadHooks(folder),
    release: loadRelease(folder),
    config,
  });
  for (const { why, senders } of failures) say(`${sendersText(senders)}: ${why}`);
  for (const failure of jobs?.failures ?? []) say(failure);
  if (failures.length > 0 || jobs?.failures.length) return DOES_NOT_FIT;
  const lines = [
    'every statement fits the database',
    ...(jobs ? [jobsLine(jobs)] : []),
    ...(flags.has('plans') ? planLines(definition) : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};

/** The same exit code as that of `migrate` where a database and a release do not go together. */
const DOES_NOT_FIT = 3;

const MOST_NAMED = 3;

function sendersText(senders: readonly string[]): string {
  const more = senders.length - MOST_NAMED;
  return senders.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function jobsLine({ tried, withCode }: JobCheck): string {
  const untried = withCode.length === 0 ? '' : `; not tried, because they have code: ${withCode.join(', ')}`;
  return `${tried} ${tried === 1 ? 'job' : 'jobs'} of those that wait can be done${untried}`;
}

/** The first one sums it up; then there is one for each index of an endpoint. */
function planLines(definition: Definition): readonly string[] {
  const findings = indexFindings(definition);
  const count = definition.endpoints.length;
  const all = `${count} ${count === 1 ? 'endpoint' : 'endpoints'} checked`;
  return [`plans: ${all}, ${findings.length} without an index`, ...findings.map(findingText)];
}
