import { applicationFolder, loadReleases } from '../load/application-folder.ts';
import type { Command } from './command.ts';

declare const KILN_VERSION: string;

/** `version`: which release this is, and which Kiln serves it. */
export const version: Command = async (environment) => {
  const release = loadReleases(applicationFolder(environment)).releases.at(-1);
  const kiln = typeof KILN_VERSION === 'string' ? KILN_VERSION : 'unknown';
  process.stdout.write(`${JSON.stringify({ revision: release?.revision, schema: release?.fingerprint, kiln })}\n`);
  return 0;
};
