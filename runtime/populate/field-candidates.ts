/** What the values of a field may come from: its type first, then its name and its validators. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import { type Normalise, normaliseOf } from '../values/normalise.ts';
import { type Candidate, choicesOf } from './candidates.ts';
import { type Constraints, waysToSatisfy } from './constraints.ts';
import { listsOf } from './lists.ts';
import { dates, timestamps } from './moments.ts';
import { decimals, floats, integers } from './numbers.ts';
import type { Random } from './random.ts';
import { shapeOfName } from './shape-of-name.ts';
import type { Shapes } from './shapes.ts';
import { texts, uuids } from './texts.ts';

export interface Sources {
  readonly shapes: Shapes;
  readonly random: Random;
  enumValues(name: string): readonly string[];
  /** Of what is numbered, apart from every other column. */
  seedOf(model: Model, field: Field): string;
  /** The field that holds hashes of passwords, and the one hash that all have. */
  isPasswordHash(model: Model, field: Field): boolean;
  passwordHash(): string;
}

export function candidatesOf(model: Model, field: Field, sources: Sources): readonly Candidate[] {
  if (sources.isPasswordHash(model, field)) return [choicesOf([sources.passwordHash()])];
  if (field.type.many) return lists(model, field, sources);
  const ways = waysToSatisfy(field.validate);
  const candidates = ways.flatMap((constraints) => candidatesFor(model, field, constraints, sources));
  const normalise = normaliseOf(field.normalise);
  return normalise ? candidates.map((candidate) => normalised(candidate, normalise)) : candidates;
}

/** Of items as a field of their type and name has them. */
function lists(model: Model, field: Field, sources: Sources): readonly Candidate[] {
  const { many: _, ...type } = field.type;
  const { ofList, ofItems } = splitValidation(field.validate);
  const items = candidatesOf(model, { ...field, type, validate: ofItems }, sources);
  return waysToSatisfy(ofList).flatMap((limits) => listsOf(items, limits, type, sources.random));
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
  const { random } = sources;
  if (constraints.choices) return [choicesOf(constraints.choices)];
  switch (type.kind) {
    case 'string':
      return texts(shapeOfName(name, model.name), constraints, { ...sources, seed: sources.seedOf(model, field) });
    case 'integer':
      return integers(name, constraints, random);
    case 'float':
      return floats(name, constraints, random);
    case 'decimal':
      return decimals(name, constraints, random);
    case 'boolean':
      return [choicesOf([false, true])];
    case 'enum':
      return [choicesOf(sources.enumValues(type.enum ?? ''))];
    case 'timestamp':
      return timestamps(name, random);
    case 'date':
      return dates(name, random);
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
