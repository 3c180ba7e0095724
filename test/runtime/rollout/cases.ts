/** Every kind of change that a release may bring, each as a rollout under load, or several of them in one. */
import { type Collection, either, type RolloutCase, type Side, type View, type Write } from './rollout-case.ts';

interface Program {
  readonly enums?: string;
  /** `Post`, or `Article was Post`. */
  readonly model?: string;
  readonly path?: string;
  readonly members: string;
  readonly more?: string;
  /** Relations and endpoints of other models, in the box. */
  readonly relations?: string;
  readonly entrypoints?: string;
}

const ENDPOINTS = '{ list endpoint {}  get endpoint {}  create endpoint {}  update endpoint {}  delete endpoint {} }';

/** With the names that it has by itself. */
function program(parts: Program): Required<Program> {
  return { enums: '', model: 'Post', path: 'posts', more: '', relations: '', entrypoints: '', ...parts };
}

function sourceOf(programs: readonly Required<Program>[]): string {
  const all = (part: (program: Required<Program>) => string): string => programs.map(part).join('\n');
  return `
${all(({ enums }) => enums)}
model Box {
  field client { type integer, unique }
  ${all(({ path, model, relations }) => `relation ${path} { from ${model.split(' ')[0]}, through box }\n${relations}`)}
}
${all(({ model, members }) => `model ${model} { reference box { to Box, on delete cascade }\n${members} }`)}
${all(({ more }) => more)}
api {
  entrypoint Box as box {
    path "boxes"
    identify { through client }
    create endpoint { action { create { input { client } } } }
    get endpoint {}
    ${all(({ path, entrypoints }) => `entrypoint ${path} ${ENDPOINTS}\n${entrypoints}`)}
  }
}`;
}

const same = (view: View): View => view;

function side(input: Write, more: Partial<Side> = {}): Side {
  return { path: 'posts', input, changes: more.changes ?? input, shows: same, ...more };
}

function collection(parts: Partial<Collection> & Pick<Collection, 'old' | 'new'>): Collection {
  return { toNew: same, toOld: same, table: 'post', newTable: 'post', rows: { title: "'row ' || n" }, ...parts };
}

const title: Write = (n) => ({ title: `title ${n}` });
const TITLE = 'field title { type string }';

/** The same records, in which both releases write a title, and one of them a field more. */
function withField(more: Pick<Collection, 'old' | 'new'> & Partial<Collection>): readonly Collection[] {
  return [collection(more)];
}

const plain = collection({ old: side(title), new: side(title) });

interface Kind extends Pick<RolloutCase, 'title' | 'collections'> {
  readonly before: Required<Program>;
  readonly after: Required<Program>;
}

