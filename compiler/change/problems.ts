/**
 * Problems of a difference: what the author still has to say about it. Each is reported once, at its declaration;
 * problems that follow from it are not reported.
 */
import type { Definition, Enum, Field, Job, Model } from '../definition/definition.ts';
import type { Type } from '../definition/expression.ts';
import { isOwnJob, jobKind, readsKind, webhookOf } from '../definition/work.ts';
import type { changeWords, JobInputChange, NoValue } from '../diagnostics/catalogue/changes.ts';
import { isInDatabase } from '../schema/in-database.ts';
import {
  type Comparison,
  comparisonOf,
  type ModelComparison,
  named,
  type Pair,
  type Pairs,
  pairsOf,
  type RemadeField,
} from './comparison.ts';

type ChangeWords = typeof changeWords;
type ProblemCode = keyof ChangeWords;

export type ChangeProblem = {
  [C in ProblemCode]: {
    readonly code: C;
    /** The path of the declaration in the newer definition: `models.Post.fields.title`; empty if there is none. */
    readonly path: string;
    readonly facts: Parameters<ChangeWords[C]>[0];
  };
}[ProblemCode];

export function problemsBetween(previous: Definition, next: Definition): readonly ChangeProblem[] {
  const comparison = comparisonOf(previous, next);
  return [
    ...comparison.enums.kept.flatMap(enumProblems),
    ...ambiguities(comparison.enums, 'enum', (name) => `enums.${name}`),
    ...modelProblems(comparison),
    ...comparison.members.flatMap((model) => memberProblems(model, comparison)),
    ...jobProblems(comparison),
  ];
}

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function jobProblems(comparison: Comparison): readonly ChangeProblem[] {
  const {
    jobs,
    next: { droppedJobs = [] },
  } = comparison;
  const added = jobs.added.filter((job) => !isOwnJob(job));
  const isDropped = (name: string) =>
    isOwnJob({ name }) || droppedJobs.some((job) => job.name === name) || isAmbiguous(jobs, name);
  return [
    ...ambiguities(jobs, 'job', (name) => `jobs.${name}`),
    ...jobs.gone.flatMap(({ name, delivers }): readonly ChangeProblem[] => {
      const candidates = added.filter((job) => job.delivers === delivers).map((job) => job.name);
      const noun = delivers === 'mail' ? 'mail' : 'job';
      return isDropped(name) ? [] : [{ code: 'job-disappeared', path: '', facts: { job: name, noun, candidates } }];
    }),
    ...jobs.kept.flatMap((pair) => inputProblems(pair, comparison)),
  ];
}

/** The inputs that keep a job from reading what the previous release has stored. */
function inputProblems({ previous, next }: Pair<Job>, comparison: Comparison): readonly ChangeProblem[] {
  const changed = ({ name, finds }: JobInput, how: JobInputChange): ChangeProblem => {
    // The key of a record is declared by the name of the record.
    const input = finds ? name.replace(/_id$/, '') : name;
    return {
      code: 'job-input-changed',
      path: `jobs.${next.name}.inputs.${input}`,
      facts: { job: next.name, input, how, webhook: webhookOf(next) },
    };
  };
  return [
    ...previous.inputs.flatMap((input) => (named(next.inputs, input.name) ? [] : [changed(input, 'removed')])),
    ...next.inputs.flatMap((input) => {
      const was = named(previous.inputs, input.name);
      const stored = jobKind({ name: next.name, inputs: was ? [was] : [] }, comparison.previous);
      const isRead = readsKind({ ...next, inputs: [input] }, stored, comparison.next);
      if (!was) return isRead ? [] : [changed(input, 'added')];
      if (!isRead) return [changed(input, was.type.enum && input.type.enum ? 'values' : 'type')];
      // A kind has no digits, so that servers of both releases would do jobs with values that they refuse.
      if (!hasSameDigits(was.type, input.type)) return [changed(input, 'type')];
      if (isSameModel(was, input, comparison.models)) return [];
      return [changed(input, was.finds && input.finds ? 'model' : 'type')];
    }),
  ];
}

function hasSameDigits({ digits: was }: Type, { digits }: Type): boolean {
  return was?.all === digits?.all && was?.places === digits?.places;
}

/** The id of a record says nothing about records of another model, or about a plain value. */
function isSameModel(was: JobInput, { finds }: JobInput, { kept }: Pairs<Model>): boolean {
  if (!was.finds || !finds) return was.finds === finds;
  return kept.some(({ previous, next }) => previous.name === was.finds?.model && next.name === finds.model);
}

type JobInput = Job['inputs'][number];

// ── Enums ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function enumProblems({ previous, next }: Pair<Enum>): readonly ChangeProblem[] {
  const values = pairsOf(previous.values, next.values);
  const path = `enums.${next.name}`;
  const candidates = values.added.map(({ name }) => name);
  const gone = values.gone.filter(({ name }) => !next.drops.includes(name) && !isAmbiguous(values, name));
  return [
    ...ambiguities(values, 'value', () => path, next.name),
    ...gone.map(({ name }): ChangeProblem => {
      return { code: 'value-disappeared', path, facts: { enum: next.name, value: name, candidates } };
    }),
  ];
}

function isAmbiguous<T extends { readonly name: string }>({ ambiguous }: Pairs<T>, name: string): boolean {
  return ambiguous.some(({ previous }) => previous.name === name);
}

