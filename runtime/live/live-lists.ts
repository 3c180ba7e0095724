/**
 * Live lists. Callers who see the same list are a group, which reads it once for all of them, by the statements of a GET, and
 * sends each what has changed. A change is routed to the groups whose topics it has.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ApiError } from '../errors/api-error.ts';
import type { ClientOptions } from '../query/connections/driver.ts';
import { type Connection, DatabaseError, isOutage } from '../query/database.ts';
import { clientAddress, countedNetwork } from '../request/client-address.ts';
import type { Answer, Exchange, WholeAnswer } from '../request/exchange.ts';
import { type LiveCaller, type LiveReading, type LiveRequest, topicOf } from '../request/live-request.ts';
import { Semaphore } from '../values/semaphore.ts';
import { type Change, ChangeReader } from './change-reader.ts';
import { editsBetween, type Rows, rowsIn } from './edits.ts';
import { eventOf, eventsOf, RESYNC, Stream } from './stream.ts';

export interface LiveOptions {
  readonly connection: Connection;
  readonly client: ClientOptions;
  readonly log: Logger;
  /** The most lists of all streams. */
  readonly most: number;
  readonly trustedProxies: number;
  /** How many groups read at the same time. */
  readonly readers: number;
  /** How often tokens are looked at again, in milliseconds. */
  readonly tokensEvery: number;
  /** The problem document of an error. */
  readonly problemOf: (error: unknown, requestId: string) => WholeAnswer;
}

/** Times in milliseconds. */
const SHORTEST_PAUSE = 50;
const TICK = 1000;
const HEARTBEAT = 25_000;
const RETRY = 1000;
/** Clients come back within this time after the server has stopped. */
const SPREAD = 10_000;

/** The most lists of an account, or of a network where nobody is logged in. */
const MOST_OF_CLIENT = 256;

/** One list of a stream. */
interface Member {
  readonly stream: Stream;
  readonly request: LiveRequest;
  /** The number of the list where a stream has several. */
  readonly index: number | null;
  /** Whose lists are counted together; null for those who cannot be told apart. */
  readonly client: string | null;
  caller: LiveCaller;
  group: Group;
  hasList: boolean;
  checkedAt: number;
  /** The number of times that the caller was looked at: an older answer does not count. */
  checks: number;
  /** Whether the caller may have lost access: nothing is sent, and nothing read, until that is known. */
  isStale: boolean;
  /** Called with the first list, or with the reason why there is none. */
  settle: ((error: unknown) => void) | null;
}

interface Group {
  readonly key: string;
  readonly members: Set<Member>;
  topics: readonly string[];
  last: Pick<Rows, 'hashes' | 'page'> | null;
  /** Whether members get the whole list next. */
  isGap: boolean;
  isDue: boolean;
  isReading: boolean;
  readAt: number;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx would otherwise collect the events.
  'x-accel-buffering': 'no',
};

