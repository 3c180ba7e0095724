/** Clients as libraries have them: each keeps its connection, leaves it when it is told to, and then makes a new one. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Received } from './serving.ts';

export interface Tally {
  /** Requests that had their answer. */
  answered: number;
  /** Of them, those that ended their connection. */
  closed: number;
  /** What went wrong with the others. A connection that could not be made carried no request. */
  readonly failures: string[];
}

/** Asks until nobody listens any more. `pause` is in milliseconds, between an answer and the next request. */
export async function askUntilRefused(port: number, pause: () => number, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let number = 0; ; number++) {
    const answer = await request(port, number, agent).catch((error: NodeJS.ErrnoException) => error);
    if (answer instanceof Error && answer.code === 'ECONNREFUSED') break;
    record(answer, tally);
    await sleep(pause());
  }
  agent.destroy();
}

function request(port: number, number: number, agent: Agent): Promise<Received> {
  return number % 2 === 0 ? ask(port, '/fast', { agent }) : ask(port, '/hook', { agent, method: 'POST', body: '' });
}

function record(answer: Received | NodeJS.ErrnoException, tally: Tally): void {
  if (answer instanceof Error) tally.failures.push(`${answer.code}: ${answer.message}`);
  else if (answer.status !== 200) tally.failures.push(String(answer.status));
  else tally.answered++;
  if (!(answer instanceof Error) && answer.headers.connection === 'close') tally.closed++;
}
