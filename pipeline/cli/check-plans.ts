/** `kiln check --plans`: which endpoints no index serves, by the plans of a Postgres with the tables of the sources. */

import type pg from 'pg';
import type { Compilation } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaParts } from '../../compiler/definition/migration.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { schemaInParts } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import type { ApplicationCheck } from '../../runtime/check.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { withClient } from '../database/connect.ts';
import { withTemporaryDatabase } from '../database/temporary-database.ts';
import type { Place } from '../difference/placed-difference.ts';
import { placesIn } from '../difference/subject-place.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import { loadHooks } from '../hooks/load-hooks.ts';
import { databaseSentence, withServer } from './local-database.ts';
import { sourceMapOf } from './project.ts';
import { Refusal } from './refusal.ts';
import { localConfig } from './start-config.ts';
import { print, tellPainted, warningMark } from './terminal.ts';

type Plans = NonNullable<ApplicationCheck['plans']>;
type Finding = Plans['findings'][number];

export interface PlacedPlans extends Omit<Plans, 'findings'> {
  /** The place of the endpoint; null where the sources do not have it, as those of accounts. */
  readonly findings: readonly (Finding & { readonly place: Place | null })[];
}

/** Of sources without errors. Why it cannot be found out is thrown, as a sentence. */
export async function plansOf(read: ReadSources, { definition, program }: Compilation): Promise<PlacedPlans> {
  const { findings, ...plans } = await explained(read.folder, definition as Definition);
  const placeOf = placesIn(program as NonNullable<typeof program>, sourceMapOf(read), definition as Definition);
  const placed = findings.map((finding) => ({
    ...finding,
    place: finding.endpoint === null ? null : placeOf({ kind: 'endpoint', id: finding.endpoint }),
  }));
  return { ...plans, findings: placed };
}

async function explained(folder: string, definition: Definition): Promise<Plans> {
  const local = await localConfig({}, process.env);
  if ('problems' in local) throw new Refusal(local.problems.join('\n'));
  const hooks = await hooksOf(folder, definition);
  try {
    return await withServer(folder, local.databaseUrl, (server) =>
      withTemporaryDatabase(server, async (databaseUrl) => {
        await withClient(databaseUrl, (client) => makeTables(client, definition));
        return plansIn({ definition, hooks, config: { ...local.config, databaseUrl } });
      }),
    );
  } catch (error) {
    const sentence = databaseSentence(error);
    if (sentence === undefined) throw error;
    throw new Refusal(sentence);
  }
}

async function makeTables(client: pg.Client, definition: Definition): Promise<void> {
  const made = schemaInParts(schemaFromDefinition(definition));
  for (const part of schemaParts(made)) await client.query(part);
}

type Checked = Parameters<typeof import('../../runtime/check.ts').checkApplication>[0];

async function plansIn(application: Pick<Checked, 'definition' | 'hooks' | 'config'>): Promise<Plans> {
  const { checkApplication } = await import('../../runtime/check.ts');
  const { plans, failures } = await checkApplication({ ...application, explainsPlans: true });
  if (plans === null) throw new Error(`a statement does not fit its own tables: ${failures[0]?.why}`);
  return plans;
}

/** What is wrong with their code has been said by then. */
async function hooksOf(folder: string, definition: Definition): Promise<HookModules> {
  const bundle = await bundleHooks(folder, definition);
  const loaded = bundle && 'text' in bundle ? await loadHooks(folder, bundle.text) : {};
  if (typeof loaded === 'string') throw new Refusal(loaded);
  return loaded;
}

export function reportPlans({ findings, explained: statements, skipped }: PlacedPlans): void {
  for (const { sender, says, advice, place } of findings) {
    const where = place ? `  --> ${place.file}:${place.line}:${place.column}\n` : '';
    tellPainted(`${warningMark()} \`${sender}\` ${says}\n${where}  ${advice}\n`);
  }
  const count = findings.length;
  const all = `Explained ${plural(statements, 'statement')}`;
  if (skipped !== null) print(`No statement was explained: ${skipped}`);
  else if (count === 0) print(`${all}: no index is missing`);
  else print(`${all}: ${plural(count, 'warning')}`);
}
