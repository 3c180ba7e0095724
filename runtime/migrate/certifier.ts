/**
 * Certifies a migration: after each statement it looks at what Postgres did, and reports that beside what was predicted.
 * Only where it is asked for, since it costs a query for each statement.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CertifiedStatement } from '../../compiler/definition/certificate.ts';
import type { MigrationStatement } from '../../compiler/definition/migration.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import type { Report, StepPosition } from './events.ts';
import { openSession, prepareSession, type Session } from './session.ts';
import { KnownRelations, type Sight, TransactionWatch, unobserved, type Verdict } from './transaction-watch.ts';

/** The pause between two checks of a session that is about to wait, in milliseconds. */
const PAUSE = 2;
const LONGEST_LOOK = 5000;

/** The session that the certifier itself has, to keep the build of an index from going on. */
const HOLDER = 'kiln migrate (certificate)';

export class Certifier {
  readonly #url: string;
  readonly #session: Session;
  readonly #report: Report;
  readonly #certified = new Set<MigrationStatement>();
  #known: KnownRelations | undefined;

  constructor(url: string, session: Session, report: Report) {
    this.#url = url;
    this.#session = session;
    this.#report = report;
  }

  /** Begins before the steps of a release. Tables that are made from here on are not in use yet. */
  async begin(): Promise<void> {
    this.#known = await KnownRelations.of(this.#session.client, this.#session.schema);
  }

  get #relations(): KnownRelations {
    if (!this.#known) throw new Error('a certifier begins before it looks');
    return this.#known;
  }

  isCertified(statement: MigrationStatement): boolean {
    return this.#certified.has(statement);
  }

  /** Begins to watch a transaction. */
  async transaction(): Promise<CertifiedTransaction> {
    const known = this.#relations;
    const { client, pid } = this.#session;
    const watch = new TransactionWatch(known, (await known.look(client, pid)).held);
    const seen: (readonly [StepPosition, MigrationStatement, Verdict])[] = [];
    return {
      saw: async (place, statement) => {
        seen.push([place, statement, watch.judge(statement, await known.look(client, pid))]);
      },
      committed: () => {
        for (const each of seen) this.#tell(...each);
      },
    };
  }

  notSeen(place: StepPosition, statement: MigrationStatement): void {
    if (!this.isCertified(statement)) this.#tell(place, statement, unobserved(statement));
  }

  /**
   * An index is built in transactions of its own, and holds its locks from the first to the last. Somebody who may write
   * to the table keeps the build waiting at its beginning, for as long as it takes to look at it.
   */
  async index(place: StepPosition, statement: MigrationStatement, build: () => Promise<void>): Promise<void> {
    const unseen = { ...unobserved(statement), isUnseen: true } as const;
    const holder = await this.#holderOf(statement);
    if (!holder) {
      await build();
      return this.#tell(place, statement, unseen);
    }
    try {
      const building = settled(build());
      const sight = await this.#sightOf(holder, building).catch(() => undefined);
      await holder.end();
      await building.done;
      const watch = new TransactionWatch(this.#relations, new Map());
      this.#tell(place, statement, sight ? watch.judge(statement, sight) : unseen);
    } finally {
      await holder.end();
    }
  }

  /** Opens a session that holds the lock; undefined where it cannot be had: then the index is built unobserved. */
  async #holderOf(statement: MigrationStatement): Promise<Session | undefined> {
    const [lock] = unobserved(statement).predicted.locks;
    if (!lock) return undefined;
    const holder = await openSession(this.#url, HOLDER).catch(() => undefined);
    try {
      if (holder) await prepareSession(holder, false);
      await holder?.client.query(
        `BEGIN; SET LOCAL lock_timeout = '1s'; LOCK TABLE ${quotedName(lock.table)} IN ROW EXCLUSIVE MODE`,
      );
      return holder;
    } catch {
      await holder?.end();
      return undefined;
    }
  }

  async #sightOf(holder: Session, building: Settled): Promise<Sight | undefined> {
    const { pid } = this.#session;
    return (await untilWaiting(holder, pid, building)) ? this.#relations.look(holder.client, pid) : undefined;
  }

  #tell({ position, step, phase }: StepPosition, statement: MigrationStatement, verdict: Verdict): void {
    this.#certified.add(statement);
    const place: Pick<CertifiedStatement, 'position' | 'phase' | 'step'> = { position, ...(phase && { phase }), step };
    this.#report({ kind: 'certified', ...place, says: statement.says, ...verdict });
  }
}

export interface CertifiedTransaction {
  saw(place: StepPosition, statement: MigrationStatement): Promise<void>;
  /** Reports the statements of a committed transaction. Those that were rolled back are not reported. */
  committed(): void;
}

interface Settled {
  readonly done: Promise<void>;
  isOver: boolean;
}

function settled(done: Promise<void>): Settled {
  const state: Settled = { done, isOver: false };
  const over = () => {
    state.isOver = true;
  };
  done.then(over, over);
  return state;
}

/** Whether the session waits for the transaction of another one. */
const IS_WAITING = "SELECT FROM pg_locks WHERE pid = $1 AND locktype = 'virtualxid' AND NOT granted";

/** Whether the build waits; it may also have failed at once. */
async function untilWaiting({ client }: Session, pid: number, building: Settled): Promise<boolean> {
  const end = performance.now() + LONGEST_LOOK;
  while (!building.isOver && performance.now() < end) {
    if ((await client.query(IS_WAITING, [pid])).rowCount) return true;
    await sleep(PAUSE);
  }
  return false;
}
