/**
 * The development loop: compile, bring the database along, serve; and again whenever a source changes. A mistake is
 * shown, and the last good server goes on.
 */
import { basename, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ChangeProblem } from '../../compiler/change/problems.ts';
import { API, OPENAPI, pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ConsoleActions } from '../../runtime/console/api/console-options.ts';
import type { CompileState } from '../../runtime/console/live/live-event.ts';
import type { LiveRecorder } from '../../runtime/console/live/live-recorder.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import type { Served, StartedServer } from '../../runtime/serve.ts';
import type { SettingValues } from '../../runtime/values/settings.ts';
import { withClient } from '../database/connect.ts';
import { apiDifference } from '../difference/difference-between.ts';
import { apiLines } from '../difference/difference-text.ts';
import type { PlaceOf } from '../difference/subject-place.ts';
import type { ProblemsText, Prompt } from './decide-loss.ts';
import {
  type Decision,
  emptyDatabase,
  hasRows,
  type Loss,
  SyncRefusal,
  type SyncResult,
  syncDatabase,
} from './sync.ts';

export interface Project {
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly settings: SettingValues;
  /** Makes the text of `/openapi.json`. */
  readonly openApi: () => string;
  readonly problemsText: ProblemsText;
  /** The same, as the console shows them. */
  readonly problemsShown: (problems: readonly ChangeProblem[]) => CompileState['problems'];
  /** Finds the place where `was` is written for a rename, and writes it. */
  readonly renames: Pick<Prompt, 'placeOf' | 'write'>;
  /** Places in its sources, for what differs from another definition. */
  readonly placesAgainst: (other: Definition) => PlaceOf;
}

export interface DevTools {
  readonly folder: string;
  readonly databaseUrl: string;
  /** Whether the console is served. */
  readonly hasDocs: boolean;
  /** The key that the console asks for, because other machines can reach it; null where it asks for none. */
  readonly printedKey: string | null;
  /** Receives the result of the last save, for the console. */
  readonly live: Pick<LiveRecorder, 'compiled' | 'updated'>;
  /** Undefined where the sources are not right, which has been said then. */
  compile(): Promise<Project | undefined>;
  /**
   * Asks what to do about data that would be lost. `signal` fires when the sources have changed in the meantime, or the
   * console has answered; `given` are its answers, by the question.
   */
  decide(loss: Loss, project: Project, signal: AbortSignal, given: ReadonlyMap<string, string>): Promise<Decision>;
  start(served: Served, actions: DevServer): Promise<StartedServer>;
  populate(project: Project, populator: string, report?: PopulateReport): Promise<void>;
  say(line: string): void;
  readonly hasColour: boolean;
  /** Says what was thrown, where it is expected; false for anything else. */
  complain(error: unknown, failed: FailedTurn): boolean;
}

interface FailedTurn {
  /** Undefined where it could not be compiled. */
  readonly project: Project | undefined;
  /** Whether a version from before is being served. */
  readonly isServing: boolean;
}

/** Lines about one save; the rest is counted. */
const MOST_CHANGES = 20;

/** The populator that fills an empty database. */
export const POPULATOR = 'Dev';

type PopulateReport = Parameters<ConsoleActions['populate']>[1];

export class DevServer implements ConsoleActions {
  readonly #tools: DevTools;
  #server: StartedServer | null = null;
  /** The project that is served now. */
  #served: Project | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isWanted = false;
  #question: AbortController | null = null;
  #answers: ReadonlyMap<string, string> = new Map();
  #isStopping = false;

  constructor(tools: DevTools) {
    this.#tools = tools;
  }

