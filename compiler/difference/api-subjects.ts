/** What a change is about, as narrowly as the definitions can tell: a member of a model where that is not as it was. */
import type { Definition, Model } from '../definition/definition.ts';
import type { ValueInput } from '../definition/endpoint.ts';
import type { Selected } from '../definition/expression.ts';
import { modelIn } from '../definition/lookup.ts';
import { formerName } from './api-pairs.ts';
import type { Route } from './api-routes.ts';
import type { Both } from './api-rules.ts';
import type { Subject } from './difference.ts';

export function endpointSubject({ endpoint }: Route): Subject {
  return { kind: 'endpoint', id: endpoint.id };
}

/** The field behind an input, where it has changed; else the input of the endpoint. */
export function inputSubject(routes: Both<Route>, input: ValueInput, path: string): Subject {
  const { stores } = input;
  const own: Subject = { kind: 'endpoint', id: routes.after.endpoint.id, input: path };
  return stores === null ? own : (changedMember(routes, stores.model, stores.field) ?? own);
}

/** The member behind a property of the response, where it has changed; else the endpoint. */
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
