/** The sources of the values of a field: its type first, then its name and its validators. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Digits, Type } from '../../compiler/definition/expression.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import { areDistinct } from '../values/json.ts';
import { type Normalise, normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import { type Candidate, type Choices, choicesOf, type FreeNumbers, type Open } from './candidates.ts';
import { type Constraints, constraintSets } from './constraints.ts';
import { DAY, END_OF_TIME, type Random, SECOND, YEAR } from './random.ts';
import { type ShapeName, type Shapes, texts, uuids } from './texts.ts';

export interface Sources {
  readonly shapes: Shapes;
  readonly random: Random;
  readonly clock: number;
  enumValues(name: string): readonly string[];
  /** The seed of numbered values, another one for each column. */
  seedOf(model: Model, field: Field): string;
  /** The field that holds hashes of passwords, and the one hash that all have. */
  isPasswordHash(model: Model, field: Field): boolean;
  passwordHash(): string;
}

export function candidatesOf(model: Model, field: Field, sources: Sources): readonly Candidate[] {
  if (sources.isPasswordHash(model, field)) return [choicesOf([sources.passwordHash()])];
  if (field.type.many) return lists(model, field, sources);
  const sets = constraintSets(field.validate);
  const candidates = sets.flatMap((constraints) => candidatesFor(model, field, constraints, sources));
  const normalise = normaliseOf(field.normalise);
  return normalise ? candidates.map((candidate) => normalised(candidate, normalise)) : candidates;
}

/** Makes lists of items, as a field of their type and name has them. */
function lists(model: Model, field: Field, sources: Sources): readonly Candidate[] {
  const { many: _, ...type } = field.type;
  const { ofList, ofItems } = splitValidation(field.validate);
  const items = candidatesOf(model, { ...field, type, validate: ofItems }, sources);
  return constraintSets(ofList).flatMap((limits) => listsOf(items, limits, type, sources.random));
}

/** Choices that become the same are one. */
function normalised(candidate: Candidate, normalise: Normalise): Candidate {
  if (candidate.kind === 'choices') {
    const values = Array.from({ length: candidate.size() }, (_, index) => normalise(candidate.at(index)));
    return choicesOf([...new Set(values)]);
  }
  const { any, numbered } = candidate;
  return { ...candidate, any: () => normalise(any()), numbered: (number) => normalise(numbered(number)) };
}

function candidatesFor(model: Model, field: Field, constraints: Constraints, sources: Sources): readonly Candidate[] {
  const { name, type } = field;
  const { random, clock } = sources;
  if (constraints.choices) return [choicesOf(constraints.choices)];
  switch (type.kind) {
    case 'string':
      return texts(shapeOfName(name, model.name), constraints, { ...sources, seed: sources.seedOf(model, field) });
    case 'integer':
      return integers(name, constraints, random, clock);
    case 'float':
      return floats(name, constraints, random, clock);
    case 'decimal':
      return decimals(name, constraints, random, clock, type.digits);
    case 'boolean':
      return [choicesOf([false, true])];
    case 'enum':
      return [choicesOf(sources.enumValues(type.enum ?? ''))];
    case 'timestamp':
      return [moments(name, sources, SECOND, (time) => `${new Date(time).toISOString().slice(0, 19)}Z`)];
    case 'date':
      return [moments(name, sources, DAY, (time) => new Date(time).toISOString().slice(0, 10))];
    case 'file':
      if (type.nullable) return [choicesOf([null])];
      return [uuids({ random, seed: sources.seedOf(model, field) })];
    case 'uuid':
      return [uuids({ random, seed: sources.seedOf(model, field) })];
    case 'json':
    case 'record':
    case 'any':
      return [objects(sources)];
  }
}