export class LiveLists {
  readonly #options: LiveOptions;
  readonly #reader: ChangeReader;
  readonly #turns: Semaphore;
  readonly #streams = new Map<Stream, Set<Member>>();
  readonly #groups = new Map<string, Group>();
  readonly #byTopic = new Map<string, Set<Group>>();
  readonly #byAccount = new Map<string, Set<Member>>();
  readonly #byClient = new Map<string, Set<Member>>();
  readonly #tick: NodeJS.Timeout;
  #isStopping = false;
  #lists = 0;
  #changes = 0;
  /** Grows with all that may concern callers. */
  #version = 0;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#turns = new Semaphore(options.readers);
    this.#reader = new ChangeReader({
      ...options,
      changed: (changes) => this.#changed(changes),
      missed: () => this.#missed(),
    });
    this.#tick = setInterval(() => this.#lookAtStreams(), TICK).unref();
  }

  /** For metrics. */
  get state() {
    const age = this.#reader.age;
    return { streams: this.#streams.size, groups: this.#groups.size, changes: this.#changes, age: age ?? 0 };
  }

  /** Something may have been changed by this server. */
  nudge(): void {
    this.#reader.nudge();
  }

  /** A stream of one list. It begins with the list, so an error is the usual answer. */
  async open(request: LiveRequest, exchange: Exchange): Promise<Answer> {
    if (this.#isStopping) return this.#sentAway(exchange);
    const stream = await this.#newStream(exchange, 1);
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = (error: unknown) => (error === undefined ? resolve() : reject(error));
        this.#join(stream, request, null, settle).catch(reject);
      });
    } catch (error) {
      this.#closed(stream);
      throw error;
    }
    return this.#answer(stream);
  }

  /** A stream of several lists, each of which may fail by itself. */
  async openAll(requests: readonly (LiveRequest | ApiError)[], exchange: Exchange): Promise<Answer> {
    if (this.#isStopping) return this.#sentAway(exchange);
    const stream = await this.#newStream(exchange, requests.length);
    for (const [index, request] of requests.entries()) {
      const refuse = (error: unknown) => this.#sendError(stream, index, error);
      if (request instanceof ApiError) refuse(request);
      else void this.#join(stream, request, index, (error) => error !== undefined && refuse(error)).catch(refuse);
    }
    return this.#answer(stream);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#tick);
    this.endAll(SPREAD);
    await this.#reader.stop();
  }

  /** Tells clients to come back, spread over the time. */
  endAll(within: number): void {
    for (const stream of this.#streams.keys()) sayBye(stream, within);
  }

  /** A server that stops still accepts requests for a while. A client gets no list then, but is told when to come back. */
  #sentAway({ id }: Exchange): Answer {
    const stream = new Stream(id, null, 0);
    sayBye(stream, SPREAD);
    return this.#answer(stream);
  }

  // ── Streams ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #newStream({ id, request, response }: Exchange, lists: number): Promise<Stream> {
    const { most, trustedProxies } = this.#options;
    if (this.#lists + lists > most)
      throw new ApiError('unavailable', { detail: 'Too many live lists are open.', retryAfter: 5 });
    const network = countedNetwork(clientAddress(request, trustedProxies), trustedProxies);
    const stream = new Stream(id, network, lists);
    this.#lists += lists;
    this.#streams.set(stream, new Set());
    response.once('close', () => this.#closed(stream));
    if (response.destroyed) this.#closed(stream);
    await this.#reader.start().catch((error: unknown) => {
      this.#closed(stream);
      throw error;
    });
    return stream;
  }

  #answer(stream: Stream): Answer {
    return { status: 200, headers: HEADERS, body: null, begin: (response) => stream.begin(response) };
  }

  #closed(stream: Stream): void {
    for (const member of this.#streams.get(stream) ?? []) this.#leave(member);
    if (this.#streams.delete(stream)) this.#lists -= stream.lists;
    if (this.#streams.size === 0) this.#reader.pause();
  }

  #lookAtStreams(): void {
    const now = performance.now();
    for (const [stream, members] of this.#streams) {
      if (now - stream.sentAt >= HEARTBEAT) stream.beat();
      for (const member of members)
        if ((member.request.hasToken || member.isStale) && now - member.checkedAt >= this.#options.tokensEvery)
          void this.#recheck(member);
    }
  }

  // ── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #join(stream: Stream, request: LiveRequest, index: number | null, settle: Member['settle']): Promise<void> {
    let version = 0;
    const caller = await this.#turns.during(() => {
      version = this.#version;
      return request.caller();
    });
    const members = this.#streams.get(stream);
    if (!members) return;
    const client = caller.account ?? stream.network;
    if (client !== null && (this.#byClient.get(client)?.size ?? 0) >= MOST_OF_CLIENT)
      throw new ApiError('too-many-requests', { detail: 'This caller follows too many live lists.', retryAfter: 5 });
    const member: Member = {
      stream,
      request,
      index,
      client,
      caller,
      group: this.#groupOf(caller.key),
      hasList: false,
      checkedAt: performance.now(),
      checks: 0,
      isStale: caller.account !== null && version !== this.#version,
      settle,
    };
    members.add(member);
    this.#enter(member);
    if (member.isStale) void this.#recheck(member);
  }

  #groupOf(key: string): Group {
    const known = this.#groups.get(key);
    if (known) return known;
    const group: Group = {
      key,
      members: new Set(),
      topics: [],
      last: null,
      isGap: false,
      isDue: false,
      isReading: false,
      readAt: 0,
    };
    this.#groups.set(key, group);
    return group;
  }

  #enter(member: Member): void {
    const { group, caller, client } = member;
    group.members.add(member);
    if (client !== null) addTo(this.#byClient, client, member);
    if (caller.account !== null) addTo(this.#byAccount, caller.account, member);
    this.#due(group);
  }

  #leave(member: Member): void {
    const { group, caller, client, stream } = member;
    group.members.delete(member);
    if (client !== null) removeFrom(this.#byClient, client, member);
    this.#streams.get(stream)?.delete(member);
    if (caller.account !== null) removeFrom(this.#byAccount, caller.account, member);
    if (group.members.size > 0) return;
    this.#setTopics(group, []);
    if (this.#groups.get(group.key) === group) this.#groups.delete(group.key);
  }

  /** The token may have ended, and the values of the caller may be others now. */
  async #recheck(member: Member): Promise<void> {
    const check = ++member.checks;
    const isLatest = () => check === member.checks && this.#streams.get(member.stream)?.has(member) === true;
    member.checkedAt = performance.now();
    try {
      const caller = await this.#turns.during(async () => (isLatest() ? member.request.caller() : null));
      if (caller && isLatest()) this.#move(member, caller);
    } catch (error) {
      if (!isLatest()) return;
      if (isTemporary(error)) member.checkedAt -= this.#options.tokensEvery - RETRY;
      else this.#fail(member, error);
    }
  }

  /** The caller is known again. */
  #move(member: Member, caller: LiveCaller): void {
    const { group, stream } = member;
    member.isStale = false;
    if (caller.key === group.key) {
      member.caller = caller;
      // What was not sent to it meanwhile.
      if (!member.hasList || group.isDue) this.#due(group);
      return;
    }
    this.#leave(member);
    this.#streams.get(stream)?.add(member);
    member.caller = caller;
    member.group = this.#groupOf(caller.key);
    if (member.hasList) this.#send(member, RESYNC);
    member.hasList = false;
    this.#enter(member);
  }

  #send({ stream, index, settle }: Member, events: Buffer): void {
    stream.send(index === null ? events : Buffer.concat([Buffer.from(`id: ${index}\n`), events]), settle !== null);
  }

  #fail(member: Member, error: unknown): void {
    const { stream, index, settle } = member;
    this.#leave(member);
    if (settle) settle(error);
    else this.#sendError(stream, index, error);
  }

  /** A stream without lists ends. */
  #sendError(stream: Stream, index: number | null, error: unknown): void {
    if (!(error instanceof ApiError)) this.#options.log.error({ err: error }, 'a live list failed');
    const events = eventOf('error', String(this.#options.problemOf(error, stream.id).body));
    stream.send(index === null ? events : Buffer.concat([Buffer.from(`id: ${index}\n`), events]));
    if (!this.#streams.has(stream)) return;
    this.#lists--;
    if (--stream.lists === 0) stream.end();
  }

  // ── Changes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #changed(changes: readonly Change[]): void {
    this.#changes += changes.length;
    const rechecked = new Set<Member>();
    const due = new Set<Group>();
    for (const [table, keys] of changes) {
      const isTold = (topic: string) => keys === null && topic.startsWith(topicOf(table));
      const topics = [
        topicOf(table),
        ...(keys ?? []).map((key) => topicOf(table, key)),
        ...(keys === null ? [...this.#byTopic.keys(), ...this.#byAccount.keys()].filter(isTold) : []),
      ];
      for (const topic of topics) {
        for (const group of this.#byTopic.get(topic) ?? []) due.add(group);
        for (const member of this.#byAccount.get(topic) ?? []) rechecked.add(member);
      }
    }
    // What is read for the first time is not known by its topics yet.
    for (const group of this.#groups.values()) if (group.isReading && group.last === null) group.isDue = true;
    this.#addCallers(new Set(changes.map(([table]) => table)), rechecked);
    this.#recheckAll(rechecked);
    for (const group of due) this.#due(group);
  }

  /** Nothing that is read from now on reaches them before it is known what they may see. */
  #recheckAll(members: Iterable<Member>): void {
    this.#version++;
    for (const member of members) {
      member.isStale = true;
      void this.#recheck(member);
    }
  }

  /** Adds the members whose values are read from one of the tables. */
  #addCallers(tables: ReadonlySet<string>, rechecked: Set<Member>): void {
    for (const { members } of this.#groups.values())
      for (const member of members) {
        const { callerTables } = member.request;
        if (callerTables.size === 0) break;
        if ([...callerTables].some((table) => tables.has(table))) rechecked.add(member);
      }
  }

  #missed(): void {
    this.#recheckAll([...this.#byAccount.values()].flatMap((members) => [...members]));
    for (const group of this.#groups.values()) {
      group.isGap = true;
      this.#due(group);
    }
  }

  // ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #due(group: Group): void {
    group.isDue = true;
    if (!group.isReading) void this.#read(group);
  }

  /** Reads until nothing is due any more, with pauses, so that many changes at once are one reading. */
  async #read(group: Group): Promise<void> {
    group.isReading = true;
    while (group.isDue && readerOf(group)) {
      const pause = group.readAt + SHORTEST_PAUSE - performance.now();
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      await this.#turns.during(async () => {
        const reader = readerOf(group);
        if (!reader) return;
        group.isDue = false;
        group.readAt = performance.now();
        await this.#readOnce(group, reader);
      });
    }
    group.isReading = false;
  }

  async #readOnce(group: Group, reader: Member): Promise<void> {
    try {
      this.#deliver(group, await reader.caller.read());
    } catch (error) {
      if (isTemporary(error) && group.last !== null) {
        group.isGap = true;
        setTimeout(() => this.#due(group), RETRY).unref();
      } else
        for (const member of [...group.members])
          if (member.isStale) member.hasList = false;
          else this.#fail(member, error);
    }
  }

  #deliver(group: Group, { body, topics }: LiveReading): void {
    if (group.members.size === 0) return;
    const isFollowed = this.#setTopics(group, topics);
    const rows = rowsIn(body);
    const { last, isGap } = group;
    // What has changed since it was read was not told by topics that are new.
    if (last !== null && !isFollowed) group.isDue = true;
    group.last = { hashes: rows.hashes, page: rows.page };
    group.isGap = false;
    const edits = last ? editsBetween(last.hashes, rows.hashes) : [];
    const isOtherPage = last !== null && last.page !== rows.page;
    let list: Buffer | null = edits === null ? eventOf('list', body) : null;
    const changes = list ?? eventsOf(edits ?? [], rows, isOtherPage);
    for (const member of group.members) {
      if (member.isStale) {
        member.hasList &&= !isGap && changes.length === 0;
        continue;
      }
      // Many edits are longer than the list itself.
      if (!member.hasList || isGap || changes.length > body.length + OVERHEAD) {
        list ??= eventOf('list', body);
        if (member.hasList && isGap) this.#send(member, RESYNC);
        this.#send(member, list);
      } else if (changes.length > 0) this.#send(member, changes);
      member.hasList = true;
      member.settle?.(undefined);
      member.settle = null;
    }
  }

  /** Whether they were the same before. */
  #setTopics(group: Group, topics: readonly string[]): boolean {
    if (topics.length === group.topics.length && topics.every((topic, at) => topic === group.topics[at])) return true;
    for (const topic of group.topics) removeFrom(this.#byTopic, topic, group);
    for (const topic of topics) addTo(this.#byTopic, topic, group);
    group.topics = topics;
    return false;
  }
}

function sayBye(stream: Stream, within: number): void {
  stream.send(eventOf('bye', `{"after":${Math.round(Math.random() * within)}}`));
  stream.end();
}

/** Any of those who may see the list; while there is none, it stays due. */
function readerOf({ members }: Group): Member | undefined {
  for (const member of members) if (!member.isStale) return member;
  return undefined;
}

/** How much longer than the list the events of few rows may be. */
const OVERHEAD = 1000;

/** What passes: the list is read again soon. */
function isTemporary(error: unknown): boolean {
  return isOutage(error) || (error instanceof DatabaseError && error.kind === 'conflict');
}

function addTo<T>(index: Map<string, Set<T>>, key: string, item: T): void {
  const known = index.get(key);
  if (known) known.add(item);
  else index.set(key, new Set([item]));
}

function removeFrom<T>(index: Map<string, Set<T>>, key: string, item: T): void {
  const known = index.get(key);
  known?.delete(item);
  if (known?.size === 0) index.delete(key);
}
