/**
 * What clients may send in the query string of a list. The server reads it by these descriptions, the document shows
 * them, the clients have their types from the document, and no input of the list may have the name of one.
 */

/** What the author lets clients choose: the same in the program and in the definition. */
export interface ListOptions {
  /** Null where the list is not in pages. */
  readonly page: PageSizes | null;
}

interface PageSizes {
  readonly pageSize: number;
  readonly max: number;
}

interface ListParameter {
  /** The property of the list that brings it. */
  readonly broughtBy: 'paginable';
  readonly description: string;
  /** As in JSON Schema. */
  readonly schema: {
    readonly type: 'integer';
    readonly minimum: number;
    readonly maximum: number;
    readonly default: number;
  };
  /** What it must be, in words. */
  readonly requirement: string;
  /** Null where the text is no such value. */
  readonly read: (text: string) => number | null;
}

/** The values of a request by name, for the parameters that its list has. */
export type ListValues = Readonly<Record<PageParameter, number>>;

export function listParameters({ page }: ListOptions): Readonly<Record<string, ListParameter>> {
  return page === null ? {} : pageParameters(page);
}

// ── Pages ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where the author says nothing. */
export const PAGE_SIZES: PageSizes = { pageSize: 20, max: 100 };

/** So that the number of the first record is still an exact integer, whatever the size of a page. */
const LAST_PAGE = 1_000_000_000_000;

export const PAGE_PARAMETERS = ['page', 'pageSize'] as const;

type PageParameter = (typeof PAGE_PARAMETERS)[number];

function pageParameters({ pageSize, max }: PageSizes): Readonly<Record<PageParameter, ListParameter>> {
  return {
    page: { broughtBy: 'paginable', description: 'The number of the page, from 1.', ...integerTo(LAST_PAGE, 1) },
    pageSize: { broughtBy: 'paginable', description: 'How many records a page has.', ...integerTo(max, pageSize) },
  };
}

/** What a page says of itself beside its records, with the least value of each. */
export const PAGE_COUNTS = { page: 1, pageSize: 1, totalPages: 0, totalCount: 0 };

// ── Kinds of values ─────────────────────────────────────────────────────────────────────────────────────────────────

function integerTo(maximum: number, usual: number): Pick<ListParameter, 'schema' | 'requirement' | 'read'> {
  return {
    schema: { type: 'integer', minimum: 1, maximum, default: usual },
    requirement: `be an integer from 1 to ${maximum}`,
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
      return value >= 1 && value <= maximum ? value : null;
    },
  };
}
