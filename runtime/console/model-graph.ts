/**
 * The models as a reader of the API may know them, for the diagram of the console. The page asks for no token,
 * so nothing is in it that `/openapi.json` keeps to itself: no model that no endpoint reaches, no secret field, no
 * expression, no code of hooks and no populator. Hidden models are not even named as the end of a reference.
 */

import { passwordAuthOf } from '../../compiler/definition/accounts.ts';
import type { Definition, Field, IndexPart, Model, Reference, Setting } from '../../compiler/definition/definition.ts';
import { decimalText } from '../../compiler/definition/digits.ts';
import type { Action, Endpoint, Input } from '../../compiler/definition/endpoint.ts';
import type { Expression, Selected, Type, Validation } from '../../compiler/definition/expression.ts';

export interface ModelGraph {
  readonly models: readonly ShownModel[];
  readonly edges: readonly ShownEdge[];
  /** What the server reads from its environment, in words and without the values. Only in the whole graph. */
  readonly settings?: readonly string[];
}

export interface ShownModel {
  readonly name: string;
  readonly doc: string | null;
  /** The ids of the entrypoints that serve its records. */
  readonly entrypoints: readonly string[];
  readonly members: readonly ShownMember[];
  /** The indexes over several fields: `published, id desc`. Only in the whole graph. */
  readonly indexes?: readonly string[];
  /** Combinations of fields that no two records share. Only in the whole graph. */
  readonly uniques?: readonly string[];
}

export interface ShownMember {
  readonly kind: 'field' | 'reference' | 'relation' | 'computed' | 'query' | 'hook';
  readonly name: string;
  readonly doc: string | null;
  /** The type in a reader's words: `string`, an enum, a model; null where only the code of a hook knows it. */
  readonly type: string | null;
  /** The values of an enum. */
  readonly values?: readonly string[];
  readonly unique?: true;
  readonly nullable?: true;
  readonly many?: true;
  /** The rest is only in the whole graph. */
  readonly secret?: true;
  readonly index?: true;
  /** The default in the words of the language: `"draft"`, `now()`. */
  readonly default?: string;
  /** The validation in the words of the language: `minLength(3) and maxLength(80)`. */
  readonly validate?: string;
  readonly onDelete?: Reference['onDelete'];
}

/** A reference, from the model that has it to the one that it leads to. */
export interface ShownEdge {
  readonly from: string;
  readonly to: string;
  readonly reference: string;
  /** The relation of `to` that is its other side. */
  readonly relation: string | null;
  /** Whether each record of `to` is referred to once at most. */
  readonly unique: boolean;
  readonly nullable: boolean;
}

export function modelGraphFrom(definition: Definition): ModelGraph {
  return graphFrom(definition, reachedModels(definition), false);
}

/** All models with all that the definition says of them, for those who have the key of the console. */
export function wholeGraphFrom(definition: Definition): ModelGraph {
  const graph = graphFrom(definition, new Set(definition.models.map(({ name }) => name)), true);
  const { settings = [] } = definition;
  return settings.length === 0 ? graph : { ...graph, settings: settings.map(settingWords) };
}

function settingWords({ name, doc, type, default: value, secret }: Setting): string {
  const unset = value === null ? 'must be set' : `\`${value}\` if it is not set`;
  return `\`${name}\` (${type.enum ?? type.kind}${secret ? ', secret' : ''}): ${unset}${doc === null ? '' : `. ${doc}`}`;
}

function graphFrom(definition: Definition, shown: ReadonlySet<string>, isWhole: boolean): ModelGraph {
  const models = definition.models.filter(({ name }) => shown.has(name));
  return {
    models: models.map((model) => shownModel(model, shown, definition, isWhole)),
    edges: models.flatMap((model) => edgesOf(model, shown, definition)),
  };
}

function shownModel(model: Model, shown: ReadonlySet<string>, definition: Definition, isWhole: boolean): ShownModel {
  const { name, doc, indexes, uniques } = model;
  const keys = { indexes: indexes.map(indexWords), uniques: uniques.map((fields) => fields.join(', ')) };
  return {
    name,
    doc,
    entrypoints: definition.entrypoints.filter((each) => each.model === name).map(({ id }) => id),
    members: [...columnsOf(model, shown, definition, isWhole), ...othersOf(model, shown)],
    ...(isWhole ? keys : {}),
  };
}

