/** What the command line says: `tsx bench/api/api.ts [--seconds 5] [--only R1,R3] …`. */
import { parseArgs } from 'node:util';
import { type Contestant, contestants } from './contestants.ts';

const workloads = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6'] as const;
export type Workload = (typeof workloads)[number];

export interface Options {
  /** Of one measurement. */
  readonly seconds: number;
  /** Once for each server and workload. */
  readonly warmup: number;
  readonly rounds: number;
  readonly only: readonly Workload[];
  readonly peers: readonly Contestant[];
  /** Another checkout of Kiln, built, that takes part as `kiln before`. */
  readonly before: string | null;
  /** Whether Kiln also takes part as `kiln without log`: the others have no log either. */
  readonly withoutLog: boolean;
  /** Whether to measure R1 beside a slow endpoint, instead of the workloads. */
  readonly slow: boolean;
  /** How many models to measure R1 and the start with, instead of the workloads. */
  readonly models: number | null;
  /** With which numbers of processes to measure the workloads, instead of against other servers. */
  readonly workers: readonly number[] | null;
  readonly json: boolean;
}

export function optionsFromArguments(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      warmup: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: workloads.join(',') },
      peers: { type: 'string', default: contestants.join(',') },
      before: { type: 'string' },
      'without-log': { type: 'boolean', default: false },
      slow: { type: 'boolean', default: false },
      models: { type: 'string' },
      workers: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    seconds: count('--seconds', values.seconds),
    warmup: count('--warmup', values.warmup),
    rounds: count('--rounds', values.rounds),
    only: chosen('--only', values.only, workloads),
    peers: chosen('--peers', values.peers, contestants),
    before: values.before ?? null,
    withoutLog: values['without-log'],
    slow: values.slow,
    models: values.models === undefined ? null : count('--models', values.models),
    workers: values.workers === undefined ? null : values.workers.split(',').map((text) => count('--workers', text)),
    json: values.json,
  };
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${option} takes a whole number above 0, not \`${text}\``);
  return Number(text);
}

/** In the order in which they are known. */
function chosen<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !known.some((other) => other === name));
  if (unknown.length > 0) throw new Error(`${option} knows ${known.join(', ')}, not \`${unknown.join(', ')}\``);
  return known.filter((name) => wanted.includes(name));
}