/** A small object, since nothing is known of it. */
function objects({ shapes }: Sources): Candidate {
  const object = (number: number | null) => ({ note: shapes.words.build(shapes.words.word(), number) });
  return { kind: 'open', any: () => object(null), numbered: object, free: null };
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Lists of generated items.

/** How many items a list has more than it must. */
const MORE = 3;
/** How often another item is tried in place of one that the list has already. */
const TRIES = 20;

/** An empty list comes last: it fits where no item does. */
function listsOf(
  items: readonly Candidate[],
  { fewest = 0, most = Number.POSITIVE_INFINITY, isDistinct }: Constraints,
  type: Type,
  random: Random,
): readonly Candidate[] {
  const least = Math.min(Math.max(fewest, 1), most);
  const sizes = Math.min(most - least, MORE - 1) + 1;
  const lists = items.map((candidate): Candidate => {
    const item = drawing(candidate, random);
    const any = () => list(item, least + random.below(sizes), isDistinct ? type : null);
    return { kind: 'open', any, numbered: any, free: null };
  });
  return fewest === 0 ? [...lists, choicesOf([[]])] : lists;
}

function drawing(candidate: Candidate, random: Random): () => Value {
  if (candidate.kind === 'open') return candidate.any;
  return () => candidate.at(random.below(candidate.size()));
}

/** `distinct` is the type of the items where no two of them may be equal. There may be fewer then. */
function list(item: () => Value, size: number, distinct: Type | null): readonly Value[] {
  const items: Value[] = [];
  for (let tries = 0; items.length < size && tries < size * TRIES; tries++) {
    const next = item();
    if (distinct === null || areDistinct([...items, next], distinct)) items.push(next);
  }
  return items;
}

// ── Shape of name ───────────────────────────────────────────────────────────────────────────────────────────────────

// Chooses the shape of a text by the names of its field and its model.

/** The first that fits. */
const BY_FIELD: readonly (readonly [RegExp, ShapeName])[] = [
  [/(^|_)e?mail(_address)?$/, 'email'],
  [/(^|_)first_?name$|(^|_)given_name$/, 'firstName'],
  [/(^|_)(last_?name|surname|family_name)$/, 'lastName'],
  [/(^|_)(full_name|author_name|customer_name|contact_name|author|owner)$/, 'person'],
  [/(^|_)(user_?name|login|handle|nick(_?name)?)$/, 'userName'],
  [/(^|_)(company|organi[sz]ation|employer|brand|vendor|supplier)(_name)?$/, 'company'],
  [/(^|_)(job|job_title|occupation|profession)$/, 'jobTitle'],
  [/(^|_)(image|avatar|photo|picture|logo|thumbnail|icon)(_url)?$/, 'image'],
  [/(^|_)(url|link|website|homepage|href)$/, 'url'],
  [/(^|_)(domain|host|host_?name)$/, 'domain'],
  [/(^|_)(file|file_?name|attachment)$/, 'file'],
  [/(^|_)slug$/, 'slug'],
  [/(^|_)(phone|phone_number|mobile|fax|telephone)$/, 'phone'],
  [/(^|_)city$|(^|_)town$/, 'city'],
  [/(^|_)country_code$/, 'countryCode'],
  [/(^|_)country$/, 'country'],
  [/(^|_)(street|address|address_line_?\d*)$/, 'street'],
  [/(^|_)(state|region|province|county)$/, 'region'],
  [/(^|_)(zip|zip_?code|post_?code|postal_code)$/, 'postcode'],
  [/(^|_)(time_?zone|tz)$/, 'timeZone'],
  [/(^|_)(currency|currency_code)$/, 'currency'],
  [/(^|_)(language|locale|lang)$/, 'language'],
  [/(^|_)colou?r$/, 'color'],
  [/(^|_)(token|secret|api_key|key|hash|digest|password|checksum)$/, 'token'],
  [/(^|_)(ip|ip_address)$/, 'ip'],
  [/(^|_)user_agent$/, 'userAgent'],
  [/(^|_)version$/, 'version'],
  [/(^|_)(sku|code|reference|serial|isbn|barcode)$/, 'code'],
  [/(^|_)department$/, 'department'],
  [/(^|_)(title|headline|subject|heading)$/, 'title'],
  [/(^|_)(description|bio|summary|about|excerpt|caption|remark|note|comment|signature)s?$/, 'sentence'],
  [/(^|_)(body|content|text|message|article|story)$/, 'paragraph'],
];

/** The shapes of a field that is called just `name`. */
const BY_MODEL: readonly (readonly [RegExp, ShapeName])[] = [
  [
    /user|author|person|people|customer|member|employee|contact|agent|student|teacher|patient|player|writer|artist|client|guest/i,
    'person',
  ],
  [/company|organi[sz]ation|brand|vendor|supplier|shop|store|agency|publisher/i, 'company'],
  [/product|item|article/i, 'product'],
  [/city|town/i, 'city'],
  [/country/i, 'country'],
  [/department|category/i, 'department'],
];

function shapeOfName(field: string, model: string): ShapeName {
  const byField = BY_FIELD.find(([name]) => name.test(field))?.[1];
  if (byField) return byField;
  return (/(^|_)name$/.test(field) && BY_MODEL.find(([name]) => name.test(model))?.[1]) || 'words';
}

// ── Moments ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// Timestamps and dates for fields, from their names: around the moment at which populators run.

/** The span in milliseconds from the clock. */
type Span = readonly [from: number, to: number];

const SPANS: readonly (readonly [RegExp, Span])[] = [
  [/birth|born/, [-80 * YEAR, -18 * YEAR]],
  [/expire|until|due|deadline|ends?(_|$)|valid_to|next|scheduled|remind/, [0, YEAR]],
];
const LAST_YEAR: Span = [-YEAR, 0];

function moments(field: string, { random, clock }: Sources, unit: number, text: (time: number) => string): Open {
  const [from, to] = SPANS.find(([name]) => name.test(field))?.[1] ?? LAST_YEAR;
  const count = (to - from) / unit;
  return {
    kind: 'open',
    any: () => text(clock + from + random.below(count) * unit),
    numbered: (number) => text(Math.min(clock + number * unit, END_OF_TIME)),
    free: {
      sql: (column) => `ceil(extract(epoch FROM max(${column})))`,
      after: (seconds) => Math.max(1, Math.floor((seconds * SECOND - clock) / unit) + 1),
    },
  };
}

// ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Numbers for fields, from their names and the limits of their validators.

type Range = readonly [least: number, most: number];

/** The first that fits the name. */
const RANGES: readonly (readonly [RegExp, Range])[] = [
  [/(^|_)(stars|rating|score)$/, [1, 5]],
  [/(^|_)age$/, [18, 80]],
  [/(^|_)year$/, [1990, 2025]],
  [/(^|_)month$/, [1, 12]],
  [/(^|_)day$/, [1, 28]],
  [/(^|_)hour$/, [0, 23]],
  [/(^|_)(percent|percentage|discount|progress)$/, [0, 100]],
  [/(^|_)(quantity|stock|count|total|amount|seats|capacity)$/, [0, 100]],
  [/(^|_)(position|rank|priority|level|order|index|page)$/, [1, 20]],
  [/(^|_)port$/, [1024, 65_535]],
  [/(^|_)(lat|latitude)$/, [-90, 90]],
  [/(^|_)(lng|lon|longitude)$/, [-180, 180]],
  [/(^|_)(weight|height|width|length|depth)(_|$)/, [1, 100]],
  [/(^|_)(price|cost|fee|salary|budget|balance)(_|$)/, [1, 500]],
];
/** The names of moments in milliseconds. */
const MOMENT = /_(at|on|until)$/;
const ANY_NUMBER: Range = [1, 1000];

/** The limit beyond which a range is as good as open. */
const MOST_CHOICES = 2 ** 40;

function integers(field: string, constraints: Constraints, random: Random, clock: number): readonly Candidate[] {
  const { min, max } = constraints;
  if (min !== undefined && max !== undefined && max - min < MOST_CHOICES) return [wholeNumbers(min, max)];
  const [least, most] = rangeOf(field, constraints, clock);
  const first = Math.ceil(least);
  const count = Math.max(1, Math.floor(most) - first + 1);
  // Validators may know other limits than names do.
  const aroundZero = open(constraints, () => random.below(2001) - 1000, Number);
  return [open(constraints, () => first + random.below(count), Number), aroundZero];
}

function wholeNumbers(min: number, max: number): Choices {
  const first = Math.ceil(min);
  const count = Math.max(0, Math.floor(max) - first + 1);
  return { kind: 'choices', size: () => count, at: (index) => first + index };
}

function floats(field: string, constraints: Constraints, random: Random, clock: number): readonly Candidate[] {
  const range = rangeOf(field, constraints, clock);
  const hundredths = hundredthsOf(range, random);
  return [open(constraints, () => hundredths() / 100, Number), open(constraints, finely(range, random), Number)];
}

/** Makes decimals with two places, or with six where the limits are too close; fewer where the type allows fewer. */
function decimals(
  field: string,
  given: Constraints,
  random: Random,
  clock: number,
  digits: Digits = { all: 21, places: 6 },
): readonly Candidate[] {
  const constraints = withinDigits(given, digits);
  const range = rangeOf(field, constraints, clock);
  const finer = finely(range, random);
  const [few, many] = [Math.min(2, digits.places), Math.min(6, digits.places)];
  const cents = few === 2 ? hundredthsOf(range, random) : () => Math.trunc(finer() * 10 ** few) * 10 ** (2 - few);
  return [
    open(
      constraints,
      () => (cents() / 100).toFixed(few),
      (number) => number.toFixed(few),
    ),
    open(
      constraints,
      () => finer().toFixed(many),
      (number) => number.toFixed(many),
    ),
  ];
}

function withinDigits(constraints: Constraints, { all, places }: Digits): Constraints {
  const most = 10 ** (all - places) - 10 ** -Math.min(places, 6);
  if (all - places >= 15) return constraints;
  const { max = most, min = max < 0 ? -most : 0 } = constraints;
  return { ...constraints, min: Math.max(min, -most), max: Math.min(max, most) };
}

/** Makes hundredths, rounded towards the middle of the range, so that no limit is passed. */
function hundredthsOf([least, most]: Range, random: Random): () => number {
  const first = Math.ceil(least * 100);
  const count = Math.max(1, Math.floor(most * 100) - first + 1);
  return () => first + random.below(count);
}

function finely([least, most]: Range, random: Random): () => number {
  return () => least + random.next() * (most - least);
}

function open({ min = 1 }: Constraints, any: Open['any'], text: (number: number) => string | number): Open {
  const first = Math.ceil(min) - 1;
  return { kind: 'open', any, numbered: (number) => text(first + number), free: above(first) };
}

function above(first: number): FreeNumbers {
  return { sql: (column) => `ceil(max(${column}))`, after: (found) => Math.max(1, Math.floor(found) + 1 - first) };
}

/** The range of the name where the validators allow it, else one that they do. */
function rangeOf(field: string, { min, max }: Constraints, clock: number): Range {
  const lastYear: Range = [clock - YEAR, clock];
  const named = RANGES.find(([name]) => name.test(field))?.[1];
  const [least, most] = named ?? (MOMENT.test(field) ? lastYear : ANY_NUMBER);
  const [low, high] = [Math.max(least, min ?? least), Math.min(most, max ?? most)];
  if (low <= high) return [low, high];
  const width = most - least;
  return min === undefined ? [(max ?? least) - width, max ?? most] : [min, Math.min(max ?? min + width, min + width)];
}
