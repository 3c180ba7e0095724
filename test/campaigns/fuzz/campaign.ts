/** One application for some time: clients that send requests and look at every answer, then a look at what is left. */
import { pick, type Random, randomFrom } from '../../../runtime/populate/random.ts';
import { type Limit, overAfter } from '../limit.ts';
import { isTooLongForHttp, type ReceivedAnswer, Sender } from '../send.ts';
import { isReady } from '../server-process.ts';
import { accessProblem, disagreements } from './access.ts';
import { Accounts } from './accounts.ts';
import type { FuzzedApplication } from './applications.ts';
import { checkAnswer, LONGEST_MS, type Problem } from './check-answer.ts';
import { inconsistencies } from './database-check.ts';
import { type FuzzedServer, startFuzzedServer } from './fuzzed-server.ts';
import { FuzzingClient, type Watching } from './fuzzing-client.ts';
import { KnownValues } from './known-values.ts';
import { leaksInAnswer, leaksInLog } from './leaks.ts';
import { type FuzzedOperation, Operations } from './operations.ts';
import { nameOf, type Report, reproOf, reproOfBytes } from './report.ts';
import { type FuzzedRequest, Requests } from './requests.ts';
import { Values } from './values.ts';

interface CampaignSettings {
  readonly application: FuzzedApplication;
  readonly databaseUrl: string;
  readonly seed: number;
  readonly limit: Limit;
  readonly clients: number;
  readonly report: Report;
  /** The operations to call; empty for all. */
  readonly only?: readonly string[];
  /** Another way to the server than the direct one. */
  readonly through?: (url: string) => Promise<string>;
  readonly progress?: (line: string) => void;
}

/** The server may keep what it has learnt, but not grow with every request. */
const MOST_MEGABYTES = 900;
/** In requests, so that what is known does not depend on the speed of the machine. */
const REFRESH_EVERY = 500;
const REPLENISH_EVERY = 5;
const MOST_TRIES = 8;

export async function fuzzApplication(settings: CampaignSettings): Promise<void> {
  const campaign = new Campaign(settings);
  const served = await startFuzzedServer(settings.application, settings.databaseUrl, (line) => campaign.readLog(line));
  try {
    await campaign.run(served);
  } finally {
    await served.stop();
  }
}

class Campaign implements Watching {
  readonly #settings: CampaignSettings;
  readonly #operations: Operations;
  /** Operations that were answered with success, and for whom the last time. */
  readonly #answered = new Map<string, string>();
  #tokens: ReadonlySet<string> = new Set();
  /** Operations that were chosen because they have not been answered with success. */
  readonly #tries = new Map<string, number>();
  #refreshes = 0;
  #number = 0;

  constructor(settings: CampaignSettings) {
    const { document, definition } = settings.application;
    this.#settings = settings;
    this.#operations = new Operations(document, definition);
  }