function columnsOf(
  model: Model,
  shown: ReadonlySet<string>,
  definition: Definition,
  isWhole: boolean,
): readonly ShownMember[] {
  return model.fields.flatMap((field) => {
    const reference = model.references.find(({ name }) => name === field.reference);
    const isShown = reference ? shown.has(reference.to) : isWhole || !isHidden(field, model, definition);
    if (!isShown) return [];
    const member = reference ? referenceMember(reference) : fieldMember(field, definition);
    return [isWhole ? { ...member, ...rulesOf(field), ...(reference && { onDelete: reference.onDelete }) } : member];
  });
}

function rulesOf({ secret, index, default: value, validate }: Field): Partial<ShownMember> {
  return {
    ...(secret ? { secret: true } : {}),
    ...(index ? { index: true } : {}),
    ...(value ? { default: valueWords(value) ?? 'computed' } : {}),
    ...(validate ? { validate: validationWords(validate) } : {}),
  };
}

/** Whether the field is hidden. The hash of a password always is, marked or not. */
function isHidden({ secret, name }: Field, model: Model, { auth }: Definition): boolean {
  return secret || (auth?.model === model.name && auth.password?.hash === name);
}

function fieldMember({ name, doc, type, unique }: Field, { enums }: Definition): ShownMember {
  const values = enums.find((each) => each.name === type.enum);
  return {
    kind: 'field',
    name,
    doc,
    ...shownType(type),
    ...(values ? { values: values.values.map((value) => value.name) } : {}),
    ...(unique || name === 'id' ? { unique: true } : {}),
  };
}

function referenceMember({ name, doc, to, unique, nullable }: Reference): ShownMember {
  return {
    kind: 'reference',
    name,
    doc,
    type: to,
    ...(unique ? { unique: true } : {}),
    ...(nullable ? { nullable: true } : {}),
  };
}

function othersOf(model: Model, shown: ReadonlySet<string>): readonly ShownMember[] {
  const relations = model.relations
    .filter(({ from }) => shown.has(from))
    .map(({ name, doc, from, many }) => ({ kind: 'relation', name, doc, type: from, ...manyIf(many) }) as const);
  const computed = model.computed
    .filter(({ value }) => value.type.model === undefined || shown.has(value.type.model))
    .map(({ name, doc, value }) => ({ kind: 'computed', name, doc, ...shownType(value.type) }) as const);
  const queries = model.queries
    .filter(({ query }) => query.cardinality === 'count' || shown.has(query.model))
    .map(({ name, doc, query }) => ({ kind: 'query', name, doc, ...queryType(query) }) as const);
  const hooks = model.hooks.map(({ name, doc }) => ({ kind: 'hook', name, doc, type: null }) as const);
  return [...relations, ...computed, ...queries, ...hooks];
}

function queryType({ cardinality, model }: Model['queries'][number]['query']): Pick<ShownMember, 'type' | 'many'> {
  return cardinality === 'count' ? { type: 'integer' } : { type: model, ...manyIf(cardinality === 'many') };
}

function shownType(type: Type): Pick<ShownMember, 'type' | 'nullable' | 'many'> {
  const name =
    type.kind === 'any' ? null : (type.enum ?? type.model ?? (type.digits ? decimalText(type.digits) : type.kind));
  return { type: name, ...(type.nullable ? { nullable: true } : {}), ...manyIf(type.many === true) };
}

function manyIf(many: boolean): { readonly many?: true } {
  return many ? { many: true } : {};
}

function edgesOf(model: Model, shown: ReadonlySet<string>, { models }: Definition): readonly ShownEdge[] {
  return model.references
    .filter(({ to }) => shown.has(to))
    .map(({ name, to, unique, nullable }) => ({
      from: model.name,
      to,
      reference: name,
      relation: relationBack(models, to, model.name, name),
      unique,
      nullable,
    }));
}

