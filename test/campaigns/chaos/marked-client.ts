/**
 * A client whose every value carries its own number and that of the write. It sends one request at a time, so it knows
 * what each answer must hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pick, type Random } from '../../../runtime/populate/random.ts';
import { checkAnswer } from '../fuzz/check-answer.ts';
import type { FuzzedOperation, Operations } from '../fuzz/operations.ts';
import type { ReceivedAnswer, Sender, SentRequest } from '../send.ts';
import type { Findings } from './findings.ts';
import { Ledger, type Outcome, type WrittenNote } from './ledger.ts';

interface MarkedClientParts {
  readonly random: Random;
  readonly sender: Sender;
  readonly operations: Operations;
  readonly findings: Findings;
}

interface Note {
  readonly id: number;
  readonly client: number;
  readonly sequence: number;
  readonly text: string;
}

interface Said {
  readonly outcome: Outcome;
  readonly status: number | 'none';
  readonly body: unknown;
  /** For whoever reads of a fault. */
  readonly told: string;
}

const NOBODY = { name: 'nobody', token: null, isGood: null } as const;

export class MarkedClient {
  readonly ledger: Ledger;
  readonly #parts: MarkedClientParts;
  #sequence = 0;

  constructor(client: number, parts: MarkedClientParts) {
    this.ledger = new Ledger(client);
    this.#parts = parts;
  }