const KINDS: readonly Kind[] = [
  {
    title: 'nullable field',
    before: program({ members: TITLE }),
    after: program({ members: `${TITLE} field note { type string, nullable }` }),
    collections: withField({
      old: side(title),
      new: side((n) => ({ title: `title ${n}`, note: `note ${n}` })),
      toNew: (view, was) => ({ ...view, note: was?.note ?? null }),
      toOld: ({ note: _, ...view }) => view,
    }),
  },
  {
    title: 'field with default',
    before: program({ members: TITLE }),
    after: program({ members: `${TITLE} field rank { type integer, default 7 }` }),
    collections: withField({
      old: side(title),
      new: side((n) => (n % 2 === 0 ? { title: `title ${n}` } : { title: `title ${n}`, rank: n }), {
        changes: (n) => ({ rank: n }),
        shows: (sent) => ({ rank: 7, ...sent }),
      }),
      toNew: (view, was) => ({ ...view, rank: was?.rank ?? 7 }),
      toOld: ({ rank: _, ...view }) => view,
    }),
  },
  {
    title: 'unique',
    before: program({ members: TITLE }),
    after: program({ members: 'field title { type string, unique }' }),
    collections: [plain],
  },
  {
    title: 'index',
    before: program({ members: TITLE }),
    after: program({ members: `${TITLE} index { title, box }` }),
    collections: [plain],
  },
  {
    title: 'reference added',
    before: program({ members: TITLE }),
    after: program({ members: `${TITLE} reference second { to Box, nullable }` }),
    collections: withField({
      old: side(title),
      new: side((n, { box }) => ({ title: `title ${n}`, second_id: box })),
      toNew: (view, was) => ({ ...view, second_id: was?.second_id ?? null }),
      toOld: ({ second_id: _, ...view }) => view,
    }),
  },
  {
    title: 'made nullable',
    before: program({ members: `${TITLE} field note { type string }` }),
    after: program({ members: `${TITLE} field note { type string, nullable }` }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, note: `note ${n}` })),
      new: side((n) => ({ title: `title ${n}`, note: n % 2 === 0 ? null : `note ${n}` })),
      rows: { title: "'row ' || n", note: "'note'" },
    }),
  },
  {
    title: 'enum value added',
    before: program({ enums: 'enum Status { draft  live }', members: `${TITLE} field status { type Status }` }),
    after: program({ enums: 'enum Status { draft  hidden  live }', members: `${TITLE} field status { type Status }` }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, status: pick(n, 'draft', 'live') })),
      new: side((n) => ({ title: `title ${n}`, status: pick(n, 'draft', 'live', 'hidden') })),
      rows: { title: "'row ' || n", status: "'live'" },
    }),
  },
  {
    title: 'field renamed',
    before: program({ members: `${TITLE} field name { type string, default "none" }` }),
    after: program({ members: `${TITLE} field label { type string, default "none", was name }` }),
    collections: withField({
      old: side((n) => (n % 3 === 0 ? { title: `title ${n}` } : { title: `title ${n}`, name: `name ${n}` }), {
        changes: (n) => ({ name: `name ${n}` }),
        shows: (sent) => ({ name: 'none', ...sent }),
      }),
      new: side((n) => ({ title: `title ${n}`, label: `label ${n}` })),
      toNew: ({ name, ...view }) => ({ ...view, label: name }),
      toOld: ({ label, ...view }) => ({ ...view, name: label }),
    }),
  },
  {
    title: 'field dropped',
    before: program({ members: `${TITLE} field subtitle { type string, nullable } field rank { type integer }` }),
    after: program({ members: `${TITLE} drop subtitle  drop rank` }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, subtitle: `subtitle ${n}`, rank: n })),
      new: side(title),
      toNew: ({ title }) => ({ title }),
      toOld: (view, was) => ({ subtitle: null, rank: null, ...was, ...view }),
      rows: { title: "'row ' || n", rank: 'n' },
    }),
  },
  {
    title: 'enum value renamed',
    before: program({ enums: 'enum Status { draft  live }', members: `${TITLE} field status { type Status }` }),
    after: program({
      enums: 'enum Status { draft  public was live }',
      members: `${TITLE} field status { type Status }`,
    }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, status: pick(n, 'draft', 'live') })),
      new: side((n) => ({ title: `title ${n}`, status: pick(n, 'draft', 'public') })),
      toNew: ({ status, ...view }) => ({ ...view, status: status === 'live' ? 'public' : status }),
      toOld: ({ status, ...view }) => ({ ...view, status: status === 'public' ? 'live' : status }),
      rows: { title: "'row ' || n", status: "'live'" },
    }),
  },
  {
    title: 'enum value dropped',
    before: program({
      enums: 'enum Status { draft  live  archived }',
      members: `${TITLE} field status { type Status, default "draft" }`,
    }),
    after: program({
      enums: 'enum Status { draft  live  drop archived }',
      members: `${TITLE} field status { type Status, default "draft" }`,
    }),
    collections: withField({
      old: side((n, { isMigrated }) => ({
        title: `title ${n}`,
        status: isMigrated ? pick(n, 'draft', 'live', 'archived') : pick(n, 'draft', 'live'),
      })),
      new: side((n) => ({ title: `title ${n}`, status: pick(n, 'draft', 'live') })),
      toNew: ({ status, ...view }) => ({ ...view, status: status === 'archived' ? 'draft' : status }),
      // For the newer release that is no change.
      toOld: (view, was) =>
        view.status === 'draft' && was?.status === 'archived' ? { ...view, status: 'archived' } : view,
      rows: { title: "'row ' || n", status: "'live'" },
    }),
  },
  {
    title: 'model renamed',
    before: program({ members: TITLE }),
    after: program({ model: 'Article was Post', path: 'articles', members: TITLE }),
    collections: [collection({ old: side(title), new: side(title, { path: 'articles' }), newTable: 'article' })],
  },
  {
    title: 'model dropped',
    before: program({
      members: TITLE,
      more: 'model Tag { reference box { to Box, on delete cascade }  field title { type string } }',
      relations: 'relation tags { from Tag, through box }',
      entrypoints: `entrypoint tags ${ENDPOINTS}`,
    }),
    after: program({ members: TITLE, more: 'drop model Tag' }),
    collections: [plain, collection({ old: side(title, { path: 'tags' }), new: null, table: 'tag', newTable: null })],
  },
  {
    title: 'reference removed',
    before: program({ members: `${TITLE} reference second { to Box, on delete cascade }` }),
    after: program({ members: `${TITLE} drop second` }),
    collections: withField({
      old: side((n, { box }) => ({ title: `title ${n}`, second_id: box })),
      new: side(title),
      toNew: ({ second_id: _, ...view }) => view,
      toOld: (view, was) => ({ second_id: null, ...was, ...view }),
      rows: { title: "'row ' || n", second_id: '1' },
    }),
  },
  {
    title: 'integer to string',
    before: program({ members: `${TITLE} field rank { type integer, default 0 }` }),
    after: program({ members: `${TITLE} field rank { type string, default "none" }` }),
    collections: withField({
      old: side((n) => (n % 3 === 0 ? { title: `title ${n}` } : { title: `title ${n}`, rank: n }), {
        changes: (n) => ({ rank: n }),
        shows: (sent) => ({ rank: 0, ...sent }),
      }),
      new: side((n) => ({ title: `title ${n}`, rank: pick(n, String(n), `rank ${n}`) })),
      toNew: ({ rank, ...view }, was) => ({ ...view, rank: rank === null ? was?.rank : String(rank) }),
      toOld: ({ rank, ...view }) => ({ ...view, rank: /^\d+$/.test(String(rank)) ? Number(rank) : null }),
      rows: { title: "'row ' || n", rank: 'n' },
    }),
  },
  {
    title: 'integer to decimal',
    before: program({ members: `${TITLE} field price { type integer, default 0 }` }),
    after: program({ members: `${TITLE} field price { type decimal, default 0 }` }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, price: n })),
      new: side((n) => ({ title: `title ${n}`, price: pick(n, String(n), `${n}.50`) })),
      toNew: ({ price, ...view }, was) => ({ ...view, price: price === null ? was?.price : String(price) }),
      toOld: ({ price, ...view }) => ({ ...view, price: /\./.test(String(price)) ? null : Number(price) }),
      rows: { title: "'row ' || n", price: 'n' },
    }),
  },
  {
    title: 'required with backfill',
    before: program({ members: `${TITLE} field note { type string, nullable }` }),
    after: program({
      members: `${TITLE} field note { type string, nullable } field slug { type string, backfill lower(title) }`,
    }),
    collections: withField({
      old: side((n) => ({ title: `Title ${n}`, note: null }), { changes: (n) => ({ note: `note ${n}` }) }),
      new: side((n) => ({ title: `Title ${n}`, note: null, slug: `slug ${n}` }), {
        changes: (n) => ({ slug: `slug ${n}` }),
      }),
      toNew: (view, was) => ({ ...view, slug: was?.slug ?? String(view.title).toLowerCase() }),
      toOld: ({ slug: _, ...view }) => view,
      rows: { title: "'Row ' || n" },
    }),
  },
  {
    title: 'made required',
    before: program({ members: `${TITLE} field note { type string, nullable }` }),
    after: program({ members: `${TITLE} field note { type string, default "none" }` }),
    collections: withField({
      old: side((n) => ({ title: `title ${n}`, note: n % 2 === 0 ? null : `note ${n}` }), {
        shows: ({ note, ...sent }) => ({ ...sent, note: note ?? either(null, 'none') }),
      }),
      new: side((n) => ({ title: `title ${n}`, note: `note ${n}` })),
      toNew: ({ note, ...view }) => ({ ...view, note: typeof note === 'string' ? note : 'none' }),
    }),
  },
  {
    title: 'normalised',
    before: program({ members: 'field title { type string }' }),
    after: program({ members: 'field title { type string, normalise { trim, lower } }' }),
    collections: withField({
      old: side((n) => ({ title: ` Title ${n} ` }), {
        shows: ({ title }) => ({ title: either(title, lowered(title)) }),
      }),
      new: side((n) => ({ title: ` New ${n} ` }), { shows: ({ title }) => ({ title: lowered(title) }) }),
      toNew: ({ title }) => ({ title: lowered(title) }),
      rows: { title: "' Row ' || n" },
    }),
  },
  {
    title: 'renamed, retyped, filled and dropped at once',
    before: program({
      enums: 'enum Status { draft  live }',
      members: `field name { type string } field rank { type integer, default 1 }
        field status { type Status, default "draft" } field old { type string, nullable }`,
    }),
    after: program({
      enums: 'enum State was Status { draft  public was live  hidden }',
      model: 'Article was Post',
      path: 'articles',
      members: `field title { type string, was name } field position { type string, default "1", was rank }
        field status { type State, default "draft" } drop old
        field slug { type string, unique, backfill lower(title) }`,
    }),
    collections: [
      collection({
        old: side((n) => ({ name: `Name ${n}`, rank: n, status: pick(n, 'draft', 'live'), old: `old ${n}` }), {
          changes: (n) => ({ rank: n, status: pick(n, 'live', 'draft') }),
        }),
        new: side(
          (n) => ({ title: `Name ${n}`, position: `${n}`, status: pick(n, 'draft', 'public'), slug: `slug ${n}` }),
          { path: 'articles', changes: (n) => ({ position: `at ${n}`, status: pick(n, 'public', 'draft') }) },
        ),
        toNew: ({ name, rank, status }, was) => ({
          title: name,
          position: rank === null ? was?.position : String(rank),
          status: status === 'live' ? 'public' : status,
          slug: was?.slug ?? String(name).toLowerCase(),
        }),
        toOld: ({ title, position, status }, was) => ({
          name: title,
          rank: /^\d+$/.test(String(position)) ? Number(position) : null,
          status: status === 'public' ? 'live' : status,
          old: was?.old ?? null,
        }),
        rows: { name: "'Row ' || n", rank: 'n' },
        newTable: 'article',
      }),
    ],
  },
];

