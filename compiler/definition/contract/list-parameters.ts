/**
 * The parameters in the query string of a list. The server reads it by these descriptions, the document shows them, the
 * clients take their types from the document, and no input of the list may have one of their names.
 */

/** The choices that the author opens to clients: the same in the program and in the definition. */
export interface ListOptions<Field extends NamedField = NamedField, Searched extends NamedField = Field> {
  /** The pages; null if the list has none. */
  readonly page: Pages | null;
  /**
   * The fields that clients may filter by. Each is a parameter under its own name, and with operators: `price[gte]`.
   */
  readonly filterable?: readonly Field[];
  /** The fields that clients may sort by. */
  readonly sortable?: readonly Field[];
  /** The fields that a search looks in. */
  readonly searchable?: readonly Searched[];
  /** The options of the search that the author has set. */
  readonly search?: SearchOptions;
}

export interface SearchOptions {
  /** The language whose word stems are compared; absent if words are compared as they are. */
  readonly language?: SearchLanguage;
  /** Whether the last word may be the beginning of a longer one. */
  readonly prefix?: true;
}

export type SearchLanguage = (typeof SEARCH_LANGUAGES)[number];

/** The configurations of text search that every Postgres has, except `simple`. */
// biome-ignore format: a list of words.
export const SEARCH_LANGUAGES = [
  'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hindi',
  'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian',
  'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish',
] as const;

/** A field with its path as its name, as in `author.name`. */
interface NamedField {
  readonly name: string;
}

export interface Pages extends PageSizes {
  /** Present if each page begins after the last record of another one; otherwise pages have numbers. */
  readonly by?: 'cursor';
  /**
   * The total number of records in a page. Absent: the records are counted. `off`: the page has no total. `estimated`:
   * the page has the estimate of Postgres, and nothing is counted.
   */
  readonly total?: 'off' | 'estimated';
  /** The names of the parameters that the author has set. */
  readonly parameters?: Readonly<Partial<Record<PageParameter, string>>>;
  /** The members of a page in their order, if the author lists them. */
  readonly envelope?: readonly PageMember[];
}

export type PageParameter = 'page' | 'pageSize' | 'after';

export interface PageMember {
  readonly name: string;
  /** The default name of this member of a page: `totalCount`, `data`. */
  readonly value: string;
}

interface PageSizes {
  readonly pageSize: number;
  readonly max: number;
}

interface ListParameter<Value = unknown> {
  /** The property of the list that brings it. */
  readonly broughtBy: 'paginable' | 'sortable' | 'searchable';
  /** Its name among the values, if clients use another one. */
  readonly fills?: PageParameter;
  readonly description: string;
  /** The schema, as in JSON Schema. Commas separate several values. */
  readonly schema: IntegerSchema | KeysSchema | TextSchema | CursorSchema;
  /** The value if the client sends none. */
  readonly usual: Value;
  /** The requirement on the value, in words. */
  readonly requirement: string;
  /** Reads the value; null if the text is not one. */
  readonly read: (text: string) => Value | null;
}

