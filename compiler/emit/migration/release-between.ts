/**
 * What one release needs after another, so that both can be served by one database: steps that make it one for the newer
 * release while the older one goes on with what it knows, and steps for when the older one is gone. After those the
 * database equals one that was made from the newer definition.
 */
import type { Change, ChangeKind } from '../../change/change.ts';
import { changesBeside } from '../../change/changes-beside.ts';
import type { Definition } from '../../definition/definition.ts';
import { compatibilitySchema, type Release } from '../../definition/migration.ts';
import { storageFingerprint } from '../../schema/fingerprint.ts';
import { followers } from './followers.ts';
import { inOrder, joined, placedFrom } from './migration-from.ts';
import type { PhasedStep } from './phased-step.ts';
import { madeSchema } from './retirements.ts';

/** What a release has because there was one before it. */
type ReleaseSteps = Required<Pick<Release, 'steps' | 'beside' | 'contract'>>;

export function releaseBetween(previous: Definition, next: Definition): ReleaseSteps {
  return releaseFrom(placedBetween(previous, next));
}

/** In the order in which they are carried out, before neighbours share a transaction. */
interface PlacedRelease {
  readonly beside: string;
  readonly now: readonly PhasedStep[];
  readonly later: readonly PhasedStep[];
}

export function placedBetween(previous: Definition, next: Definition): PlacedRelease {
  const beside = storageFingerprint(previous);
  const placed = placedBeside(changesBeside(previous, next), next, compatibilitySchema(beside));
  return {
    beside,
    now: inOrder(placed.filter(({ isLater }) => !isLater)),
    later: inOrder(placed.filter(({ isLater }) => isLater)),
  };
}

/** A transaction is over one table, or over the two that a key joins: nobody waits for locks of others. */
export function releaseFrom({ beside, now, later }: PlacedRelease): ReleaseSteps {
  return { beside, steps: joined(now, tablesOf), contract: joined(later, tablesOf) };
}

function placedBeside(changes: readonly Change[], next: Definition, schema: string): readonly PhasedStep[] {
  const following = followers(changes, next, schema);
  const needsSchema = following.length > 0 || changes.some(({ kind }) => IN_SCHEMA.has(kind));
  return [...(needsSchema ? madeSchema(schema) : []), ...placedFrom(changes, next, schema), ...following];
}

const IN_SCHEMA: ReadonlySet<ChangeKind> = new Set(['keep-view', 'retire-table', 'retire-enum', 'detach-reference']);

export function tablesOf({ step }: PhasedStep): string {
  const statements = step.kind === 'transaction' ? step.statements : [step.statement];
  const tables = statements.flatMap(({ hazards }) =>
    hazards.flatMap((hazard) => ('table' in hazard ? hazard.table : [])),
  );
  return [...new Set(tables)].sort().join(' ');
}