export const CASES: readonly RolloutCase[] = KINDS.map((kind) => together([kind]));

/** Of all programs above. */
const NAMES = /\b(Post|Article|Tag|Status|State|posts|articles|tags)\b/g;

/** In one release, so that servers are started and databases migrated once for all of them. */
const AT_ONCE = 6;

export const CASES_AT_ONCE: readonly RolloutCase[] = Array.from(
  { length: Math.ceil(KINDS.length / AT_ONCE) },
  (_, at) => together(KINDS.slice(at * AT_ONCE, (at + 1) * AT_ONCE).map(numbered)),
);

function together(kinds: readonly Kind[]): RolloutCase {
  return {
    title: kinds.map(({ title }) => title).join(', '),
    before: sourceOf(kinds.map(({ before }) => before)),
    after: sourceOf(kinds.map(({ after }) => after)),
    collections: kinds.flatMap(({ collections }) => collections),
  };
}

/** The same with other names, so that it can be beside others. */
function numbered({ title, before, after, collections }: Kind, n: number): Kind {
  return {
    title,
    before: numberedProgram(before, n),
    after: numberedProgram(after, n),
    collections: collections.map((each) => ({
      ...each,
      old: { ...each.old, path: `${each.old.path}${n}` },
      new: each.new && { ...each.new, path: `${each.new.path}${n}` },
      table: `${each.table}${n}`,
      newTable: each.newTable && `${each.newTable}${n}`,
    })),
  };
}

function numberedProgram(program: Required<Program>, n: number): Required<Program> {
  const parts = Object.entries(program).map(([name, text]) => [name, text.replace(NAMES, `$1${n}`)]);
  return Object.fromEntries(parts) as Required<Program>;
}

function pick(n: number, ...values: readonly string[]): string {
  return values[n % values.length] as string;
}

function lowered(title: unknown): string {
  return String(title instanceof Object ? (title as { values: unknown[] }).values[0] : title)
    .trim()
    .toLowerCase();
}
