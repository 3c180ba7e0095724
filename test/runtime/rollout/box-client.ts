/**
 * A client with a box of records. It sends one request at a time, so it knows what each release must show of each record:
 * an answer that is an error or shows anything else is a mistake.
 */
import { pick, type Random } from '../../../runtime/populate/random.ts';
import { type Collection, isShown, type Side, type View, type Write } from './rollout-case.ts';
import type { Answer, ReleaseName, Traffic } from './traffic.ts';

interface Known {
  readonly id: number;
  views: Readonly<Record<ReleaseName, View>>;
}

const MOST_RECORDS = 15;
const NUMBERS_OF_A_CLIENT = 1_000_000;

export class BoxClient {
  readonly #client: number;
  readonly #collection: Collection;
  readonly #traffic: Traffic;
  readonly #random: Random;
  readonly #records: Known[] = [];
  #box = 0;
  #writes = 0;
  /** Its box has rows that it knows nothing of, and their number stays. */
  #isShared = false;

  constructor(client: number, collection: Collection, traffic: Traffic, random: Random) {
    this.#client = client;
    this.#collection = collection;
    this.#traffic = traffic;
    this.#random = random;
  }

  async prepare(): Promise<void> {
    const answer = await this.#traffic.send('old', 'POST', '/api/boxes', { client: this.#client });
    if (answer.status !== 201) throw new Error(`a box cannot be made: ${answer.told}`);
    this.#box = (answer.body as { readonly id: number }).id;
  }

  /** Takes over rows of a box that is there already. */
  async adopt(box: number, ids: readonly number[]): Promise<void> {
    this.#box = box;
    this.#isShared = true;
    for (const id of ids) {
      const answer = await this.#traffic.send('old', 'GET', this.#path(this.#collection.old, id));
      if (answer.status !== 200) throw new Error(`a row that was there is not shown: ${answer.told}`);
      this.#records.push({ id, views: this.#views('old', this.#collection.old.shows(viewOf(answer.body))) });
    }
  }

  async step(): Promise<void> {
    const release = this.#someRelease();
    if (release === undefined) return;
    const record = this.#records.length > 0 ? pick(this.#records, this.#random) : undefined;
    const chance = this.#random.next();
    if (record && this.#isShared) await (chance < 0.5 ? this.#read(release, record) : this.#update(release, record));
    else if (!record || (chance < 0.25 && this.#records.length < MOST_RECORDS)) await this.#create(release);
    else if (chance < 0.5) await this.#read(release, record);
    else if (chance < 0.75) await this.#update(release, record);
    else if (chance < 0.9) await this.#list(release);
    else await this.#remove(release, record);
  }

  /** Looks at all that it has written. */
  async readAll(): Promise<void> {
    for (const release of this.#releases()) {
      for (const record of this.#records) await this.#read(release, record);
      if (!this.#isShared) await this.#list(release);
    }
  }

  #releases(): readonly ReleaseName[] {
    return this.#traffic.open.filter((release) => this.#collection[release] !== null);
  }

  #someRelease(): ReleaseName | undefined {
    const releases = this.#releases();
    return releases.length === 0 ? undefined : pick(releases, this.#random);
  }

  async #create(release: ReleaseName): Promise<void> {
    const side = this.#side(release);
    const sent = this.#written(side.input);
    const answer = await this.#traffic.send(release, 'POST', this.#path(side), sent);
    if (answer.status !== 201) return this.#traffic.mistake(release, 'create', answer);
    const views = this.#views(release, side.shows(sent));
    this.#records.push({ id: (answer.body as { readonly id: number }).id, views });
    this.#compare(release, views[release], answer);
  }

  async #read(release: ReleaseName, { id, views }: Known): Promise<void> {
    const answer = await this.#traffic.send(release, 'GET', this.#path(this.#side(release), id));
    if (answer.status !== 200) return this.#traffic.mistake(release, 'get', answer);
    this.#compare(release, views[release], answer);
  }

  async #update(release: ReleaseName, record: Known): Promise<void> {
    const side = this.#side(release);
    const sent = this.#written(side.changes);
    const answer = await this.#traffic.send(release, 'PATCH', this.#path(side, record.id), sent);
    if (answer.status !== 200) return this.#traffic.mistake(release, 'update', answer);
    const shown = Object.entries(side.shows(sent)).filter(([name]) => name in sent);
    record.views = this.#views(release, { ...record.views[release], ...Object.fromEntries(shown) }, record.views);
    this.#compare(release, record.views[release], answer);
  }

  async #list(release: ReleaseName): Promise<void> {
    const answer = await this.#traffic.send(release, 'GET', this.#path(this.#side(release)));
    if (answer.status !== 200) return this.#traffic.mistake(release, 'list', answer);
    const seen = new Map((answer.body as readonly { readonly id: number }[]).map((record) => [record.id, record]));
    const isWhole = seen.size === this.#records.length;
    const areRight = this.#records.every(({ id, views }) => isShown(views[release], viewOf(seen.get(id))));
    if (isWhole && areRight) return;
    const expected = JSON.stringify(this.#records.map(({ id, views }) => ({ id, ...views[release] })));
    this.#traffic.mistake(release, `a list that should be ${expected}`, answer);
  }

  async #remove(release: ReleaseName, record: Known): Promise<void> {
    const answer = await this.#traffic.send(release, 'DELETE', this.#path(this.#side(release), record.id));
    if (answer.status !== 204) return this.#traffic.mistake(release, 'delete', answer);
    this.#records.splice(this.#records.indexOf(record), 1);
  }

  #compare(release: ReleaseName, expected: View, answer: Answer): void {
    if (isShown(expected, viewOf(answer.body))) return;
    this.#traffic.mistake(release, `a record that should be ${JSON.stringify(expected)}`, answer);
  }

  #side(release: ReleaseName): Side {
    return this.#collection[release] as Side;
  }

  #written(write: Write): View {
    const { isMigrated } = this.#traffic;
    return write(this.#client * NUMBERS_OF_A_CLIENT + ++this.#writes, { box: this.#box, isMigrated });
  }

  #views(release: ReleaseName, written: View, was?: Known['views']): Known['views'] {
    const { toNew, toOld } = this.#collection;
    return release === 'old'
      ? { old: written, new: toNew(written, was?.new) }
      : { old: toOld(written, was?.old), new: written };
  }

  #path({ path }: Side, id?: number): string {
    return `/api/boxes/${this.#client}/${path}${id === undefined ? '' : `/${id}`}`;
  }
}

function viewOf(record: unknown): View {
  if (typeof record !== 'object' || record === null) return {};
  const { id: _, box_id: __, ...view } = record as Readonly<Record<string, unknown>>;
  return view;
}
