import type { Definition } from '../../compiler/definition/definition.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import type { Report } from '../../runtime/populate/progress.ts';

interface Populating {
  readonly databaseUrl: string;
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly populator: string;
  readonly seed?: number;
  readonly scale?: number;
  /** Also gets what the bar shows. */
  readonly report?: Report;
}

/** Fills the database, with a bar on a terminal and a line elsewhere. Gives the sentence that says what came of it. */
export async function populateDatabase({
  definition,
  populator,
  report: told,
  ...options
}: Populating): Promise<string> {
  const { populate } = await import('../../runtime/populate/populate.ts');
  const { progressOutput } = await import('../../runtime/populate/progress-output.ts');
  const { report, end } = progressOutput(process.stderr);
  const both: Report = (progress) => {
    report(progress);
    told?.(progress);
  };
  try {
    const { rows, seconds } = await populate(definition, populator, { ...options, report: both });
    return `Populated with ${populator}: ${rows.toLocaleString('en')} records in ${seconds.toFixed(1)} s`;
  } finally {
    end();
  }
}
