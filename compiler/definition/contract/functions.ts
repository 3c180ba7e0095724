/** The names of the functions of the language. */

/** The units of durations, and those that `startOf` knows. The server and Postgres move dates and timestamps by them alike. */
export const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;

/** These compute one value of many records. */
export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'exists'] as const;

/** All of them, without other lists in it: the schema of the definition is made from it. */
export const FUNCTIONS = [
  'length',
  'lower',
  'upper',
  'trim',
  'replace',
  'substring',
  'padStart',
  'slugify',
  'contains',
  'startsWith',
  'endsWith',
  'stringify',
  'now',
  'today',
  'years',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'secondsBetween',
  'daysBetween',
  'startOf',
  'concat',
  'coalesce',
  'if',
  'greatest',
  'least',
  'round',
  'ceil',
  'floor',
  'abs',
  'integer',
  'decimal',
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'exists',
  'cryptoHash',
  'cryptoCompare',
  'cryptoToken',
  'oneOf',
] as const;

export type FunctionName = (typeof FUNCTIONS)[number];
