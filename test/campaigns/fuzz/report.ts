/** What a run has seen, and how its failures can be seen again. */
import type { ReceivedAnswer } from '../send.ts';
import type { Caller } from './accounts.ts';
import type { Problem } from './check-answer.ts';
import type { FuzzedOperation } from './operations.ts';
import type { FuzzedRequest } from './requests.ts';

interface Failure extends Problem {
  readonly application: string;
  /** The operation, or another place. */
  readonly place: string;
  /** How to see it again. */
  readonly repro: string;
  /** How often it was seen. */
  count: number;
}

const MOST_FAILURES = 100;

export class Report {
  readonly statuses = new Map<string, number>();
  readonly kinds = new Map<string, number>();
  /** Requests by who has sent them. */
  readonly callers = new Map<string, number>();
  readonly failures = new Map<string, Failure>();
  readonly notes: string[] = [];
  /** Operations that were never answered with success, by application. */
  readonly unanswered: string[] = [];
  operations = 0;
  requests = 0;
  slowest = 0;

  countAnswer(kind: string, status: number | 'none', milliseconds = 0): void {
    this.requests += 1;
    this.slowest = Math.max(this.slowest, milliseconds);
    add(this.statuses, String(status));
    add(this.kinds, kind);
  }

  countCaller({ isGood }: Caller): void {
    add(this.callers, isGood === null ? 'nobody' : isGood ? 'signed in' : 'with an invalid token');
  }

  /** The same failure of the same place is kept once. */
  fail(application: string, place: string, problem: Problem, repro: () => string): void {
    const key = `${application} ${place} ${problem.rule} ${problem.detail.replace(/\d+ ms/, '')}`.slice(0, 300);
    const known = this.failures.get(key);
    if (known) known.count += 1;
    else if (this.failures.size < MOST_FAILURES) {
      this.failures.set(key, { ...problem, application, place, repro: repro(), count: 1 });
    }
  }

  text(): string {
    const failures = [...this.failures.values()].map(failureText);
    return [
      `${this.requests} requests (${listed(this.kinds)})`,
      `by status: ${listed(this.statuses)}`,
      `by caller: ${listed(this.callers)}`,
      `slowest answer: ${Math.round(this.slowest)} ms`,
      ...this.notes,
      `${this.operations - this.unanswered.length} of ${this.operations} operations were answered with success`,
      ...this.unanswered.map((each) => `  never: ${each}`),
      `${failures.length} failures`,
      ...failures,
    ].join('\n');
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ');
}

function failureText({ application, place, rule, detail, repro, count }: Failure): string {
  return `\n✗ ${application} ${place}: ${rule}: ${detail} (${count} times)\n${repro}`;
}

interface Reproduced {
  readonly url: string;
  readonly seed: number;
  readonly number: number;
  readonly request: FuzzedRequest;
  readonly answer: ReceivedAnswer | string;
}

export function reproOf({ url, seed, number, request, answer }: Reproduced): string {
  const said = typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`;
  return [
    `  seed ${seed}, request ${number}, ${request.kind}, as ${request.caller.name}, for ${request.operation.id}`,
    `  ${curlOf(url, request)}`,
    `  → ${shortened(said)}`,
  ].join('\n');
}

export function reproOfBytes(bytes: Buffer, seed: number, said: string): string {
  const sent = bytes.length <= 2000 ? bytes : bytes.subarray(0, 2000);
  return `  seed ${seed}\n  echo ${sent.toString('base64')} | base64 -d | nc HOST PORT\n  → ${shortened(said)}`;
}

export function curlOf(url: string, { method, target, headers, body }: FuzzedRequest): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`);
  const parts = ['curl -i --path-as-is -X', method, quoted(url + target), ...named];
  return [...parts, ...(body === null ? [] : [dataOf(body)])].join(' ');
}

function dataOf(body: Buffer): string {
  const text = body.toString('utf8');
  const isPlain = Buffer.from(text).equals(body) && !/[\u0000-\u001f]/.test(text);
  if (isPlain && text.length <= 2000) return `--data-binary ${quoted(text)}`;
  return `--data-binary @- <<< "$(echo ${body.subarray(0, 1500).toString('base64')} | base64 -d)" # ${body.length} bytes`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function shortened(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 600)}…`;
}

export function nameOf({ id, template }: FuzzedOperation): string {
  return `${id} (${template})`;
}
