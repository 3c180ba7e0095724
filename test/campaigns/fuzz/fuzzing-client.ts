/** One of the clients of a run: it chooses what to send and as whom, one request after the other. */
import { pick, type Random } from '../../../runtime/populate/random.ts';
import type { ReceivedAnswer, Sender } from '../send.ts';
import type { Accounts, Caller } from './accounts.ts';
import { brokenBytes } from './broken-bytes.ts';
import type { KnownValues } from './known-values.ts';
import type { FuzzedOperation } from './operations.ts';
import { type Draft, type FuzzedRequest, type Requests, requestOf } from './requests.ts';
import { wildRequest } from './wild.ts';

/** What all clients of a run share: it says what to call, and looks at the answers. */
export interface Watching {
  chooseOperation(random: Random): FuzzedOperation;
  /** Who was answered with success the last time; undefined where nobody was yet. */
  answeredFor(operation: FuzzedOperation): string | undefined;
  see(request: FuzzedRequest, answer: ReceivedAnswer | string): void;
  seeBytes(bytes: Buffer, said: string): void;
}

/** How long a connection with broken bytes may be silent. */
const QUIET_MS = 150;

interface ClientParts {
  readonly random: Random;
  readonly requests: Requests;
  readonly known: KnownValues;
  readonly accounts: Accounts;
  readonly sender: Sender;
  readonly campaign: Watching;
}

export class FuzzingClient {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async step(): Promise<void> {
    const { random, campaign, accounts } = this.#parts;
    const operation = campaign.chooseOperation(random);
    const favourite = campaign.answeredFor(operation);
    if (favourite === undefined && random.next() < 0.5) return this.#tryEverybody(operation);
    const caller = (random.next() < 0.4 ? accounts.named(favourite) : undefined) ?? accounts.any(random);
    const chance = random.next();
    if (chance < 0.04) return this.#sendBytes(operation, caller);
    await this.#send(this.#requestFor(operation, caller, chance));
  }

  #requestFor(operation: FuzzedOperation, caller: Caller, chance: number): FuzzedRequest {
    const { random, requests } = this.#parts;
    const draft = this.#draft(operation, caller);
    if (chance < 0.45) return requestOf(draft, 'valid');
    if (chance < 0.75) return requestOf(requests.spoiled(draft), 'nearly valid');
    return wildRequest(requestOf(draft, 'valid'), random);
  }

  #draft(operation: FuzzedOperation, caller: Caller): Draft {
    const { requests, accounts, random } = this.#parts;
    const draft = requests.draft(operation, caller);
    const isLogin = operation.id === 'authLogin' && random.next() < 0.5;
    return isLogin ? { ...draft, body: accounts.credentials(caller) ?? draft.body } : draft;
  }

  /** The same path as each account in turn, until one of them may and can. */
  async #tryEverybody(operation: FuzzedOperation): Promise<void> {
    const { requests, accounts, random, campaign } = this.#parts;
    const callers = [accounts.any(random), ...accounts.good()];
    const { pathValues } = requests.draft(operation, pick(callers, random));
    for (const caller of callers) {
      if (campaign.answeredFor(operation) !== undefined) return;
      await this.#send(requestOf({ ...this.#draft(operation, caller), pathValues }, 'valid'));
      await this.#send(requestOf(this.#draft(operation, caller), 'valid'));
    }
  }

  async #send(request: FuzzedRequest): Promise<void> {
    const { sender, campaign, known, accounts } = this.#parts;
    const answer = await sender.send(request);
    campaign.see(request, answer);
    if (typeof answer === 'string' || request.kind === 'wild') return;
    known.noteMade(request.caller.name, request.operation, request.pathValues, answer);
    const hasEnded = answer.status === 401 || /logout/i.test(request.operation.id);
    if (hasEnded && request.caller.isGood && request.operation.id !== 'authLogin') await accounts.renew(request.caller);
  }

  async #sendBytes({ template }: FuzzedOperation, { token }: Caller): Promise<void> {
    const { sender, random, campaign } = this.#parts;
    const bytes = brokenBytes(template.replace(/\{\w+\}/g, '1'), token, random);
    campaign.seeBytes(bytes, await sender.sendBytes(bytes, QUIET_MS));
  }
}