interface IntegerSchema {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

interface KeysSchema {
  readonly type: 'array';
  readonly uniqueItems: true;
  readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
}

interface TextSchema {
  readonly type: 'string';
  readonly maxLength: number;
}

interface CursorSchema {
  readonly type: 'string';
  readonly format: 'cursor';
  readonly pattern: string;
}

/** The values of a request by name, for the parameters that its list has. */
export type ListValues = Readonly<Record<'page' | 'pageSize', number>> & {
  readonly after?: string | undefined;
  readonly [SORT]?: readonly SortTerm[];
  readonly [SEARCH]?: string;
};

export function listParameters({
  page,
  sortable,
  searchable,
  search,
}: ListOptions): Readonly<Record<string, ListParameter>> {
  return {
    ...(page === null ? {} : pageParameters(page)),
    ...(sortable === undefined ? {} : { [SORT]: sortParameter(sortable) }),
    ...(searchable === undefined ? {} : { [SEARCH]: searchParameter(searchable, search) }),
  };
}

/** The property that brings a parameter of this name; undefined if there is none. */
export function broughtBy(options: ListOptions, name: string): string | undefined {
  const isFilter = options.filterable?.some((field) => field.name === name);
  return listParameters(options)[name]?.broughtBy ?? (isFilter ? 'filterable' : undefined);
}

// ── Pages ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The default sizes of pages. */
export const PAGE_SIZES: PageSizes = { pageSize: 20, max: 100 };

/** The last page. The number of its first record is still an exact integer, whatever the size of a page. */
const LAST_PAGE = 1_000_000_000_000;

function pageParameters(page: Pages): Readonly<Record<string, ListParameter>> {
  const { pageSize, max, by } = page;
  const size = {
    broughtBy: 'paginable' as const,
    description: 'The number of records per page.',
    ...integerTo(max, pageSize),
  };
  const first = by === 'cursor' ? ([['after', afterOf(page)]] as const) : ([['page', PAGE]] as const);
  const all: readonly (readonly [PageParameter, ListParameter])[] = [...first, ['pageSize', size]];
  return Object.fromEntries(all.map(([key, each]) => [nameOfParameter(page, key), { ...each, fills: key }]));
}

/** The name that clients use for a parameter of a list in pages. */
export function nameOfParameter({ parameters }: Pages, key: PageParameter): string {
  return parameters?.[key] ?? key;
}

/** The name of a member in a page; undefined if the page leaves it out. */
export function nameOfMember({ envelope }: Pages, value: string): string | undefined {
  return envelope ? envelope.find((member) => member.value === value)?.name : value;
}

/** The cursor. Only its list can read it, and rejects cursors of other lists with the same words. */
function afterOf(page: Pages): ListParameter<string | undefined> {
  return {
    broughtBy: 'paginable',
    description: `The \`${nextOf(page)}\` of the previous page. Leave it out for the first page.`,
    schema: { type: 'string', format: 'cursor', pattern: CURSOR.source },
    usual: undefined,
    requirement: cursorRequirement(page),
    read: (text) => (CURSOR.test(text) ? text : null),
  };
}

export function cursorRequirement(page: Pages): string {
  return `be the \`${nextOf(page)}\` of a page of this list, unchanged`;
}

function nextOf(page: Pages): string {
  return nameOfMember(page, 'next') ?? 'next';
}

const PAGE: ListParameter = {
  broughtBy: 'paginable',
  description: 'The number of the page, starting at 1.',
  ...integerTo(LAST_PAGE, 1),
};

const CURSOR = /^[A-Za-z0-9_-]+$/;

export type PageForm = keyof typeof PAGE_HEADS;

export function pageFormOf({ by, total }: Pages): PageForm {
  if (by === 'cursor') return 'cursor';
  return total === undefined ? 'counted' : TOTALS[total];
}

const TOTALS = { off: 'uncounted', estimated: 'estimated' } as const;

const NUMBERS = { page: countFrom(1), pageSize: countFrom(1) };

const TOTAL = { totalPages: countFrom(0), totalCount: countFrom(0) };

/** The members of a page of each form beside its records, as in JSON Schema. */
export const PAGE_HEADS = {
  counted: { ...NUMBERS, ...TOTAL },
  uncounted: NUMBERS,
  estimated: {
    ...NUMBERS,
    ...TOTAL,
    totalIsEstimated: {
      type: 'boolean',
      description:
        'Whether `totalCount` and `totalPages` are estimates. They are exact where the page shows that it is the last one.',
    },
  },
  cursor: {
    pageSize: countFrom(1),
    next: { type: ['string', 'null'], description: 'The value for `after` of the next page; null on the last page.' },
  },
} as const;

/** The parameters that every list with pages of a form has. */
export const PAGE_PARAMETERS: Readonly<Record<PageForm, readonly string[]>> = {
  counted: ['page', 'pageSize'],
  uncounted: ['page', 'pageSize'],
  estimated: ['page', 'pageSize'],
  cursor: ['after', 'pageSize'],
};

export type PageHead<Form extends PageForm> = Readonly<Record<keyof (typeof PAGE_HEADS)[Form], unknown>>;

function countFrom(minimum: number) {
  return { type: 'integer', minimum } as const;
}

// ── Order ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const SORT = 'sort';

/** One of the keys that a client orders by. */
export interface SortTerm {
  readonly name: string;
  readonly descending: boolean;
}

function sortParameter(fields: readonly NamedField[]): ListParameter<readonly SortTerm[]> {
  const names = fields.map(({ name }) => name);
  return {
    broughtBy: 'sortable',
    description:
      'The keys to sort by, before the default order of the list. A `-` before a key sorts in descending order.',
    schema: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
    },
    usual: [],
    requirement: `name keys of ${names.join(', ')}, each at most once, separated by commas, with \`-\` before a key for descending order`,
    read: (text) => sortTerms(text, new Set(names)),
  };
}

function sortTerms(text: string, known: ReadonlySet<string>): readonly SortTerm[] | null {
  if (text === '') return [];
  const left = new Set(known);
  const terms: SortTerm[] = [];
  for (const key of text.split(',')) {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    if (!left.delete(name)) return null;
    terms.push({ name, descending });
  }
  return terms;
}

// ── Search ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const SEARCH = 'q';

/**
 * The longest search in UTF-16 units: Postgres takes no word of more than 2,046 bytes, and a unit has at most three.
 */
const LONGEST_SEARCH = 500;

function searchParameter(fields: readonly NamedField[], search: SearchOptions = {}): ListParameter<string> {
  const names = fields.map(({ name }) => `\`${name}\``).join(', ');
  return {
    broughtBy: 'searchable',
    description: `Words to search for in ${names}: all of them, in any order. \`"two words"\` matches a phrase, \`or\` separates alternatives, and \`-word\` excludes a word.${searchWords(search)}`,
    schema: { type: 'string', maxLength: LONGEST_SEARCH },
    usual: '',
    requirement: `have at most ${LONGEST_SEARCH} characters, and no null byte`,
    read: (text) => (text.length > LONGEST_SEARCH || text.includes('\0') ? null : withFewMinusSigns(text.trim())),
  };
}

function searchWords({ language, prefix }: SearchOptions): string {
  const stems = language ? ` Other forms of a word match too (${language}).` : '';
  return stems + (prefix ? ' The last word may be the beginning of a word.' : '');
}

/** Postgres refuses a search with 32 minus signs before one word. Two of them cancel each other out, so pairs are removed. */
function withFewMinusSigns(search: string): string {
  return search.replace(/-(?:[^-\p{L}\p{N}"]*-){4,}/gu, (run) => '-'.repeat(3 + (run.split('-').length % 2)));
}

// ── Kinds of values ─────────────────────────────────────────────────────────────────────────────────────────────────

function integerTo(
  maximum: number,
  usual: number,
): Pick<ListParameter<number>, 'schema' | 'usual' | 'requirement' | 'read'> {
  return {
    schema: { type: 'integer', minimum: 1, maximum, default: usual },
    usual,
    requirement: `be an integer from 1 to ${maximum}`,
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
      return value >= 1 && value <= maximum ? value : null;
    },
  };
}
