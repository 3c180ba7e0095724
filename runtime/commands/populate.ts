/** `populate [--populator Dev] [--seed 1] [--clock 2026-01-01] [--scale 1]`: adds the records of a populator to the database of DATABASE_URL. */
import { configFromEnvironment } from '../config/config.ts';
import { applicationFolder, loadDefinition, loadHooks } from '../load/application-folder.ts';
import { populate as fill } from '../populate/populate.ts';
import { progressOutput } from '../populate/progress.ts';
import { type Command, databaseUrlIn, flagsFrom } from './command.ts';

export const populate: Command = async (environment, say, args) => {
  const flags = flagsFrom(args, { populator: 'value', seed: 'value', clock: 'value', scale: 'value' });
  if (typeof flags === 'string') {
    say(flags);
    return 2;
  }
  const databaseUrl = databaseUrlIn(environment, say, 'populate');
  if (databaseUrl === null) return 1;
  const clock = flags.get('clock');
  const folder = applicationFolder(environment);
  const configured = configFromEnvironment(environment);
  const { report, end } = progressOutput(process.stderr);
  try {
    const { rows, seconds } = await fill(loadDefinition(folder), flags.get('populator') ?? 'Dev', {
      databaseUrl,
      seed: Number(flags.get('seed') ?? 1),
      ...(clock !== undefined && { clock }),
      scale: Number(flags.get('scale') ?? 1),
      hooks: await loadHooks(folder),
      files: configured.ok ? configured.config.files : null,
      report,
    });
    process.stdout.write(`${rows} records in ${seconds.toFixed(1)} s\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'PopulateError') throw error;
    say(error.message);
    return 1;
  } finally {
    end();
  }
};
