/** What is stored, against what the clients were told. */
import type pg from 'pg';
import type { Findings } from './findings.ts';
import type { Ledger, WrittenNote } from './ledger.ts';

interface StoredNote {
  readonly sequence: number;
  readonly part: string;
  readonly text: string;
}

export async function verifyStored(ledgers: readonly Ledger[], client: pg.Client, findings: Findings): Promise<void> {
  for (const ledger of ledgers) {
    const notes = await client.query(
      'SELECT note.sequence::int, note.part, note.text FROM note JOIN box ON box.id = note.box_id WHERE box.client = $1 AND note.client = $1',
      [ledger.client],
    );
    const boxes = await client.query('SELECT counter::int FROM box WHERE client = $1', [ledger.client]);
    verifyNotes(ledger, notes.rows, findings);
    verifyCounter(ledger, notes.rows, boxes.rows[0]?.counter ?? -1, findings);
  }
  const { rows } = await client.query('SELECT * FROM note JOIN box ON box.id = box_id WHERE box.client <> note.client');
  for (const row of rows) findings.found('mixed up', JSON.stringify(row));
}

function verifyNotes({ client, notes }: Ledger, stored: readonly StoredNote[], findings: Findings): void {
  const bySequence = new Map<number, StoredNote[]>();
  for (const each of stored) bySequence.set(each.sequence, [...(bySequence.get(each.sequence) ?? []), each]);
  for (const note of notes) {
    findings.writes += 1;
    const found = bySequence.get(note.sequence) ?? [];
    bySequence.delete(note.sequence);
    const told = `client ${client}: ${JSON.stringify(note)}, stored ${JSON.stringify(found)}`;
    verifyNote(note, found, told, findings);
  }
  for (const [sequence, found] of bySequence) {
    findings.found('from nowhere', `client ${client}, write ${sequence}: ${JSON.stringify(found)}`);
  }
}

function verifyNote(note: WrittenNote, found: readonly StoredNote[], told: string, findings: Findings): void {
  const parts = note.kind === 'pair' ? 2 : 1;
  const mustBeThere = note.outcome === 'done' && note.removed === 'no';
  if (found.length > parts) findings.found('doubled', told);
  else if (found.length === 0 && mustBeThere) findings.found('lost', told);
  else if (found.length > 0 && note.removed === 'yes') findings.found('lost', `a removal: ${told}`);
  else if (found.length === 1 && parts === 2) findings.found('torn', told);
  if (found.some(({ text }) => !note.texts.includes(text))) findings.found('stale', told);
}

/** Pairs count too, and whether they were stored is known by now. */
function verifyCounter(ledger: Ledger, stored: readonly StoredNote[], counter: number, findings: Findings): void {
  const pairs = ledger.notes.filter(({ kind }) => kind === 'pair');
  const maybePairs = pairs.filter(({ outcome }) => outcome === 'maybe');
  const storedMaybe = maybePairs.filter(({ sequence }) => stored.some((each) => each.sequence === sequence));
  const least = ledger.counted + storedMaybe.length;
  const most = least + ledger.maybeCounted - maybePairs.length;
  const told = `the counter of client ${ledger.client} is ${counter}, not ${least} to ${most}`;
  if (counter < least) findings.found('lost', told);
  if (counter > most) findings.found('doubled', told);
}
