/** All that `/metrics` shows: requests by route, connections to the database, and the process with its event loop. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isMetricsReply, type MetricsRequest } from '../workers/messages.ts';

interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** The counter of the requests of a method and route. */
  tallyFor(method: string, route: string): RouteTally;
  /** Sets the function that is called whenever the metrics are read. */
  watchConnections(counts: () => ConnectionCounts): void;
  /** The metrics of jobs, for a server that works on them. */
  jobs(): JobTally;
  /** Sets the function that is called whenever the metrics are read, for an application with live lists. */
  watchLive(state: () => LiveState): void;
  /** Sets what is read whenever the metrics are read, for a server with replicas. */
  watchReplicas(replicas: ReplicaCounts): void;
  /** A response has null in place of a value that was out of range. */
  countOverflow(model: string): void;
}

/** `isWorker` says that this is one of several processes, whose metrics are added up. */
export function createMetrics(isWorker = false): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = requestDurations(registry);
  const overflows = overflowCounter(registry);
  return {
    contentType: registry.contentType,
    text: isWorker ? metricsOfAll(registry) : () => registry.metrics(),
    tallyFor: (method, route) => ({
      observe: (status, seconds) => durations.observe({ method, route, status }, seconds),
    }),
    watchConnections: (counts) => gaugeOf(counts, registry),
    jobs: () => jobTally(registry),
    watchLive: (state) => liveGauges(state, registry),
    watchReplicas: (replicas) => replicaGauges(replicas, registry),
    countOverflow: (model) => overflows.inc({ model }),
  };
}

function overflowCounter(registry: Registry): Counter<'model'> {
  return new Counter({
    name: 'kiln_overflows_total',
    help: 'Reads of records in which a computed value was out of range and null was used instead.',
    labelNames: ['model'],
    registers: [registry],
  });
}

function gaugeOf(counts: () => ConnectionCounts, registry: Registry): void {
  new Gauge({
    name: 'kiln_database_connections',
    help: 'Connections to the database by state; `waiting` are requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(counts())) this.set({ state }, count);
    },
  });
}

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type JobResult = 'done' | 'failed' | 'retried' | 'gone';

export interface JobTally {
  /** Counts a try of a job. `error` says why it failed. */
  count(job: string, result: JobResult, seconds: number, error: string | undefined): void;
  /** Sets the function that is called whenever the metrics are read. It gives null where that is not known. */
  watch(backlog: () => Promise<Backlog | null>): void;
}

interface Backlog {
  readonly waiting: number;
  readonly oldestSeconds: number;
}

function jobTally(registry: Registry): JobTally {
  const tries = new Histogram({
    name: 'kiln_job_duration_seconds',
    help: 'How long tries of jobs took, by job and result: `done`, `retried`, `failed` for good, or `gone` with a record.',
    labelNames: ['job', 'result'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600],
    registers: [registry],
  });
  return {
    count: (job, result, seconds) => tries.observe({ job, result }, seconds),
    watch: (backlog) => backlogGauges(backlog, registry),
  };
}

/** All servers have the same backlog, so that of several workers is not added up. */
function backlogGauges(backlog: () => Promise<Backlog | null>, registry: Registry): void {
  const oldest = new Gauge({
    name: 'kiln_jobs_oldest_seconds',
    help: 'How long the oldest job that is due has waited.',
    aggregator: 'max',
    registers: [registry],
  });
  new Gauge({
    name: 'kiln_jobs_waiting',
    help: 'Jobs that are due and wait; of each kind at most 10,000 are counted.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const found = await backlog();
      this.remove();
      oldest.remove();
      if (found === null) return;
      this.set(found.waiting);
      oldest.set(found.oldestSeconds);
    },
  });
}

// ── Live lists ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface LiveState {
  readonly streams: number;
  readonly groups: number;
  /** How many changes were read. */
  readonly changes: number;
  /** The time since changes were last read, in milliseconds. */
  readonly age: number;
}

function liveGauges(state: () => LiveState, registry: Registry): void {
  new Gauge({
    name: 'kiln_live',
    help: 'Open streams of live lists, and groups of callers who share a query.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      const { streams, groups } = state();
      this.set({ of: 'streams' }, streams);
      this.set({ of: 'groups' }, groups);
    },
  });
  new Counter({
    name: 'kiln_live_changes_total',
    help: 'Changes of records that were read for live lists.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(state().changes);
    },
  });
  new Gauge({
    name: 'kiln_live_lag_seconds',
    help: 'The time since changes were last read for live lists; 0 without streams.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(state().age / 1000);
    },
  });
}

// ── Replicas ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ReplicaCounts {
  lags(): readonly (readonly [name: string, seconds: number])[];
  readonly reads: Readonly<Record<'replica' | 'primary', number>>;
}

function replicaGauges(replicas: ReplicaCounts, registry: Registry): void {
  new Gauge({
    name: 'kiln_replica_lag_seconds',
    help: 'How old the data of a replica can be at most; `+Inf` before anything is known of it.',
    labelNames: ['replica'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      for (const [replica, seconds] of replicas.lags()) this.set({ replica }, seconds);
    },
  });
  new Counter({
    name: 'kiln_reads_total',
    help: 'Requests that might read on a replica, by where they did: `replica` or `primary`.',
    labelNames: ['on'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [on, count] of Object.entries(replicas.reads)) this.inc({ on }, count);
    },
  });
}

// ── Request durations ────────────────────────────────────────────────────────────────────────────────────────────────

/** The counters of one method and route. */
export interface RouteTally {
  observe(status: number, seconds: number): void;
}

function requestDurations(registry: Registry): Histogram<'method' | 'route' | 'status'> {
  return new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
}

// ── Metrics of all ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The metrics of all workers together, whichever of them is asked. */
function metricsOfAll(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  // This makes the worker answer the primary.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | null) => void>();
  process.on('message', (message) => {
    if (!isMetricsReply(message)) return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  let last = 0;
  return async () => {
    const id = ++last;
    const text = await new Promise<string | null>((resolve) => {
      waiting.set(id, resolve);
      process.send?.({ kiln: 'metrics', id } satisfies MetricsRequest);
    });
    if (text === null) throw new Error('not all workers have told their metrics in time');
    return text;
  };
}