function ambiguities<T extends { readonly name: string }>(
  { ambiguous }: Pairs<T>,
  noun: string,
  pathOf: (name: string) => string,
  within: string | null = null,
): readonly ChangeProblem[] {
  return ambiguous.map(({ previous, next }) => ({
    code: 'ambiguous-rename',
    path: pathOf(next.name),
    facts: { noun, name: next.name, was: previous.name, within },
  }));
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function modelProblems({ models, remadeModels, next }: Comparison): readonly ChangeProblem[] {
  const remade = new Set(remadeModels.flatMap((pair) => [pair.previous, pair.next]));
  const candidates = models.added.filter((model) => !remade.has(model)).map(({ name }) => name);
  const gone = models.gone.filter((model) => {
    return !remade.has(model) && !next.droppedModels.includes(model.name) && !isAmbiguous(models, model.name);
  });
  return [
    ...ambiguities(models, 'model', (name) => `models.${name}`),
    ...gone.map(({ name }): ChangeProblem => {
      return { code: 'model-disappeared', path: '', facts: { model: name, candidates } };
    }),
    ...remadeModels.map(idProblem),
  ];
}

function idProblem({ previous, next }: Pair<Model>): ChangeProblem {
  const typeOf = ({ fields }: Model) => aType(named(fields, 'id')?.type);
  return {
    code: 'id-type-changed',
    path: `models.${next.name}.fields.id`,
    facts: { model: next.name, from: typeOf(previous), to: typeOf(next) },
  };
}

function aType(type: Type | undefined): string {
  const name = type?.enum ?? type?.kind ?? '';
  if (type?.many) return `a list \`[${name}]\``;
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} \`${name}\``;
}

// ── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function memberProblems(model: ModelComparison, comparison: Comparison): readonly ChangeProblem[] {
  const { fields, remade, next } = model;
  const isRemade = (field: Field) => remade.some((pair) => pair.previous === field || pair.next === field);
  const gone = fields.gone.filter((field) => !isRemade(field) && !isAmbiguous(fields, field.name));
  const disappeared = gone.flatMap((field) => goneProblem(field, model));
  const renamed = soleCandidates(disappeared);
  const added = fields.added.filter((field) => !isRemade(field) && !renamed.has(field.reference ?? field.name));
  return [
    ...ambiguities(fields, 'field', (name) => pathOf(next, name), next.name),
    ...disappeared,
    ...remade.flatMap((pair) => remadeProblem(pair, model, comparison)),
    ...added.flatMap((field) => addedProblem(field, next)),
    ...fields.kept.flatMap((pair) => keptProblem(pair, next)),
  ];
}

/** The key of a reference is declared by the reference. */
function pathOf(model: Model, field: string): string {
  const reference = named(model.fields, field)?.reference;
  return `models.${model.name}.${reference ? `references.${reference}` : `fields.${field}`}`;
}

type Disappeared = Extract<ChangeProblem, { code: 'member-disappeared' }>;

/**
 * The members that were probably renamed: one is gone and one like it is new. The new one needs no value of its own
 * then.
 */
function soleCandidates(disappeared: readonly Disappeared[]): ReadonlySet<string> {
  const [first, ...others] = disappeared;
  return new Set(first && others.length === 0 && first.facts.candidates.length === 1 ? first.facts.candidates : []);
}

function goneProblem(field: Field, { next, fields }: ModelComparison): readonly Disappeared[] {
  const member = field.reference ?? field.name;
  if (next.drops.includes(member) || next.drops.includes(field.name)) return [];
  const candidates = fields.added
    .filter(
      ({ type, reference }) =>
        type.kind === field.type.kind &&
        type.many === field.type.many &&
        (reference === null) === (field.reference === null),
    )
    .map(({ name, reference }) => reference ?? name);
  const noun = field.reference === null ? 'field' : 'reference';
  return [
    { code: 'member-disappeared', path: `models.${next.name}`, facts: { model: next.name, noun, member, candidates } },
  ];
}

function remadeProblem(
  { previous, next, why }: RemadeField,
  model: ModelComparison,
  { remadeModels }: Comparison,
): readonly ChangeProblem[] {
  const from = named(model.previous.references, previous.reference)?.to;
  const to = named(model.next.references, next.reference)?.to;
  const path = pathOf(model.next, next.name);
  if (why === 'type') {
    // The id that it holds is of another type, which has been said.
    if (remadeModels.some((pair) => pair.previous.name === from && pair.next.name === to)) return [];
    const types = { from: aType(previous.type), to: aType(next.type) };
    return [{ code: 'lossy-type-change', path, facts: { model: model.next.name, field: next.name, ...types } }];
  }
  const facts = { model: model.next.name, reference: String(next.reference), from: String(from), to: String(to) };
  return [{ code: 'reference-target-changed', path, facts }];
}

function addedProblem(field: Field, model: Model): readonly ChangeProblem[] {
  const why = field.type.nullable ? null : lackOfValue(field);
  return why === null ? [] : [requiredProblem('new-required-field', field, model, why)];
}

function keptProblem({ previous, next }: Pair<Field>, model: Model): readonly ChangeProblem[] {
  // A reference needs no backfill for this: the migration looks whether every record has its own by now.
  if (!previous.type.nullable || next.type.nullable || next.reference !== null) return [];
  const why = lackOfValue(next);
  return why === null ? [] : [requiredProblem('newly-required-field', next, model, why)];
}

/**
 * The reason why existing records get no value; null if they get one. A backfill is always in the database, a default
 * need not be.
 */
function lackOfValue({ backfill, default: value, reference }: Field): NoValue | null {
  if (backfill) return null;
  if (reference !== null) return 'reference';
  if (value === null) return 'nothing';
  return isInDatabase(value) ? null : 'server-default';
}

function requiredProblem(
  code: 'new-required-field' | 'newly-required-field',
  field: Field,
  model: Model,
  why: NoValue,
): ChangeProblem {
  const name = field.reference ?? field.name;
  return { code, path: pathOf(model, field.name), facts: { model: model.name, field: name, why } };
}
