/**
 * Looks after each statement of a transaction which locks it holds and which tables it has written anew. Locks stay until
 * the end of the transaction, so what was taken is seen exactly, and what a statement needs it may have from one before.
 */
import type { CertifiedStatement, Effects, TableLock } from '../../compiler/definition/certificate.ts';
import type { Hazard, MigrationStatement } from '../../compiler/definition/migration.ts';
import type { HeldLocks, KnownRelations, KnownTable } from './known-relations.ts';
import { isCovered } from './lock-modes.ts';

/** What is held and written anew after a statement. */
export interface Sight {
  readonly held: HeldLocks;
  readonly rewritten: ReadonlySet<string>;
}

export type Verdict = Pick<CertifiedStatement, 'predicted' | 'observed' | 'unpredicted' | 'missing'>;

const NOTHING: Effects = { locks: [], rewrites: [] };

/** Where there was nothing to see. */
export function unobserved({ hazards }: MigrationStatement): Verdict {
  return { predicted: predictedBy(hazards), observed: null, unpredicted: NOTHING, missing: NOTHING };
}

export class TransactionWatch {
  readonly #known: KnownRelations;
  readonly #predicted: TableLock[] = [];
  #held: HeldLocks;

  /** `held` is what the transaction holds before its first statement: somebody else has predicted that. */
  constructor(known: KnownRelations, held: HeldLocks) {
    this.#known = known;
    this.#held = held;
  }

  judge({ hazards }: MigrationStatement, { held, rewritten }: Sight): Verdict {
    const predicted = predictedBy(hazards);
    this.#predicted.push(...predicted.locks);
    const taken = locksOf(held).filter(({ oid, mode }) => !this.#held.get(oid)?.has(mode));
    this.#held = held;
    const named = (oids: readonly string[]) => oids.flatMap((oid) => this.#known.table(oid) ?? []);
    const isRewritten = (table: string) => named([...rewritten]).some(({ names }) => names.has(table));
    const unpredictedRewrites = named([...rewritten]).filter(({ names }) => !predicted.rewrites.some(isIn(names)));
    return {
      predicted,
      observed: {
        locks: this.#shown(taken, predicted),
        rewrites: named([...rewritten]).map((table) => nameIn(table, predicted.rewrites)),
      },
      unpredicted: {
        locks: taken.flatMap((lock) => (this.#isPredicted(lock) ? [] : this.#tableLock(lock, []))),
        rewrites: unpredictedRewrites.map(({ name }) => name),
      },
      missing: {
        locks: predicted.locks.filter((lock) => !this.#isHeld(lock)),
        rewrites: predicted.rewrites.filter((table) => !isRewritten(table)),
      },
    };
  }

  #isPredicted({ oid, mode }: OwnLock): boolean {
    const names = this.#known.table(oid)?.names ?? new Set();
    return isCovered(
      mode,
      this.#predicted.filter(({ table }) => names.has(table)).map((lock) => lock.mode),
    );
  }

  #isHeld({ table, mode }: TableLock): boolean {
    const own = locksOf(this.#held).filter(({ oid }) => this.#known.table(oid)?.names.has(table));
    return isCovered(
      mode,
      own.map((lock) => lock.mode),
    );
  }

  /** What the statement has taken, and what it needs and the transaction had already. */
  #shown(taken: readonly OwnLock[], { locks }: Effects): readonly TableLock[] {
    const shown = taken.flatMap((lock) => this.#tableLock(lock, locks));
    const had = locks.filter((lock) => this.#isHeld(lock) && !shown.some(({ table }) => table === lock.table));
    return [...shown, ...had];
  }

  #tableLock({ oid, mode }: OwnLock, predicted: readonly TableLock[]): readonly TableLock[] {
    const known = this.#known.table(oid);
    const names = predicted.map(({ table }) => table);
    return known ? [{ table: nameIn(known, names), mode }] : [];
  }
}

interface OwnLock {
  readonly oid: string;
  readonly mode: string;
}

function locksOf(held: HeldLocks): readonly OwnLock[] {
  return [...held].flatMap(([oid, modes]) => [...modes].map((mode) => ({ oid, mode })));
}

/** As the prediction calls it, or else as it is called now. */
function nameIn({ names, name }: KnownTable, predicted: readonly string[]): string {
  return predicted.find(isIn(names)) ?? name;
}

function isIn(names: ReadonlySet<string>): (table: string) => boolean {
  return (table) => names.has(table);
}

function predictedBy(hazards: readonly Hazard[]): Effects {
  return {
    locks: hazards.flatMap((hazard) => (hazard.kind === 'lock' ? [{ table: hazard.table, mode: hazard.mode }] : [])),
    rewrites: hazards.flatMap((hazard) => (hazard.kind === 'rewrite' ? [hazard.table] : [])),
  };
}