  /**
   * Brings everything up to date. Changes that come in the meantime are one more turn, and end the question of this one.
   * `start` is when it began, by `performance.now()`.
   */
  update(start = performance.now()): Promise<void> {
    this.#question?.abort();
    this.#answers = new Map();
    if (this.#isWanted) return this.#turn;
    this.#isWanted = true;
    this.#turn = this.#turn.then(() => this.#takeTurn(start));
    return this.#turn;
  }

  /** Takes another turn, in which this question has its answer. Earlier answers hold as long as the sources stay the same. */
  answer(question: string, answer: string): Promise<void> {
    const answers = new Map([...this.#answers, [question, answer]]);
    const turn = this.update();
    this.#answers = answers;
    return turn;
  }

  /** Fills the database with the records of a populator of the sources, for the console. */
  populate(populator: string, report: PopulateReport, signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, (project) => this.#tools.populate(project, populator, report));
  }

  /** Deletes everything in the database and makes its tables again, for the console. */
  reset(signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, async ({ definition }) => {
      const { databaseUrl, say } = this.#tools;
      await withClient(databaseUrl, emptyDatabase);
      await syncDatabase(databaseUrl, definition, async () => 'delete');
      say('The console has emptied the database');
    });
  }

  /** Runs work on the served project, while no change of the sources is being applied. */
  async #inTurn(signal: AbortSignal, work: (project: Project) => Promise<void>): Promise<void> {
    // The answer may take hours. Then nobody would expect this any more.
    if (this.#question !== null) throw new Error('Answer the question about lost data first');
    const result = this.#turn.then(() => (signal.aborted ? undefined : work(this.#served as Project)));
    this.#turn = result.catch(() => undefined);
    await result;
  }

  /** Ends a question that nobody has answered, as one without a terminal ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#question?.abort();
    await this.#turn;
    await this.#server?.stop();
  }

  async #takeTurn(start: number): Promise<void> {
    this.#isWanted = false;
    let project: Project | undefined;
    try {
      project = await this.#tools.compile();
      if (project) await this.#bringUp(project, start);
      else if (this.#server) this.#tools.say('The last good version is still being served.');
    } catch (error) {
      // A user who has ended the command knows that nothing was decided.
      if (this.#isStopping && error instanceof SyncRefusal) return;
      if (!this.#tools.complain(error, { project, isServing: this.#server !== null })) throw error;
    }
  }

  async #decide(loss: Loss, project: Project): Promise<Decision> {
    if (this.#isStopping) return 'unanswered';
    if (this.#isWanted) return 'sources-changed';
    const question = new AbortController();
    this.#question = question;
    try {
      const decision = await this.#tools.decide(loss, project, question.signal, this.#answers);
      if (!question.signal.aborted) return decision;
      return this.#isStopping ? 'unanswered' : 'sources-changed';
    } finally {
      this.#question = null;
    }
  }

  async #bringUp(project: Project, start: number): Promise<void> {
    const { databaseUrl, say } = this.#tools;
    const synced = await syncDatabase(databaseUrl, project.definition, (loss) => this.#decide(loss, project));
    await this.#populateIfEmpty(project, synced);
    if (this.#server) this.#server.reload(project);
    else await this.#begin(project);
    const milliseconds = Math.round(performance.now() - start);
    // Requests that wait for the new version need not wait for the comparison with the one before.
    await setImmediate();
    if (synced.kind === 'changed') for (const done of synced.says) say(`  ${done}`);
    const changes = this.#changes(project);
    for (const line of apiLines(changes, MOST_CHANGES, { colour: this.#tools.hasColour })) say(`  ${line}`);
    this.#tellConsole(changes);
    this.#served = project;
    say(`Ready after ${milliseconds} ms`);
  }

  /** Lists what callers notice of the last save: renaming a model changes its URL, which nobody sees in the source. */
  #changes({ definition, placesAgainst }: Project): ReturnType<typeof apiDifference> {
    if (this.#served === null) return [];
    const { definition: before } = this.#served;
    return apiDifference(before, definition, placesAgainst(before));
  }

  #tellConsole(changes: ReturnType<typeof apiDifference>): void {
    const { live } = this.#tools;
    live.compiled({ problems: [] });
    if (this.#served !== null) live.updated(changes.slice(0, MOST_CHANGES).map(({ says }) => says));
  }

  async #populateIfEmpty(project: Project, { kind }: SyncResult): Promise<void> {
    const { definition } = project;
    const isFirst = this.#server === null || kind === 'created';
    if (!isFirst || !definition.populators.some(({ name }) => name === POPULATOR)) return;
    if (await hasRows(this.#tools.databaseUrl, definition)) return;
    await this.#tools.populate(project, POPULATOR);
  }

  async #begin(project: Project): Promise<void> {
    const { start, say, folder, hasDocs, printedKey } = this.#tools;
    const server = await start(project, this);
    this.#server = server;
    const url = server.url.replace('127.0.0.1', 'localhost');
    say(`Serving ${basename(resolve(folder))}`);
    for (const path of apiPaths(project.definition)) say(`  API       ${url}${path}`);
    if (hasDocs) say(`  console   ${url}/`);
    if (hasDocs && printedKey !== null) say(`  key       ${printedKey} (the console asks for it)`);
    say(`  document  ${url}/${OPENAPI}`);
  }
}

/** `/api`, and `/api/public` for `api Public`; the unnamed one is there where nothing else is. */
function apiPaths({ apis, endpoints }: Definition): readonly string[] {
  const paths = apis.flatMap(({ name }) => {
    const path = endpoints.find(({ api }) => api === name)?.path.slice(0, name === null ? 1 : 2) ?? [];
    return path.length === 0 ? [] : [pathPattern(path)];
  });
  return paths.length === 0 ? [`/${API}`] : [...new Set(paths)];
}
