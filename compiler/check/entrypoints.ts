/** Entrypoints: what they are about, how one record is told from the others, and which names are seen below them. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { chainOf } from '../program/endpoint-path.ts';
import type {
  EndpointKind,
  Entrypoint,
  Expression,
  Field,
  Identify,
  Member,
  Model,
  Reference,
  Relation,
  Variable,
} from '../program/program.ts';
import { record } from '../program/type.ts';
import { type Context, checkText, findMember, isStandIn, meaningOf, notAmong } from './context.ts';
import { identifyPath } from './field-paths.ts';
import { checkCondition } from './fitting.ts';
import { modelNamed } from './members.ts';
import { factsWhen, rootKey } from './narrowing.ts';
import { rootOf } from './paths.ts';
import { reportHiddenName } from './queries.ts';
import { emptyScope, POSITIONS, type Scope, unlessHiding, withFacts, withName } from './scope.ts';

/** An entrypoint with what its endpoints need from it. */
export interface CheckedEntrypoint {
  readonly written: ast.EntrypointDeclaration;
  readonly entrypoint: Entrypoint;
  /** Whether it is `entrypoint @auth` or below it, so that only signed-in callers get there. */
  readonly isOfCaller: boolean;
  /** The scope without a record: list, create, custom many. */
  readonly outer: (endpoint: EndpointKind) => Scope;
  /** The scope with the record, for nested entrypoints too. */
  readonly inner: Scope;
  /** The `authorize` of this entrypoint and of those around it. Checked for each endpoint: what they see depends on its kind. */
  readonly guards: readonly ast.Expression[];
}

/** Where an entrypoint stands: in an API, and perhaps in another entrypoint. */
export interface Place {
  readonly context: Context;
  readonly api: string | null;
  readonly parent?: CheckedEntrypoint;
}

export function checkEntrypoint(written: ast.EntrypointDeclaration, place: Place): CheckedEntrypoint | undefined {
  const { context, parent } = place;
  const scope = parent?.inner ?? emptyScope(POSITIONS.authorize);
  const resource = resourceOf(written, place);
  if (!resource) return undefined;
  const found = entrypointOf(written, resource, place);
  const only = checkOnly(context, written, found);
  const entrypoint = { ...found, only };
  if (written.alias) {
    reportHiddenName(context, written.alias, scope);
    const { text, span } = written.alias;
    context.witness?.meant(span, meaningOf(text, { kind: 'variable', variable: entrypoint.variable, span }));
  }
  const isOfCaller = entrypoint.isCaller || parent?.isOfCaller === true;
  return {
    written,
    entrypoint,
    isOfCaller,
    outer: (endpoint) => withoutRecord(scope, written, entrypoint, endpoint),
    inner: withFacts(withRecord(scope, written, entrypoint), only ? factsWhen(only, true) : []),
    guards: [...(parent?.guards ?? []), ...(written.authorize ? [written.authorize] : [])],
  };
}

/** The records around it are found by the same statement, so it sees only its own record and the caller. */
function checkOnly(
  context: Context,
  written: ast.EntrypointDeclaration,
  entrypoint: Entrypoint,
): Expression | undefined {
  if (!written.only) return undefined;
  if (entrypoint.isCaller) return context.report('only-on-caller', written.only.span, {});
  return checkCondition(context, written.only, withRecord(emptyScope(POSITIONS.only), written, entrypoint));
}

type Resource = Pick<Entrypoint, 'model' | 'through'>;

function resourceOf({ resource, isCaller }: ast.EntrypointDeclaration, place: Place): Resource | undefined {
  if (isCaller) return callerResource(resource, place);
  const { context, parent } = place;
  if (parent) return nestedResource(context, resource, parent.entrypoint.model);
  const model = modelNamed(context, resource, 'entrypoint');
  return model && { model };
}

function callerResource(name: ast.Name, { context, parent }: Place): Resource | undefined {
  if (parent) return context.report('nested-caller', name.span, {});
  const model = context.authModel;
  if (!model) context.asksForAuth?.push({ word: '@auth', span: name.span });
  else context.witness?.meant(name.span, { kind: 'auth', model });
  return model && { model };
}

function nestedResource(context: Context, name: ast.Name, parent: Model): Resource | undefined {
  const member = findMember(context, name, parent);
  if (member?.kind === 'reference') return { model: member.to, through: member };
  if (member?.kind === 'relation') return { model: member.from, through: member };
  if (isStandIn(member)) return undefined;
  const candidates = [...parent.members.values()].filter(({ kind }) => kind === 'reference' || kind === 'relation');
  const about = notAmong(name, candidates);
  const near = member ? undefined : (candidates.find((each) => leadsTo(each, name.text)) ?? about.near);
  return context.report('not-a-resource', name.span, { ...about, model: parent.name, found: member?.kind, near });
}

