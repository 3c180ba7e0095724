/** The sources of the values of a field: its type first, then its name and its validators. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import { areDistinct } from '../values/json.ts';
import { type Normalise, normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import { type Candidate, choicesOf, type Open } from './candidates.ts';
import { type Constraints, constraintSets } from './constraints.ts';
import { decimals, floats, integers } from './numbers.ts';
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
  const isName = /(^|_)name$/.test(field);
  return (isName && BY_MODEL.find(([name]) => name.test(model))?.[1]) || 'words';
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
