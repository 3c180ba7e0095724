/** `check`: whether the database of DATABASE_URL can carry out every statement of this image. It runs none of them. */
import { checkApplication } from '../check.ts';
import { configFromEnvironment } from '../config/config-from-environment.ts';
import { applicationFolder, loadDefinition, loadHooks, loadRelease } from '../load/application-folder.ts';
import { createLog } from '../observe/log.ts';
import type { Command } from './command.ts';

export const check: Command = async (environment, say) => {
  const read = configFromEnvironment(environment);
  if (!read.ok) {
    for (const problem of read.problems) say(problem);
    return 1;
  }
  const folder = applicationFolder(environment);
  const { failures } = await checkApplication({
    definition: loadDefinition(folder),
    hooks: await loadHooks(folder),
    release: loadRelease(folder),
    config: read.config,
    log: createLog('silent'),
  });
  for (const { why, senders } of failures) say(`${sendersText(senders)}: ${why}`);
  if (failures.length === 0) process.stdout.write('every statement fits the database\n');
  return failures.length === 0 ? 0 : DOES_NOT_FIT;
};

/** As that of `migrate` where a database and a release do not go together. */
const DOES_NOT_FIT = 3;

const MOST_NAMED = 3;

function sendersText(senders: readonly string[]): string {
  const more = senders.length - MOST_NAMED;
  return senders.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