/** Whether the author named a model but meant the relation to it. */
function leadsTo(member: Member, model: string): boolean {
  if (member.kind === 'reference') return member.to.name === model;
  return member.kind === 'relation' && member.from.name === model;
}

function entrypointOf(written: ast.EntrypointDeclaration, resource: Resource, place: Place): Entrypoint {
  const { context, api, parent } = place;
  const { model, through } = resource;
  const { isCaller } = written;
  const single = isSingle(through);
  if ((single || isCaller) && written.identify)
    context.report('identify-on-single', written.identify.span, { resource: written.resource.text });
  return {
    api,
    doc: written.doc,
    segment: segmentOf(context, written.path, isCaller ? (written.alias?.text ?? model.name) : written.resource.text),
    model,
    through,
    parent: parent?.entrypoint,
    variable: isCaller ? callerOf(model) : recordOf(written.alias, model, parent?.entrypoint),
    identify: single || isCaller ? undefined : identifyOf(written, resource, place),
    isCaller,
    optional: single && (through.kind === 'relation' || through.nullable),
    span: written.resource.span,
  };
}

/** The record has one name, so that reading `me` and reading `@auth` is reading it once. */
function callerOf(model: Model): Variable {
  return { name: '@auth', type: record(model), holds: 'caller' };
}

/** Where the author did not name the record, the name is Kiln's own and differs from those around it. */
function recordOf(alias: ast.Name | undefined, model: Model, parent: Entrypoint | undefined): Variable {
  const taken = new Set(chainOf(parent).map(({ variable }) => variable.name));
  return { name: alias?.text ?? firstFree(`${snakeCase(model.name)}#`, taken), type: record(model), holds: 'record' };
}

/** A reference leads to one record, and so does a relation over a unique reference. */
export function isSingle(through: Reference | Relation | undefined): through is Reference | Relation {
  return through?.kind === 'reference' || (through?.kind === 'relation' && through.through.unique);
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}

function identifyOf({ identify }: ast.EntrypointDeclaration, { model, through }: Resource, place: Place): Identify {
  const { context, parent } = place;
  if (identify && !identify.through) context.report('identify-without-path', identify.span, {});
  const found = identify?.through && identifyPath(context, identify.through, model, through);
  const { steps, field } = found ?? { steps: [], field: model.members.get('id') as Field };
  return { parameter: parameterName([model, ...steps, field], parent?.entrypoint), steps, field };
}

/** `post_slug`, `comment_id`; a number is added where an outer entrypoint has the name already. */
function parameterName(path: readonly (Model | Member)[], parent: Entrypoint | undefined): string {
  const taken = new Set(chainOf(parent).flatMap(({ identify }) => identify?.parameter ?? []));
  return firstFree(path.map(({ name }) => snakeCase(name)).join('_'), taken);
}

function withRecord(
  scope: Scope,
  { alias, resource, isCaller }: ast.EntrypointDeclaration,
  { variable, model }: Entrypoint,
): Scope {
  // A caller who reaches a record of their own is signed in.
  const known = isCaller ? withFacts(scope, [rootKey(rootOf(variable))]) : scope;
  if (!alias) return isCaller ? known : { ...scope, unnamed: { resource: resource.text, model } };
  return withName(known, alias.text, unlessHiding(scope, alias.text, { kind: 'variable', variable, span: alias.span }));
}

function withoutRecord(
  scope: Scope,
  { alias }: ast.EntrypointDeclaration,
  { model }: Entrypoint,
  endpoint: EndpointKind,
): Scope {
  if (!alias) return scope;
  return { ...scope, outOfReach: new Map(scope.outOfReach).set(alias.text, { model, endpoint }) };
}

/** The record's variable, for what is done to it without a name. */
export function recordPath(variable: Variable, span: Expression['span']): Expression {
  return { kind: 'path', root: rootOf(variable), steps: [], type: variable.type, span };
}

// ── Segments of paths ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The segment of a path: what the author wrote, without outer slashes and encoded, else the snake_case of the resource as
 * written.
 */
function segmentOf(context: Context, written: ast.Text | undefined, resource: string): string {
  if (!written) return snakeCase(resource);
  checkText(written, context.report);
  const inner = written.value.replace(/^\/+|\/+$/g, '');
  if (/[/:]/.test(inner)) context.report('path-of-several', written.span, { path: inner });
  return encodedSegment(context, inner, written);
}

export function encodedSegment(context: Context, part: string, { value, span }: ast.Text): string {
  if (part === '' || part === '.' || part === '..') context.report('empty-path', span, { path: value });
  return encodeURIComponent(part.toWellFormed());
}
