/**
 * `check [--plans]`: whether the database of DATABASE_URL can carry out every statement of this image. It runs none of them.
 * With `--plans` it also says which endpoints lack an index.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import { checkApplication } from '../check.ts';
import { configFromEnvironment } from '../config/config.ts';
import { applicationFolder, loadDefinition, loadHooks, loadRelease } from '../load/application-folder.ts';
import { findingText, indexFindings } from '../query/index-advice.ts';
import { type Command, flagsFrom } from './command.ts';

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
  const definition = loadDefinition(folder);
  const { failures } = await checkApplication({
    definition,
    hooks: await loadHooks(folder),
    release: loadRelease(folder),
    config: read.config,
  });
  for (const { why, senders } of failures) say(`${sendersText(senders)}: ${why}`);
  if (failures.length > 0) return DOES_NOT_FIT;
  const lines = ['every statement fits the database', ...(flags.has('plans') ? planLines(definition) : [])];
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

/** The first one sums it up; then there is one for each index of an endpoint. */
function planLines(definition: Definition): readonly string[] {
  const findings = indexFindings(definition);
  const count = definition.endpoints.length;
  const all = `${count} ${count === 1 ? 'endpoint' : 'endpoints'} checked`;
  return [`plans: ${all}, ${findings.length} without an index`, ...findings.map(findingText)];
}
