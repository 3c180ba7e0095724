/** Models and enums: first the names, then the members, then the expressions in them. */

import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import { pathsIn } from '../program/parts.ts';
import type {
  Computed,
  Enum,
  Expression,
  Field,
  Member,
  Model,
  ModelHook,
  ModelQuery,
  Reference,
  Relation,
} from '../program/program.ts';
import { ANY, record, typeName } from '../program/type.ts';
import { type Building, type Context, findMember, firstOfEach, memberName, settle } from './context.ts';
import { checkFitting, reportMisfit } from './fitting.ts';
import { checkHook } from './hooks.ts';
import { declareKeys } from './keys.ts';
import {
  type BuildingModel,
  declareMembers,
  declareModel,
  modelNamed,
  type Names,
  settleReferenceTypes,
} from './members.ts';
import { checkQuery } from './queries.ts';
import { pathsWithin } from './rules.ts';
import { emptyScope, POSITIONS, rowScope } from './scope.ts';
import { reportShownSecrets } from './secrets.ts';
import { checkValidation } from './validations.ts';

export function declareEnums(
  declarations: readonly ast.EnumDeclaration[],
  report: Diagnostics['report'],
): ReadonlyMap<string, Enum> {
  return new Map(declarations.map((declaration) => [declaration.name.text, enumOf(declaration, report)]));
}

function enumOf(declaration: ast.EnumDeclaration, report: Diagnostics['report']): Enum {
  checkEnumValues(declaration, report);
  return {
    name: declaration.name.text,
    was: declaration.was?.text ?? null,
    values: declaration.values.map(({ name, was, doc }) => ({ name: name.text, was: was?.text ?? null, doc })),
    drops: declaration.drops.map(({ text }) => text),
    doc: declaration.doc,
    span: declaration.name.span,
  };
}

/** Postgres takes no longer ones. Identifiers are ASCII, so a character is a byte. */
const LONGEST_VALUE = 63;

function checkEnumValues(declaration: ast.EnumDeclaration, report: Diagnostics['report']): void {
  const owner = declaration.name.text;
  const values = declaration.values.map(({ name }) => name);
  firstOfEach(
    values,
    ({ text }) => text,
    ({ text: value, span }, first) => report('duplicate-enum-value', span, { value, enum: owner, first: first.span }),
  );
  for (const { text, span } of values) {
    const { length } = text;
    if (length > LONGEST_VALUE) report('long-enum-value', span, { enum: owner, length, longest: LONGEST_VALUE });
  }
  if (declaration.values.length === 0) report('empty-enum', declaration.name.span, { enum: owner });
}

/**
 * All models with all their members; the expressions in them follow with `checkModels`. Members of a known model that are
 * missing are retained: the author of a model that is being written has most likely not written them yet.
 */
export function declareModels(
  models: readonly ast.ModelDeclaration[],
  others: Omit<Names, 'models'>,
  known: ReadonlyMap<string, Model> = new Map(),
): ReadonlyMap<string, Model> {
  const built = new Map(models.map((declaration) => [declaration.name.text, declareModel(declaration)]));
  const names: Names = { ...others, models: new Map<string, Model>([...known, ...built]) };
  const retainMembers = (_: Names, { name, members }: BuildingModel) => {
    for (const [key, member] of known.get(name)?.members ?? []) if (!members.has(key)) members.set(key, member);
  };
  // Each pass relies on the one before over all models.
  for (const work of [declareMembers, settleReferenceTypes, retainMembers, declareRelations, declareKeys])
    for (const declaration of models) work(names, built.get(declaration.name.text) as BuildingModel, declaration);
  return names.models;
}

/** Prepares computed members and queries. They are checked when they are first needed, or at the end. */
export function prepareModels(context: Context, declarations: readonly ast.ModelDeclaration[]): void {
  eachMember(context, declarations, (member, written) => {
    if (member.kind === 'computed' && written.kind === 'computed')
      context.unsettled.set(member, () => checkComputed(context, member, written));
    if (member.kind === 'query' && written.kind === 'query')
      context.unsettled.set(member, () => checkModelQuery(context, member, written));
  });
}

export function checkModels(context: Context, declarations: readonly ast.ModelDeclaration[]): void {
  eachMember(context, declarations, (member, written) => {
    if (member.kind === 'computed' || member.kind === 'query') settle(context, member, member.span);
    if (member.kind === 'field' && written.kind === 'field') checkField(context, member, written);
    if (member.kind === 'reference' && written.kind === 'reference') checkReference(context, member, written);
    if (member.kind === 'hook' && written.kind === 'hook') {
      const scope = rowScope(POSITIONS.modelHookArgument, member.model);
      (member as Building<ModelHook>).call = checkHook(context, written.hook, scope);
    }
  });
}

function eachMember(
  context: Context,
  declarations: readonly ast.ModelDeclaration[],
  work: (member: Member, written: ast.ModelMember) => void,
): void {
  for (const declaration of declarations) {
    const model = context.models.get(declaration.name.text);
    for (const written of declaration.members) {
      if (!('name' in written) || written.kind === 'drop') continue;
      const member = model?.members.get(written.name.text);
      if (member?.span === written.name.span) work(member, written);
    }
  }
}

function checkComputed(context: Context, member: Computed, written: ast.ComputedDeclaration): void {
  const value = context.checkExpression(context, written.value, rowScope(POSITIONS.computed, member.model));
  (member as Building<Computed>).value = value;
  const { base, many } = value.type;
  if (many || base.kind === 'record' || base.kind === 'null') {
    const is = base.kind === 'null' ? 'null' : !many ? 'record' : base.kind === 'record' ? 'records' : 'values';
    context.report('computed-not-a-value', value.span, { member: memberName(member), type: typeName(value.type), is });
  }
}

