import type { Hazard, MigrationStatement } from '../../compiler/definition/migration.ts';
import { shortRevision } from '../query/image-release.ts';
import type { WouldRunEvent } from './events.ts';
import { stepText } from './step-text.ts';

/** What a step would run, with its hazards as comments. */
export function sqlFromEvent(event: WouldRunEvent): readonly string[] {
  const { position, revision, steps, how, statements } = event;
  const head = `-- Release ${position} (${shortRevision(revision)}), ${stepText(event)} of ${steps}: ${HOW[how]}`;
  const lines = how === 'backfill' ? batchSql(event) : statements.flatMap(statementSql);
  const isTransaction = how === 'transaction' || how === 'schema';
  return [head, ...(isTransaction ? ['BEGIN;', ...lines, 'COMMIT;'] : lines), ''];
}

const HOW: Readonly<Record<WouldRunEvent['how'], string>> = {
  schema: 'all tables at once',
  transaction: 'in a transaction',
  index: 'outside of any transaction',
  backfill: 'in batches, each in a transaction',
};

function statementSql({ sql, says, hazards }: MigrationStatement): readonly string[] {
  return [
    `-- ${says}`,
    ...hazards.map((hazard) => `-- Hazard: ${hazardText(hazard)}`),
    `${sql.trim().replace(/;$/, '')};`,
  ];
}

/** As a comment, for with its parameters it runs nowhere as it stands. */
function batchSql({ statements, pending }: WouldRunEvent): readonly string[] {
  const [first, ...rest] = statements.flatMap(statementSql).flatMap((text) => text.split('\n'));
  const asComment = (line: string) => (line.startsWith('-- ') ? line : `--   ${line}`);
  const ids = `-- for the ids of:\n${asComment(pending ?? '')}`;
  return [...(first ? [asComment(first)] : []), ...rest.map(asComment), ids];
}

function hazardText(hazard: Hazard): string {
  switch (hazard.kind) {
    case 'lock':
      return `locks "${hazard.table}" (${hazard.mode}) for a moment`;
    case 'rewrite':
      return `rewrites all of "${hazard.table}" while all other queries on it wait`;
    case 'scan':
      return `reads every row of "${hazard.table}", ${MEANWHILE[hazard.blocks]}`;
    case 'data-loss':
      return `data is lost: ${hazard.what}`;
    case 'may-fail':
      return `may fail: ${hazard.why}`;
    case 'shared-values':
      return `while both releases write: ${hazard.what}`;
  }
}

const MEANWHILE: Readonly<Record<'nothing' | 'writes' | 'everything', string>> = {
  nothing: 'without blocking other queries',
  writes: 'while writes to it wait',
  everything: 'while all queries on it wait',
};
