/** All that `/metrics` shows: requests by route, connections to the database, and the process with its event loop. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { metricsOfAll } from '../workers/metrics-of-all.ts';
import { RequestDurations, type RouteTally } from './request-durations.ts';

interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Where the requests of a method and route are counted. */
  tallyFor(method: string, route: string): RouteTally;
  /** Asked whenever the metrics are read. */
  watchConnections(counts: () => ConnectionCounts): void;
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