function checkModelQuery(context: Context, member: ModelQuery, written: ast.QueryDeclaration): void {
  const { query: body } = written;
  if (!body.from) context.report('missing-from', written.name.span, { noun: `the query \`${written.name.text}\`` });
  const scope = rowScope(POSITIONS.filter, member.model);
  const query = body.from && checkQuery(context, body, scope, 'this query');
  if (query) (member as Building<ModelQuery>).query = query;
}

function checkField(context: Context, field: Field, written: ast.FieldDeclaration): void {
  if (field.origin === 'id') return;
  const building = field as Building<Field>;
  const name = `${field.model.name}.${field.name}`;
  const wanted = { type: field.type, by: `\`${name}\`` };
  // Neither reads anything: they depend neither on the record nor on the caller.
  if (written.default) building.default = checkFitting(context, written.default, emptyScope(POSITIONS.default), wanted);
  if (written.onUpdate)
    building.onUpdate = checkFitting(context, written.onUpdate, emptyScope(POSITIONS.onUpdate), wanted);
  if (written.backfill) {
    building.backfill = checkFitting(context, written.backfill, rowScope(POSITIONS.backfill, field.model), wanted);
    reportRequestRead(context, building.backfill);
    reportShownSecrets(context, building.backfill, field, 'a backfill');
  }
  if (written.validate) {
    const subject = { kind: 'field', name, type: field.type } as const;
    building.validate = checkValidation(context, written.validate, subject, emptyScope(POSITIONS.fieldValidate));
  }
}

/** The rows that exist get a record, or the id of one as the key takes it. Either way it is the key that is filled. */
function checkReference(context: Context, reference: Reference, { backfill }: ast.ReferenceDeclaration): void {
  if (!backfill) return;
  const { model, name, field, to } = reference;
  const value = context.checkExpression(context, backfill, rowScope(POSITIONS.backfill, model), field.type);
  const { base, many } = value.type;
  const isId = !many && base.kind !== 'record' && base.kind !== 'null';
  const target = typeName(record(to));
  reportMisfit(context, value, {
    type: isId ? field.type : record(to, reference.nullable),
    by: `\`${model.name}.${isId ? field.name : name}\``,
    help: `write a path to ${target}, such as another reference or a query that ends in \`one\`, or the id of ${target}`,
  });
  (field as Building<Field>).backfill = value;
  reportRequestRead(context, value);
  reportShownSecrets(context, value, field, 'a backfill');
}

/** A migration runs without a request and without settings, and so without members that read them. */
function reportRequestRead(context: Context, backfill: Expression): void {
  const steps = pathsIn(backfill).flatMap((path) => path.steps);
  for (const step of new Set(steps)) {
    const found = pathsWithin([step]).find(({ root }) => ['auth', 'request', 'setting'].includes(root.kind));
    if (!found) continue;
    const facts = { member: memberName(step), isSetting: found.root.kind === 'setting', read: found.span };
    context.report('request-in-backfill', backfill.span, facts);
  }
}

// ── Relations ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Relations: each is the reverse side of a reference, which must be there and lead back.

function declareRelations(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  for (const written of declaration.members) {
    if (written.kind !== 'relation' || model.members.get(written.name.text)?.span !== written.name.span) continue;
    const relation = relationOf(names, model, written);
    if (relation) model.members.set(written.name.text, relation);
  }
}

function relationOf(names: Names, model: Model, written: ast.RelationDeclaration): Relation | undefined {
  const { report, models } = names;
  const user = `${model.name}.${written.name.text}`;
  const { from, through } = written;
  if (!from || !through) {
    const lacks = [!from && 'from', !through && 'through'].filter((word) => word !== false);
    const source = !through && from?.path.steps.length === 1 ? models.get(from.path.steps[0].text) : undefined;
    const [near, ...others] = source ? referencesTo(model, source) : [];
    const place = others.length === 0 ? from?.path.span : undefined;
    return report('incomplete-relation', written.name.span, { relation: user, lacks, near, from: place });
  }
  const [fromName, ...moreFrom] = from.path.steps;
  const [throughName, ...moreThrough] = through.steps;
  const further = moreFrom[0] ?? moreThrough[0];
  if (further) return report('relation-by-path', further.span, { relation: user });
  if (from.alias) report('relation-alias', from.alias.span, { relation: user, alias: from.alias.text });
  const source = modelNamed(names, fromName, user);
  if (!source) return undefined;
  const reference = findMember(names, throughName, source);
  if (reference?.kind === 'reference' && reference.to.name === model.name) {
    const { name, doc } = written;
    return { name: name.text, model, doc, span: name.span, kind: 'relation', from: source, through: reference };
  }
  const isReported = reference?.kind === 'field' && reference.type === ANY;
  return isReported ? undefined : reportBadThrough(names, model, user, source, throughName, reference);
}

function reportBadThrough(
  { report }: Names,
  model: Model,
  relation: string,
  source: Model,
  through: ast.Name,
  found: Member | undefined,
): undefined {
  const { text: name, span } = through;
  const fitting = referencesTo(model, source);
  const near = nearName(name, fitting) ?? fitting[0];
  const facts = { relation, source: source.name, model: model.name, near };
  if (found?.kind === 'reference') {
    report('relation-elsewhere', span, { ...facts, reference: found.name, to: found.to.name, declared: found.span });
  } else report('unknown-through', span, { ...facts, name, found: found?.kind });
}

/**
 * Finds references by the name of the model. A model that is checked while it is being written is not yet the one that
 * the others refer to.
 */
function referencesTo(model: Model, source: Model): readonly Reference[] {
  const references = [...source.members.values()].filter((member) => member.kind === 'reference');
  return references.filter(({ to }) => to.name === model.name);
}
