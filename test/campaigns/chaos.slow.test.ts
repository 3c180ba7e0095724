/** A short run of the campaign, and whether it would notice what it looks for. */
import { expect } from 'chai';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { AnswerReader } from './chaos/answer-reader.ts';
import { DURABLE, markedApplication, runChaos } from './chaos/campaign.ts';
import { Findings } from './chaos/findings.ts';
import { Ledger, type Outcome, type WrittenNote } from './chaos/ledger.ts';
import { verifyStored } from './chaos/verify.ts';
import { runWhole, WholeFindings } from './chaos/whole.ts';
import { type Databases, startDatabases, withClient } from './databases.ts';
import type { ReceivedAnswer, SentRequest } from './send.ts';
import { type Forward, startTamperingProxy, type Tamper, type TamperingProxy } from './tampering-proxy.ts';

const SEED = 11;
const CLIENTS = 16;

describe('chaos', function () {
  this.timeout(180_000);
  let databases: Databases;

  before(async () => {
    databases = await startDatabases(DURABLE);
  });

  after(() => databases.stop());

  it('finds every write once while backends are killed and Postgres crashes', async () => {
    const findings = await underChaos(databases);
    expect(findings.hasFaults, findings.text()).to.equal(false);
    expect(findings.text()).to.include(': 0 lost, 0 doubled, 0 mixed up, 0 torn, 0 stale, 0 from nowhere');
    expect([findings.kills > 0, findings.crashes > 0]).to.deep.equal([true, true]);
  });

  it('finds what is planted in the answers', async () => {
    const findings = await underChaos(databases, planted);
    const faults = ['lost', 'doubled', 'mixed up', 'stale', 'not documented', 'no answer'] as const;
    expect(
      faults.filter((fault) => findings.of(fault) === 0),
      findings.text(),
    ).to.deep.equal([]);
  });

  it('gives whole answers or none while connections are scarce and lost, statements time out, and the server stops', async () => {
    const findings = new WholeFindings();
    const limit = { requests: 100 };
    // No calm at the start: a machine with much else to do may reach the short limits by itself.
    await runWhole({ databaseUrl: await databases.create(), seed: SEED, limit, clients: 8, calm: 0, findings });
    expect(findings.broken, findings.text()).to.deep.equal([]);
    expect(findings.answers).to.be.greaterThan(0);
  });

  it('finds answers that are not whole', () => {
    const findings = new WholeFindings();
    const see = (status: number, body: string, isCalm = false) =>
      findings.see({ status, body: Buffer.from(body) }, '/', Buffer.from('[1,2]'), isCalm);
    see(200, '[1,2]');
    see(503, '{"status":503}');
    expect(findings.broken).to.deep.equal([]);
    see(200, '[1,');
    see(500, '{"status":500}');
    see(503, '{"status":503}', true);
    expect(findings.broken).to.have.length(3);
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n3\r\n,2]\r\n';
    const reader = new AnswerReader();
    expect(reader.read(Buffer.from(chunked))).to.deep.equal([]);
    expect(String(reader.read(Buffer.from('0\r\n\r\n'))[0]?.body)).to.equal('[1,2]');
    expect(() => reader.read(Buffer.from('tail\r\n\r\n'))).to.throw('no answer begins with');
  });

  it('compares what is stored with what a client was told', async () => {
    const { definition } = await markedApplication();
    const findings = new Findings();
    await withClient(await databases.create(), async (client) => {
      await client.query(schemaSql(schemaFromDefinition(definition)));
      await client.query(ROWS);
      await verifyStored([toldLedger()], client, findings);
    });
    const found = ['lost', 'doubled', 'torn', 'stale', 'from nowhere', 'mixed up'] as const;
    expect(found.map((fault) => [fault, findings.of(fault)])).to.deep.equal([
      // A note, a removal, and a change of the counter.
      ['lost', 3],
      ['doubled', 1],
      ['torn', 1],
      ['stale', 1],
      ['from nowhere', 1],
      ['mixed up', 1],
    ]);
  });
});

