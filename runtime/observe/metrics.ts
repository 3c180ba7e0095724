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
  /** A response has null in place of a value that was out of range. */
  countOverflow(model: string): void;
}

/** `isWorker` says that this is one of several processes, whose metrics are added up. */
export function createMetrics(isWorker = false): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new RequestDurations(registry);
  const overflows = overflowCounter(registry);
  return {
    contentType: registry.contentType,
    text: isWorker ? metricsOfAll(registry) : () => registry.metrics(),
    tallyFor: (method, route) => durations.tallyFor(method, route),
    watchConnections: (counts) => gaugeOf(counts, registry),
    jobs: () => jobTally(registry),
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
  /** Counts a try of a job. */
  count(job: string, result: JobResult, seconds: number): void;
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

// ── Request durations ─────────────────────────────────────────────────────────────────────────────────────────────────

// `http_request_duration_seconds`. prom-client's own histogram sorts and joins the labels at every observation. Here each
// route has its counters at hand, and prom-client gets their values when the metrics are read.

const UPPER_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NAME = 'http_request_duration_seconds';
const HELP = 'How long requests took, by method, route and status.';
const LABELS = ['method', 'route', 'status'] as const;

type Label = (typeof LABELS)[number];

interface Cell {
  readonly labels: Readonly<Record<Label, string | number>>;
  /** The number of values between a bound and the previous one. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** The counters of one method and route. */
export class RouteTally {
  readonly #method: string;
  readonly #route: string;
  /** The counts, by status. */
  readonly cells = new Map<number, Cell>();

  constructor(method: string, route: string) {
    this.#method = method;
    this.#route = route;
  }

  observe(status: number, seconds: number): void {
    const cell = this.cells.get(status) ?? this.#cellFor(status);
    cell.count++;
    cell.sum += seconds;
    const bucket = bucketOf(seconds);
    if (bucket < cell.counts.length) cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
  }

  #cellFor(status: number): Cell {
    const labels = { method: this.#method, route: this.#route, status };
    const cell: Cell = { labels, counts: UPPER_BOUNDS.map(() => 0), count: 0, sum: 0 };
    this.cells.set(status, cell);
    return cell;
  }
}

function bucketOf(seconds: number): number {
  let bucket = 0;
  while (bucket < UPPER_BOUNDS.length && seconds > (UPPER_BOUNDS[bucket] ?? 0)) bucket++;
  return bucket;
}

const ABOUT = { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum' } as const;

type Values = ReturnType<Histogram<Label>['get']>;

export class RequestDurations extends Histogram<Label> {
  readonly #tallies = new Map<string, RouteTally>();

  constructor(registry: Registry) {
    super({ name: NAME, help: HELP, labelNames: LABELS, buckets: UPPER_BOUNDS, registers: [registry] });
  }

  /** Returns the same tally for the same method and route. */
  tallyFor(method: string, route: string): RouteTally {
    const key = `${method} ${route}`;
    const tally = this.#tallies.get(key) ?? new RouteTally(method, route);
    this.#tallies.set(key, tally);
    return tally;
  }

  override async get(): Values {
    const values = [...this.#tallies.values()].flatMap(({ cells }) => [...cells.values()].flatMap(samplesOf));
    return { ...ABOUT, values } as unknown as Values;
  }

  /** A registry asks a histogram for this when it makes its text. The types of prom-client leave it out. */
  getForPromString(): Values {
    return this.get();
  }
}

function samplesOf({ labels, counts, count, sum }: Cell) {
  let soFar = 0;
  const buckets = UPPER_BOUNDS.map((le, at) => {
    soFar += counts[at] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: soFar };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
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
