/**
 * `check [--plans]`: whether the database of DATABASE_URL can carry out every statement of this image. It runs none of them.
 * With `--plans` it also says which of them no index serves.
 */
import { type ApplicationCheck, checkApplication } from '../check.ts';
import { configFromEnvironment } from '../config/config-from-environment.ts';
import { applicationFolder, loadDefinition, loadHooks, loadRelease } from '../load/application-folder.ts';
import { createLog } from '../observe/log.ts';
import type { Command } from './command.ts';
import { flagsFrom } from './flags.ts';

export const check: Command = async (environment, say, args) => {
  const flags = flagsFrom(args, { plans: 'flag' });
  if (typeof flags === 'string') {
    say(flags);
    return 2;
  }
  const read = configFromEnvironment(environment);
  if (!read.ok) {
    for (const problem of read.problems) say(problem);
    return 1;
  }
  const folder = applicationFolder(environment);
  const { failures, plans } = await checkApplication({
    definition: loadDefinition(folder),
    hooks: await loadHooks(folder),
    release: loadRelease(folder),
    config: read.config,
    log: createLog('silent'),
    explainsPlans: flags.has('plans'),
  });
  for (const { why, senders } of failures) say(`${sendersText(senders)}: ${why}`);
  if (failures.length > 0) return DOES_NOT_FIT;
  const lines = ['every statement fits the database', ...(plans ? planLines(plans) : [])];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};

/** As that of `migrate` where a database and a release do not go together. */
const DOES_NOT_FIT = 3;

const MOST_NAMED = 3;

function sendersText(senders: readonly string[]): string {
  const more = senders.length - MOST_NAMED;
  return senders.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The first one sums it up; then there is one for each finding. The test of a push reads them. */
function planLines({ explained, findings, skipped }: NonNullable<ApplicationCheck['plans']>): readonly string[] {
  if (skipped !== null) return [`plans: skipped, since ${skipped}`];
  const lines = findings.map(({ sender, says, advice }) => `${sender} ${says}: ${advice}`);
  const all = `${explained} ${explained === 1 ? 'statement' : 'statements'} explained`;
  return [`plans: ${all}, ${lines.length} without an index`, ...lines];
}