  get #path(): string {
    return `/api/boxes/${this.ledger.client}`;
  }

  /** Before anything is killed. */
  async prepare(): Promise<void> {
    const { status, told } = await this.#send('POST', '/api/boxes', { client: this.ledger.client });
    if (status !== 201) throw new Error(`a box cannot be made: ${told}`);
  }

  async step(): Promise<void> {
    const { random } = this.#parts;
    const note = this.#someNote();
    const chance = random.next();
    if (chance < 0.25 || !note) await this.#create();
    else if (chance < 0.4) await this.#createPair();
    else if (chance < 0.5) await this.#count();
    else if (chance < 0.65) await this.#read(note);
    else if (chance < 0.8) await this.#change(note);
    else if (chance < 0.87) await this.#list();
    else if (chance < 0.94) await this.#readCounter();
    else await this.#remove(note);
  }

  #someNote(): WrittenNote | undefined {
    const known = this.ledger.known().slice(-20);
    return known.length === 0 ? undefined : pick(known, this.#parts.random);
  }

  // ── Writes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #create(): Promise<void> {
    const sequence = ++this.#sequence;
    const text = this.#mark(sequence);
    const sent = { client: this.ledger.client, sequence, text };
    const { outcome, body, told } = await this.#send('POST', `${this.#path}/notes`, sent);
    const isDone = outcome === 'done' && this.#isOurs(body as Note, { sequence, texts: [text] }, told);
    this.ledger.write({ sequence, kind: 'note', outcome, id: isDone ? (body as Note).id : null, texts: [text] });
  }

  async #createPair(): Promise<void> {
    const sequence = ++this.#sequence;
    const text = this.#mark(sequence);
    const { outcome, body, told } = await this.#send('POST', `${this.#path}/pair`, { sequence, text });
    if (outcome === 'done' && body !== text) this.#parts.findings.found('mixed up', told);
    this.ledger.write({ sequence, kind: 'pair', outcome, id: null, texts: [text] });
  }

  async #count(): Promise<void> {
    const { outcome, body, told } = await this.#send('POST', `${this.#path}/count`);
    if (outcome === 'done' && body !== this.ledger.client) this.#parts.findings.found('mixed up', told);
    this.ledger.count(outcome);
  }

  async #change(note: WrittenNote): Promise<void> {
    const text = this.#mark(++this.#sequence);
    const { outcome, status, body, told } = await this.#send('PATCH', `${this.#path}/notes/${note.id}`, { text });
    if (outcome === 'done') this.#isOurs(body as Note, { sequence: note.sequence, texts: [text] }, told);
    this.#checkMissing(note, status, told);
    this.ledger.change(note, text, outcome);
  }

  async #remove(note: WrittenNote): Promise<void> {
    const { outcome, status, told } = await this.#send('DELETE', `${this.#path}/notes/${note.id}`);
    this.#checkMissing(note, status, told);
    this.ledger.remove(note, status === 404 ? 'done' : outcome);
  }

  // ── Reads ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #read(note: WrittenNote): Promise<void> {
    const { outcome, status, body, told } = await this.#send('GET', `${this.#path}/notes/${note.id}`);
    if (outcome === 'done') this.#isOurs(body as Note, note, told);
    this.#checkMissing(note, status, told);
  }

  /** The newest ones: whatever is certain and newer than the last of them must be there. */
  async #list(): Promise<void> {
    const { outcome, body, told } = await this.#send('GET', `${this.#path}/notes`);
    if (outcome !== 'done') return;
    const { data } = body as { readonly data: readonly Note[] };
    if (data.some(({ client }) => client !== this.ledger.client)) this.#parts.findings.found('mixed up', told);
    const oldest = Math.min(...data.map(({ id }) => id), Number.POSITIVE_INFINITY);
    const expected = this.ledger.notes.filter(({ id, removed }) => id !== null && id > oldest && removed === 'no');
    const missing = expected.filter(({ id }) => !data.some((each) => each.id === id));
    if (missing.length > 0) this.#parts.findings.found('stale', `${told} lacks ${missing.map(({ id }) => id)}`);
  }

  async #readCounter(): Promise<void> {
    const { outcome, body, told } = await this.#send('GET', this.#path);
    if (outcome !== 'done') return;
    const { client, counter } = body as { readonly client: number; readonly counter: number };
    const { findings } = this.#parts;
    if (client !== this.ledger.client) findings.found('mixed up', told);
    else if (!this.ledger.mayCount(counter)) {
      findings.found('stale', `${told}, not ${this.ledger.counted} to +${this.ledger.maybeCounted}`);
    }
  }

  // ── Answers ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #isOurs(note: Note, { sequence, texts }: Pick<WrittenNote, 'sequence' | 'texts'>, told: string): boolean {
    const { findings } = this.#parts;
    const isOurs = note.client === this.ledger.client && note.sequence === sequence;
    if (!isOurs) findings.found('mixed up', told);
    else if (!texts.includes(note.text)) findings.found('stale', `${told}, not ${texts}`);
    return isOurs;
  }

  #checkMissing({ removed }: WrittenNote, status: number | 'none', told: string): void {
    if (status === 404 && removed === 'no') this.#parts.findings.found('lost', told);
  }

  #mark(sequence: number): string {
    return `client ${this.ledger.client}, write ${sequence}`;
  }

  async #send(method: string, target: string, json?: object): Promise<Said> {
    const { sender, findings } = this.#parts;
    const body = json === undefined ? null : Buffer.from(JSON.stringify(json));
    const request = { method, target, headers: body ? { 'content-type': 'application/json' } : {}, body };
    const answer = await sender.send(request);
    const isAnswer = typeof answer !== 'string';
    findings.countAnswer(isAnswer ? answer.status : 'none', isAnswer ? answer.milliseconds : 0);
    const told = `${method} ${target} ${body ?? ''} → ${isAnswer ? `${answer.status} ${answer.text}` : answer}`;
    if (!isAnswer) {
      findings.found('no answer', told);
      return { outcome: 'maybe', status: 'none', body: null, told };
    }
    this.#checkDocumented(request, answer, told);
    // As clients should: with some patience after an error.
    if (answer.status >= 500) await sleep(20 + this.#parts.random.below(100));
    return { outcome: outcomeOf(answer), status: answer.status, body: bodyOf(answer), told };
  }

  #checkDocumented(request: SentRequest, answer: ReceivedAnswer, told: string): void {
    const { operations, findings } = this.#parts;
    const operation = operations.at(request.method, request.target) as FuzzedOperation;
    const made = { ...request, kind: 'valid', caller: NOBODY, operation, pathValues: {} } as const;
    for (const { rule, detail } of checkAnswer(made, answer, operations)) {
      findings.found('not documented', `${rule}: ${detail}: ${told}`);
    }
  }
}

function outcomeOf({ status }: ReceivedAnswer): Outcome {
  if (status < 300) return 'done';
  return status >= 500 ? 'maybe' : 'refused';
}

function bodyOf({ text }: ReceivedAnswer): unknown {
  return text === '' ? null : JSON.parse(text);
}
