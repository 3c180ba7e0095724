/** Tells what a migration would run, and runs none of it. */
import type { MigrationStatement, MigrationStep, ReleaseChain } from '../../compiler/definition/migration.ts';
import type { Place, Report } from './events.ts';
import type { ReleaseState } from './release-state.ts';

/** The revisions that a run would bring. */
export function tellPlan(chain: ReleaseChain, state: ReleaseState, report: Report): readonly string[] {
  switch (state.kind) {
    case 'empty':
      tellSchema(chain, report);
      return chain.releases.map(({ revision }) => revision);
    case 'behind':
      return tellMissing(chain, state.releasesDone, state.stepsDone, report);
    default:
      return [];
  }
}

function tellSchema({ releases, schemaSql }: ReleaseChain, report: Report): void {
  const place = { position: releases.length, revision: releases.at(-1)?.revision ?? '', step: 1, steps: 1 };
  const statement = { sql: schemaSql, says: 'make the tables of the empty database', hazards: [] };
  report({ kind: 'would-run', ...place, how: 'schema', statements: [statement], pending: null });
}

function tellMissing(
  { releases }: ReleaseChain,
  releasesDone: number,
  stepsDone: number,
  report: Report,
): readonly string[] {
  const missing = releases.slice(releasesDone);
  for (const [index, { revision, steps }] of missing.entries()) {
    for (const [at, step] of steps.entries()) {
      if (index === 0 && at < stepsDone) continue;
      tellStep({ position: releasesDone + index + 1, revision, step: at + 1, steps: steps.length }, step, report);
    }
  }
  return missing.map(({ revision }) => revision);
}

function tellStep(place: Place, step: MigrationStep, report: Report): void {
  const pending = step.kind === 'backfill' ? step.pending : null;
  report({ kind: 'would-run', ...place, how: step.kind, statements: statementsOf(step), pending });
}

function statementsOf(step: MigrationStep): readonly MigrationStatement[] {
  return step.kind === 'transaction' ? step.statements : [step.statement];
}