function relationBack(models: readonly Model[], to: string, from: string, reference: string): string | null {
  const relations = models.find(({ name }) => name === to)?.relations ?? [];
  return relations.find((each) => each.from === from && each.through === reference)?.name ?? null;
}

// ── Rule words ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Defaults, validators and indexes of a field in the words of the language, as far as a reader needs them.

/** `"draft"`, `now()`; null where it is more than a value or a call. */
function valueWords(expression: Expression): string | null {
  switch (expression.kind) {
    case 'literal':
      return literalWords(expression);
    case 'convert':
    case 'truth':
      return valueWords(expression.value);
    case 'call':
      return called(expression.function, expression.arguments);
    case 'list': {
      const items = expression.items.map(valueWords);
      return items.includes(null) ? null : `[${items.join(', ')}]`;
    }
    default:
      return null;
  }
}

/** Decimals are texts in a definition, and numbers in the language. */
function literalWords({ value, type }: Extract<Expression, { kind: 'literal' }>): string {
  return typeof value === 'string' && type.kind !== 'decimal' ? JSON.stringify(value) : String(value);
}

function called(name: string, args: readonly Expression[]): string {
  return `${name}(${args.map((each) => valueWords(each) ?? '…').join(', ')})`;
}

/** Prints a validation: `minLength(3) and maxLength(80)`. */
function validationWords(validation: Validation): string {
  switch (validation.kind) {
    case 'and':
      return validation.parts.map((part) => within(part, 'or')).join(' and ');
    case 'or':
      return validation.parts.map((part) => within(part, 'and')).join(' or ');
    case 'not':
      return `not ${within(validation.part, 'and', 'or')}`;
    case 'check': {
      const { validator } = validation;
      const name = typeof validator === 'string' ? validator : validator.own;
      return called(name, validation.arguments);
    }
  }
}

/** Prints a part, in parentheses where its kind would be misread. */
function within(part: Validation, ...kinds: readonly Validation['kind'][]): string {
  return kinds.includes(part.kind) ? `(${validationWords(part)})` : validationWords(part);
}

/** Prints the parts of an index: `published, id desc`. */
function indexWords(parts: readonly IndexPart[]): string {
  return parts.map(({ field, descending }) => `${field}${descending ? ' desc' : ''}`).join(', ');
}

// ── Reached models ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The models whose records a client meets: in a path, in an answer, or in what it sends. A model that only an action
 * writes to, such as a journal, or that only an `authorize` asks, is not among them.
 */
function reachedModels(definition: Definition): ReadonlySet<string> {
  const accounts = passwordAuthOf(definition);
  return new Set([
    ...definition.entrypoints.map(({ model }) => model),
    ...(accounts ? [accounts.model, ...selected(accounts.password.me)] : []),
    ...definition.endpoints.flatMap(modelsOf),
  ]);
}

function modelsOf({ model, records, request, actions, response }: Endpoint): readonly string[] {
  return [
    model,
    ...records.map((record) => record.model),
    ...request.inputs.flatMap(sent),
    ...actions.flatMap((action) => answered(action, actions)),
    ...('select' in response ? selected(response.select) : []),
  ];
}

function sent(input: Input): readonly string[] {
  if (input.kind !== 'value') return input.inputs.flatMap(sent);
  return [input.stores?.model, input.finds?.model].filter((model) => model !== undefined);
}

/**
 * Lists the models in the answer of a `respond`: that of the record in its body, and those that were selected with it.
 */
function answered(action: Action, actions: readonly Action[]): readonly string[] {
  if (action.kind !== 'respond' || action.body?.kind !== 'snapshot') return [];
  const { record, type } = action.body;
  const source = actions.find((each) => each.kind === 'query' && each.record === record);
  const select = source?.kind === 'query' && source.does.kind === 'select' ? source.does.select : [];
  return [...(type.model === undefined ? [] : [type.model]), ...selected(select)];
}

function selected(select: readonly Selected[]): readonly string[] {
  return select.flatMap((each) => (each.kind === 'records' ? [each.model, ...selected(each.select)] : []));
}
