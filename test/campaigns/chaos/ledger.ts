/** What one client has written, and what it may rely on: the answers tell what is certain, and what may be. */

/** `maybe`: the answer was an error or did not come, so the write was done once or not at all. */
export type Outcome = 'done' | 'maybe' | 'refused';

export interface WrittenNote {
  readonly sequence: number;
  /** Of a pair, or of a note alone. */
  readonly kind: 'note' | 'pair';
  readonly outcome: Outcome;
  /** Known where a note alone was answered. */
  readonly id: number | null;
  /** Those that it may have now; one where that is certain. */
  texts: readonly string[];
  removed: 'no' | 'maybe' | 'yes';
}

export class Ledger {
  readonly client: number;
  readonly notes: WrittenNote[] = [];
  /** Of the counter: changes that are certain, and such that may have been done. */
  counted = 0;
  maybeCounted = 0;

  constructor(client: number) {
    this.client = client;
  }

  write(note: Omit<WrittenNote, 'removed'>): void {
    if (note.outcome !== 'refused') this.notes.push({ ...note, removed: 'no' });
    if (note.kind === 'pair') this.count(note.outcome);
  }

  count(outcome: Outcome): void {
    if (outcome === 'done') this.counted += 1;
    if (outcome === 'maybe') this.maybeCounted += 1;
  }

  change(note: WrittenNote, text: string, outcome: Outcome): void {
    if (outcome === 'done') note.texts = [text];
    if (outcome === 'maybe') note.texts = [...note.texts, text];
  }

  remove(note: WrittenNote, outcome: Outcome): void {
    if (outcome === 'done') note.removed = 'yes';
    if (outcome === 'maybe') note.removed = 'maybe';
  }

  /** Notes that can be asked for by their id. */
  known(): readonly WrittenNote[] {
    return this.notes.filter(({ id, removed }) => id !== null && removed !== 'yes');
  }

  mayCount(counter: number): boolean {
    return counter >= this.counted && counter <= this.counted + this.maybeCounted;
  }
}