  async run(served: FuzzedServer): Promise<void> {
    const { application, seed, limit, clients, through = async (url) => url } = this.#settings;
    const { definition } = application;
    const known = new KnownValues(definition, served.client);
    await known.refresh(this.#operations.all);
    const direct = new Sender(served.server.url, LONGEST_MS * 2);
    const sender = new Sender(await through(served.server.url), LONGEST_MS * 2);
    const valuesFor = (random: Random) => new Values(random, this.#operations, known, definition);
    const values = valuesFor(randomFrom(`${seed} accounts`));
    const accounts = new Accounts({
      definition,
      client: served.client,
      sender: direct,
      operations: this.#operations,
      values,
    });
    this.#tokens = accounts.tokens;
    await accounts.prepare();
    this.#checkDisagreements();
    const isOver = overAfter(limit, () => this.#number);
    const running = Array.from({ length: clients }, async (_, at) => {
      const random = randomFrom(`${seed} ${application.name} ${at}`);
      const requests = new Requests(random, valuesFor(random), known);
      const client = new FuzzingClient({ random, requests, known, accounts, sender, campaign: this });
      while (!isOver() && served.server.isAlive()) {
        await this.#refreshNowAndThen(known, accounts, served);
        await client.step();
      }
    });
    await Promise.all(running);
    await this.#lookAtWhatIsLeft(served);
    direct.close();
    sender.close();
  }

  // ── What clients need ─────────────────────────────────────────────────────────────────────────────────────────────

  get #called(): readonly FuzzedOperation[] {
    const { only = [] } = this.#settings;
    return this.#operations.all.filter(({ id }) => only.length === 0 || only.includes(id));
  }

  /** Often one that was never answered with success. */
  chooseOperation(random: Random): FuzzedOperation {
    const all = this.#called;
    const open = all.filter(({ id }) => !this.#answered.has(id));
    if (open.length > 0 && random.next() < 0.4) return this.#tried(pick(open, random), random);
    const chosen = pick(all, random);
    // Whatever ends sessions or removes records is done less often, so that something is left to ask for.
    const isEnding = chosen.method === 'DELETE' || /logout|password|discontinue|purge/i.test(chosen.id);
    return isEnding && random.next() < 0.8 ? pick(all, random) : chosen;
  }

  /** What has failed often is tried less and less often. */
  #tried(operation: FuzzedOperation, random: Random): FuzzedOperation {
    const tries = (this.#tries.get(operation.id) ?? 0) + 1;
    this.#tries.set(operation.id, tries);
    return random.next() < MOST_TRIES / tries ? operation : pick(this.#called, random);
  }

  answeredFor({ id }: FuzzedOperation): string | undefined {
    return this.#answered.get(id);
  }

  see(request: FuzzedRequest, answer: ReceivedAnswer | string): void {
    const { report, seed, application } = this.#settings;
    const number = ++this.#number;
    const isAnswer = typeof answer !== 'string';
    report.countAnswer(request.kind, isAnswer ? answer.status : 'none', isAnswer ? answer.milliseconds : 0);
    report.countCaller(request.caller);
    const url = 'http://127.0.0.1:3000';
    for (const problem of this.#problemsOf(request, answer)) {
      report.fail(application.name, request.operation.id, problem, () =>
        reproOf({ url, seed, number, request, answer }),
      );
    }
    if (isAnswer && answer.status < 300 && request.kind !== 'wild')
      this.#answered.set(request.operation.id, request.caller.name);
    if (number % 200 === 0) this.#showProgress();
  }

  #showProgress(): void {
    const { report, application, progress = () => undefined } = this.#settings;
    const { size } = this.#answered;
    const covered = `${size} of ${this.#called.length} operations`;
    progress(`${application.name}: ${report.requests} requests, ${covered}, ${report.failures.size} failures`);
  }

  #problemsOf(request: FuzzedRequest, answer: ReceivedAnswer | string): readonly Problem[] {
    // Node refuses a head of more than 16 KB before it is a request, and may close the connection without a word.
    if (isTooLongForHttp(request)) return [];
    if (typeof answer === 'string') return [{ rule: 'no answer', detail: answer }];
    const leaks = leaksInAnswer(`${JSON.stringify(answer.headers)}\n${answer.text}`, this.#tokens);
    const operation = this.#operations.at(request.method, request.target);
    const access = operation ? accessProblem(request, operation, answer) : null;
    return [
      ...checkAnswer(request, answer, this.#operations),
      ...leaks.map((detail) => ({ rule: 'leak', detail })),
      ...(access === null ? [] : [{ rule: 'access', detail: access }]),
    ];
  }

  /** A server may refuse, close or say nothing; it must not fail or tell. */
  seeBytes(bytes: Buffer, said: string): void {
    const { report, seed, application } = this.#settings;
    const statuses = [...said.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
    report.countAnswer('broken', statuses[0] ?? 'none');
    const faults = statuses.filter((status) => status >= 500 && ![501, 503, 505].includes(status));
    const problems = [
      ...faults.map((status) => ({ rule: 'server fault', detail: `status ${status}` })),
      ...leaksInAnswer(said, this.#tokens).map((detail) => ({ rule: 'leak', detail })),
    ];
    for (const problem of problems) {
      report.fail(application.name, 'broken bytes', problem, () => reproOfBytes(bytes, seed, said));
    }
  }

  readLog(line: string): void {
    const { report, application, seed } = this.#settings;
    for (const detail of leaksInLog(line, this.#tokens)) {
      report.fail(application.name, 'log', { rule: 'leak in the log', detail }, () => `  seed ${seed}\n  ${line}`);
    }
    if (!line.startsWith('{')) this.#failHere('log', 'a line that is no JSON', line);
    else if (line.includes('"level":"error"') || line.includes('"level":"fatal"')) {
      this.#failHere('error in the log', messageOf(line), line);
    }
  }

  // ── Beside the requests ───────────────────────────────────────────────────────────────────────────────────────────

  #failHere(rule: string, detail: string, repro: string): void {
    const { report, application, seed } = this.#settings;
    report.fail(application.name, '', { rule, detail }, () => `  seed ${seed}\n  ${repro.slice(0, 2000)}`);
  }

  #checkDisagreements(): void {
    for (const detail of disagreements(this.#operations.all)) this.#failHere('access', detail, '');
  }

  async #refreshNowAndThen(known: KnownValues, accounts: Accounts, { server }: FuzzedServer): Promise<void> {
    if (this.#number < (this.#refreshes + 1) * REFRESH_EVERY) return;
    this.#refreshes += 1;
    await known.refresh(this.#operations.all);
    if (this.#refreshes % REPLENISH_EVERY === 0) await accounts.replenish();
    if (server.isAlive()) this.#checkMemory(server.memory());
  }

  #checkMemory(megabytes: number): void {
    if (megabytes > MOST_MEGABYTES) this.#failHere('memory', `more than ${MOST_MEGABYTES} MB`, `${megabytes} MB`);
  }

  async #lookAtWhatIsLeft({ server, client }: FuzzedServer): Promise<void> {
    const { report, application } = this.#settings;
    const all = this.#called;
    const unanswered = all.filter(({ id }) => !this.#answered.has(id));
    report.operations += all.length;
    report.unanswered.push(...unanswered.map((each) => `${application.name} ${nameOf(each)}`));
    if (!server.isAlive()) return this.#failHere('server', 'it ended', '');
    if (!(await isReady(server.url))) this.#failHere('server', 'it is not ready after the run', '');
    const memory = Math.round(server.memory());
    report.notes.push(`${application.name}: ${this.#number} requests, ${memory} MB at the end`);
    for (const detail of await inconsistencies(application.definition, client)) this.#failHere('database', detail, '');
  }
}

function messageOf(line: string): string {
  const { msg, err } = JSON.parse(line) as { readonly msg?: string; readonly err?: { readonly message?: string } };
  return `${msg} ${err?.message ?? ''}`.slice(0, 160);
}