async function underChaos(databases: Databases, tamper?: Tamper): Promise<Findings> {
  const findings = new Findings();
  const databaseUrl = await databases.create();
  const proxies: TamperingProxy[] = [];
  const through = async (url: string) => {
    if (tamper) proxies.push(await startTamperingProxy(url, tamper));
    return proxies[0]?.url ?? url;
  };
  const limit = { requests: 400 };
  // Faults are planted in answers, and on a busy machine a crash leaves few of them for a while.
  const crashSeconds = tamper ? 5 : 0.5;
  await runChaos({ databaseUrl, seed: SEED, limit, clients: CLIENTS, crashSeconds, findings, through });
  await Promise.all(proxies.map((proxy) => proxy.close()));
  return findings;
}

// ── What is stored ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Writes 1 and 9 are not there, 2 is twice, 3 lacks a part, 4 has another text, 5 was removed, 6 is of nobody. */
const ROWS = `
  INSERT INTO box (client, counter) VALUES (1, 1), (2, 0);
  INSERT INTO note (box_id, client, sequence, part, text) VALUES
    (1, 1, 2, 'whole', 'b'), (1, 1, 2, 'whole', 'b'),
    (1, 1, 3, 'first', 'c'),
    (1, 1, 4, 'whole', 'x'),
    (1, 1, 5, 'whole', 'e'),
    (1, 1, 6, 'whole', 'f'),
    (1, 1, 8, 'whole', 'h'),
    (2, 1, 7, 'whole', 'g')`;

function toldLedger(): Ledger {
  const ledger = new Ledger(1);
  const write = (sequence: number, text: string, kind: 'note' | 'pair', outcome: Outcome) =>
    ledger.write({ sequence, kind, outcome, id: null, texts: [text] });
  write(1, 'a', 'note', 'done');
  write(2, 'b', 'note', 'done');
  write(3, 'c', 'pair', 'done');
  write(4, 'd', 'note', 'done');
  write(5, 'e', 'note', 'done');
  write(8, 'h', 'note', 'maybe');
  write(9, 'i', 'note', 'maybe');
  ledger.remove(ledger.notes[4] as WrittenNote, 'done');
  ledger.count('done');
  return ledger;
}

// ── Planted faults ──────────────────────────────────────────────────────────────────────────────────────────────────

type Planted = (request: SentRequest, forward: Forward) => Promise<ReceivedAnswer | null>;

/** Of all clients, these are treated badly, each in a way of its own. */
const PLANTED: Readonly<Record<number, Planted>> = {
  1: ({ target, body }, forward) => (target.endsWith('/pair') ? pretended(body) : forward()),
  2: async ({ method }, forward) => {
    if (method === 'POST') await forward();
    return forward();
  },
  3: async (_, forward) => {
    const answer = await forward();
    const isOwn = answer.status < 300 && answer.text.includes('"client":3');
    return isOwn ? { ...answer, text: answer.text.replace('"client":3', '"client":4') } : answer;
  },
  5: ({ method, target }, forward) => (method === 'GET' ? remembered(target, forward) : forward()),
  6: async (_, forward) => {
    const answer = await forward();
    return { ...answer, status: answer.status === 200 ? 206 : answer.status };
  },
  7: async ({ method }, forward) => (method === 'GET' ? null : forward()),
};

const planted: Tamper = (request, forward) => {
  const client = Number(/boxes\/(\d+)/.exec(request.target)?.[1] ?? 0);
  return PLANTED[client]?.(request, forward) ?? forward();
};

/** Acknowledged, and never written. */
async function pretended(body: Buffer | null): Promise<ReceivedAnswer> {
  const { text } = JSON.parse(String(body)) as { readonly text: string };
  return { status: 201, headers: {}, text: JSON.stringify(text), milliseconds: 0 };
}

const FIRST_ANSWERS = new Map<string, ReceivedAnswer>();

/** What was true when it was first asked for. */
async function remembered(target: string, forward: Forward): Promise<ReceivedAnswer> {
  const answer = FIRST_ANSWERS.get(target) ?? (await forward());
  if (answer.status === 200) FIRST_ANSWERS.set(target, answer);
  return answer;
}
