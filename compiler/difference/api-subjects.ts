/** The subject of a change, as narrow as the definitions allow: a member of a model if that has changed. */
import type { Definition, Model } from '../definition/definition.ts';
import type { ValueInput } from '../definition/endpoint.ts';
import type { Selected } from '../definition/expression.ts';
import { modelIn } from '../definition/lookup.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, quoted, type Rule, saysAbout } from './api-rules.ts';
import type { Subject } from './difference.ts';
import { formerName } from './pairing.ts';

export function endpointSubject({ endpoint }: Route): Subject {
  return { kind: 'endpoint', id: endpoint.id };
}

/** The field behind an input, if it has changed; else the input of the endpoint. */
export function inputSubject(routes: Both<Route>, input: ValueInput, path: string): Subject {
  const { stores } = input;
  const own: Subject = { kind: 'endpoint', id: routes.after.endpoint.id, input: path };
  return stores === null ? own : (changedMember(routes, stores.model, stores.field) ?? own);
}

/** The member behind a property of the response, if it has changed; else the endpoint. */
export function propertySubject(routes: Both<Route>, path: readonly string[]): Subject {
  const { before, after } = routes;
  const origin = memberIn(after, path) ?? memberIn(before, path);
  return (origin && changedMember(routes, origin.model, origin.member)) ?? endpointSubject(after);
}

// ── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function changedMember({ before, after }: Both<Route>, name: string, member: string): Subject | undefined {
  const definitions = { before: before.definition, after: after.definition };
  const former = memberOf(formerName(name, definitions), member, before.definition);
  const latter = memberOf(name, member, after.definition);
  if (JSON.stringify(former) === JSON.stringify(latter)) return undefined;
  return { kind: 'model', name, member };
}

function memberOf(name: string, member: string, definition: Definition): unknown {
  const model = modelIn(definition, name);
  return model && MEMBERS.map((kind) => model[kind].find((each) => each.name === member)).find(Boolean);
}

const MEMBERS = [
  'fields',
  'references',
  'relations',
  'computed',
  'queries',
  'hooks',
] as const satisfies (keyof Model)[];

interface Origin {
  readonly model: string;
  readonly member: string;
}

interface Selection {
  readonly model: string;
  readonly select: readonly Selected[];
}

function selectOf({ endpoint: { response, model } }: Route): Selection | null {
  if (response.kind === 'record') return { model, select: response.select };
  return response.kind === 'list' ? { model: response.query.model, select: response.select } : null;
}

/** The records of a page are in its `data`. */
function memberIn(route: Route, path: readonly string[]): Origin | null {
  const { response } = route.endpoint;
  const isPage = response.kind === 'list' && response.page !== null;
  return memberAt(selectOf(route), isPage ? path.slice(1) : path);
}

function memberAt(selection: Selection | null, [name, ...rest]: readonly string[]): Origin | null {
  const selected = selection?.select.find((each) => each.name === name);
  if (!selection || !selected) return null;
  switch (selected.kind) {
    case 'records':
      return rest.length === 0 ? firstStep(selected, selection) : memberAt(selected, rest);
    case 'hook':
      return { model: selection.model, member: selected.hook };
    case 'value':
      return memberBehind(selected.value);
  }
}

function firstStep({ path }: Extract<Selected, { kind: 'records' }>, { model }: Selection): Origin | null {
  const [step] = path;
  return step === undefined ? null : { model, member: step.name };
}

function memberBehind(value: Extract<Selected, { kind: 'value' }>['value']): Origin | null {
  if (value.kind === 'field') return { model: value.model, member: value.field };
  return value.kind === 'computed' ? { model: value.model, member: value.computed } : null;
}

// Values of enums. An enum is in many requests and responses, so changes of it name no endpoint.

type Side = 'request' | 'response';

interface OfEnum {
  readonly enum?: string;
}

const ADDED: Readonly<Record<Side, Rule>> = { request: 'input-value-added', response: 'property-value-added' };
const REMOVED: Readonly<Record<Side, Rule>> = { request: 'input-value-removed', response: 'property-value-removed' };

/** Compares the values of an enum, or of two enums, where both types are enums. `at` is the input or the property. */
export function valueChanges(types: Both<OfEnum>, routes: Both<Route>, side: Side, at: string): readonly Finding[] {
  const { before, after } = types;
  if (before.enum === undefined || after.enum === undefined) return [];
  const names = { before: before.enum, after: after.enum };
  const former = valuesOf(names.before, routes.before.definition);
  const latter = valuesOf(names.after, routes.after.definition);
  const [come, gone] = [latter.filter(isNotIn(former)), former.filter(isNotIn(latter))];
  const { enums } = routes.after.definition;
  const isRenamed = enums.some(({ name, was }) => name === names.after && was === names.before);
  const isSame = names.before === names.after || isRenamed;
  const what = isSame ? `the enum ${quoted(names.after)}` : at;
  const subject = isSame
    ? ({ kind: 'enum', name: names.after } as const)
    : ({ kind: 'endpoint', id: routes.after.endpoint.id } as const);
  const say = saysAbout(subject, what);
  const renamed = `the enum ${quoted(names.before)} is called ${quoted(names.after)} in generated clients now`;
  return [
    ...(isSame && names.before !== names.after ? [{ rule: 'schema-renamed', says: renamed, subject } as const] : []),
    ...(isSame
      ? []
      : [say('schema-renamed', `is of the enum ${quoted(names.after)} now, not ${quoted(names.before)}`)]),
    ...come.map((value) => say(ADDED[side], `has the new value ${quoted(value)} in ${side}s`)),
    ...gone.map((value) => say(REMOVED[side], `does not have the value ${quoted(value)} in ${side}s any more`)),
  ];
}

function valuesOf(name: string, { enums }: Definition): readonly string[] {
  return enums.find((each) => each.name === name)?.values.map((value) => value.name) ?? [];
}

function isNotIn(values: readonly string[]): (value: string) => boolean {
  const known = new Set(values);
  return (value) => !known.has(value);
}
