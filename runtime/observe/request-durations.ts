/**
 * `http_request_duration_seconds`. prom-client's own histogram sorts and joins the labels at every observation, and makes
 * all of its text at every reading. Here each route has its counters at hand, and its text is kept until it is asked for
 * again: an application has thousands of routes, and most of them have no request between two readings.
 */
import { Histogram, type Registry } from 'prom-client';

const UPPER_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NAME = 'http_request_duration_seconds';
const HELP = 'How long requests took, by method, route and status.';
const LABELS = ['method', 'route', 'status'] as const;

type Label = (typeof LABELS)[number];

interface Cell {
  readonly labels: Readonly<Record<Label, string | number>>;
  /** As they are written. */
  readonly labelText: string;
  /** The lines at `toldCount` requests. */
  text: string;
  toldCount: number;
  /** How many fell between a bound and the one before it. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** The counters of one method and route. */
export class RouteTally {
  readonly #method: string;
  readonly #route: string;
  /** By status. */
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
    const labelText = LABELS.map((name) => `${name}="${escaped(String(labels[name]))}"`).join(',');
    const counts = UPPER_BOUNDS.map(() => 0);
    const cell: Cell = { labels, labelText, text: '', toldCount: 0, counts, count: 0, sum: 0 };
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

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export class RequestDurations extends Histogram<Label> {
  readonly #tallies = new Map<string, RouteTally>();

  constructor(registry: Registry) {
    super({ name: NAME, help: HELP, labelNames: LABELS, buckets: UPPER_BOUNDS, registers: [registry] });
  }

  /** The same one for the same method and route. */
  tallyFor(method: string, route: string): RouteTally {
    const key = `${method} ${route}`;
    const tally = this.#tallies.get(key) ?? new RouteTally(method, route);
    this.#tallies.set(key, tally);
    return tally;
  }

  /** In the form that Prometheus reads. */
  text(): string {
    const cells = [...this.#tallies.values()].flatMap((tally) => [...tally.cells.values()]);
    return `# HELP ${NAME} ${HELP}\n# TYPE ${NAME} histogram\n${cells.map(textOf).join('')}`;
  }

  /** For a registry that adds up the metrics of several processes. */
  override async get(): ReturnType<Histogram<Label>['get']> {
    const values = this.#samples().map(({ metricName, labels, sharedLabels, value }) => ({
      metricName,
      labels: { ...labels, ...sharedLabels },
      value,
    }));
    return { ...ABOUT, values } as unknown as ReturnType<Histogram<Label>['get']>;
  }

  #samples(): readonly Sample[] {
    return [...this.#tallies.values()].flatMap(({ cells }) => [...cells.values()].flatMap(samplesOf));
  }
}

function textOf(cell: Cell): string {
  if (cell.toldCount === cell.count) return cell.text;
  const { labelText, counts, count, sum } = cell;
  let soFar = 0;
  let text = '';
  for (const [at, le] of UPPER_BOUNDS.entries()) {
    soFar += counts[at] ?? 0;
    text += `${NAME}_bucket{le="${le}",${labelText}} ${soFar}\n`;
  }
  text += `${NAME}_bucket{le="+Inf",${labelText}} ${count}\n`;
  text += `${NAME}_sum{${labelText}} ${sum}\n${NAME}_count{${labelText}} ${count}\n`;
  Object.assign(cell, { text, toldCount: count });
  return text;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

function samplesOf({ labels: sharedLabels, counts, count, sum }: Cell): readonly Sample[] {
  let soFar = 0;
  const buckets = UPPER_BOUNDS.map((le, at) => {
    soFar += counts[at] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le }, sharedLabels, value: soFar };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { le: '+Inf' }, sharedLabels, value: count },
    { metricName: `${NAME}_sum`, labels: {}, sharedLabels, value: sum },
    { metricName: `${NAME}_count`, labels: {}, sharedLabels, value: count },
  ];
}
