/**
 * The changes that callers notice between two definitions, by the compatibility rules for clients. Endpoints are paired
 * first; the remaining ones are new or removed. docs/compatibility.md has the rules, and says where they differ from
 * those of others.
 */
import type { Definition } from '../definition/definition.ts';
import type { Identify } from '../definition/endpoint.ts';
import { compare, endpointIn, groupedBy } from '../definition/lookup.ts';
import { fieldIn } from '../emit/openapi/names.ts';
import { listChanges } from './api-list.ts';
import { meaningChanges } from './api-meaning.ts';
import { normaliseFindings, requestChanges, typeFindings } from './api-request.ts';
import { responseChanges } from './api-response.ts';
import { type Route, webhookRoutes } from './api-routes.ts';
import { type Both, type Finding, labelOf, quoted, RULES, type Rule, saysAbout } from './api-rules.ts';
import { endpointSubject, valueChanges } from './api-subjects.ts';
import type { ApiChange, Subject } from './difference.ts';
import { formerName, pairedBy, routePairs, urlOf } from './pairing.ts';

/** The changes, breaking ones first, then in the order of the endpoints. */
export function apiChanges(before: Definition, after: Definition): readonly ApiChange[] {
  const { kept, removed, added } = routePairs({ before, after });
  const changes = [
    ...removed.map((route) => wholeChange('endpoint-removed', route, 'is removed')),
    ...added.map((route) => wholeChange('endpoint-added', route, 'is new')),
    ...kept.flatMap((routes) => [...moves(routes), ...changesOf(routes)]),
    ...webhookChanges(before, after),
  ];
  return [...together(changes)].sort((a, b) => orderOf(a) - orderOf(b) || compare(a.endpoint ?? '', b.endpoint ?? ''));
}

/** A receiver reads the body of a webhook as a client reads a response. */
function webhookChanges(before: Definition, after: Definition): readonly ApiChange[] {
  const paired = pairedBy(webhookRoutes(before), webhookRoutes(after), [({ endpoint }) => endpoint.id]);
  const change = (rule: Rule, { endpoint: { id } }: Route, says: string, found?: Subject): ApiChange => {
    const subject = found?.kind === 'endpoint' ? undefined : found;
    const level = RULES[rule];
    return { endpoint: id, rule, level, says: `${id}${says}`, subject: subject ?? { kind: 'job', name: id } };
  };
  return [
    ...paired.removed.map((route) => change('webhook-removed', route, ' is removed')),
    ...paired.added.map((route) => change('webhook-added', route, ' is new')),
    ...paired.kept.flatMap((routes) => {
      const contracts = { before: routes.before.contract(), after: routes.after.contract() };
      return [...responseChanges(routes, contracts), ...meaningChanges(routes)].map(({ rule, says, subject }) =>
        change(rule, routes.after, `: ${says.replace('the response', 'the body')}`, subject),
      );
    }),
  ];
}

function orderOf({ level }: ApiChange): number {
  return level === 'breaking' ? 0 : 1;
}

function wholeChange(rule: Rule, route: Route, says: string): ApiChange {
  const endpoint = labelOf(route.endpoint);
  return { endpoint, rule, level: RULES[rule], says: `${endpoint} ${says}`, subject: endpointSubject(route) };
}

function changesOf(routes: Both<Route>): readonly ApiChange[] {
  const { before, after } = routes;
  const contracts = { before: before.contract(), after: after.contract() };
  const findings = [
    ...pathChanges(routes),
    ...listChanges(routes),
    ...requestChanges(routes),
    ...responseChanges(routes, contracts),
    ...meaningChanges(routes),
    ...stalenessChanges(routes),
  ];
  return findings.map((finding) => changeFrom(finding, after));
}

function stalenessChanges({ before, after }: Both<Route>): readonly Finding[] {
  const { stale } = after.endpoint;
  if (before.endpoint.stale === stale) return [];
  const says = stale
    ? `may be answered by a replica, with data that is up to ${stale} s old`
    : 'is answered with the newest data again';
  return [{ rule: 'staleness-changed', says, subject: endpointSubject(after) }];
}

function changeFrom({ rule, says, subject }: Finding, { endpoint }: Route): ApiChange {
  const label = labelOf(endpoint);
  return { endpoint: label, rule, level: RULES[rule], says: `${label}: ${says}`, subject };
}

/** Finds a change of the URL of the endpoint, or of its name in generated clients. */
function moves(routes: Both<Route>): readonly ApiChange[] {
  const { before, after } = routes;
  if (urlOf(before) !== urlOf(after)) return [moved(routes)];
  const areUpdates = before.endpoint.kind === 'update' && after.endpoint.kind === 'update';
  const nameOf = (route: Route) => (areUpdates ? updateName(route) : route.operationId);
  const [former, latter] = [nameOf(before), nameOf(after)];
  if (former === latter) return [];
  const says = `is called ${quoted(latter)} in clients now, not ${quoted(former)}`;
  return [wholeChange('operation-renamed', after, says)];
}

/** PATCH has the plain name if there are two updates. */
function updateName({ endpoint: { id, method }, definition }: Route): string {
  const areTwo = id.endsWith('.put') || endpointIn(definition, `${id}.patch`) !== undefined;
  return method === 'PUT' && areTwo ? 'updatePut' : 'update';
}

/** The change of a URL. Renaming a model moves its URL, which nobody sees in the source. */
function moved({ before, after }: Both<Route>): ApiChange {
  const { model } = after.endpoint;
  const former = formerName(model, { before: before.definition, after: after.definition });
  const isRenamed = former !== model && former === before.endpoint.model;
  const reason = isRenamed
    ? `: the model ${quoted(former)} is called ${quoted(model)} now`
    : apiReason(before.endpoint.api, after.endpoint.api);
  const change = wholeChange('endpoint-moved', after, `was ${labelOf(before.endpoint)}${reason}`);
  return isRenamed ? { ...change, subject: { kind: 'model', name: model } } : change;
}

function apiReason(before: string | null, after: string | null): string {
  if (before === after) return '';
  if (after === null) return `: the API ${quoted(before ?? '')} has no name any more`;
  return `: the API${before === null ? '' : ` ${quoted(before)}`} is called ${quoted(after)} now`;
}

// ── Api together ─────────────────────────────────────────────────────────────────────────────────────────────────────

// A change of an enum or a shape is reported once, however many endpoints use it.

function together(changes: readonly ApiChange[]): readonly ApiChange[] {
  const groups = groupedBy(changes, (change) => {
    const isShared = change.subject.kind === 'enum' || change.subject.kind === 'application';
    return isShared ? JSON.stringify([change.rule, wordsOf(change)]) : change.says;
  });
  return [...groups.values()].map(([first, ...others]) => joined(first, others));
}

function wordsOf({ says, endpoint }: ApiChange): string {
  return says.slice(`${endpoint}: `.length);
}

function joined(first: ApiChange, others: readonly ApiChange[]): ApiChange {
  const endpoints = [...new Set([first, ...others].flatMap(({ endpoint }) => endpoint ?? []))].sort();
  if (endpoints.length <= 1) return first;
  const [one = '', ...more] = endpoints;
  const rest = more.length === 1 ? `and ${quoted(more[0] ?? '')}` : `and ${more.length} more endpoints`;
  return { ...first, endpoint: null, says: `${wordsOf(first)} (${quoted(one)} ${rest})` };
}

// ── Api path ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The parameters of a path: their fields and their names.

/** Compares the parameters by their places in the path. An endpoint that moved may have completely different ones. */
function pathChanges(routes: Both<Route>): readonly Finding[] {
  const [before, after] = [identifiersOf(routes.before), identifiersOf(routes.after)];
  if (before.length !== after.length) return [];
  return after.flatMap((identify, index) => {
    const former = before[index];
    return former === undefined ? [] : parameterChanges({ before: former, after: identify }, routes);
  });
}

function identifiersOf({ endpoint }: Route): readonly Identify[] {
  return endpoint.records.flatMap(({ identify }) => (identify ? [identify] : []));
}

function parameterChanges({ before, after }: Both<Identify>, routes: Both<Route>): readonly Finding[] {
  const say = saysAbout(endpointSubject(routes.after), `the path parameter ${quoted(after.parameter)}`);
  const { definition } = routes.after;
  const types = { before: before.type, after: after.type };
  if (fieldPath(before) !== fieldPath(after) && fieldPath(before) !== formerPath(after, definition)) {
    const words = `is the ${quoted(fieldPath(after))} of the record now, not the ${quoted(fieldPath(before))}`;
    return [say('path-field-changed', words)];
  }
  return [
    ...typeFindings(types, say),
    ...valueChanges(types, routes, 'request', after.parameter),
    ...normaliseFindings({ before: before.normalise ?? [], after: after.normalise ?? [] }, say),
    ...(before.parameter === after.parameter || urlOf(routes.before) !== urlOf(routes.after)
      ? []
      : [say('path-parameter-renamed', `was called ${quoted(before.parameter)}`)]),
  ];
}

function fieldPath({ path, field }: Identify): string {
  return [...path.map(({ name }) => name), field].join('.');
}

/** The path with the name that the field had before it was renamed. */
function formerPath(identify: Identify, definition: Definition): string {
  const { was } = fieldIn(definition, identify.model, identify.field) ?? { was: null };
  return fieldPath({ ...identify, field: was ?? identify.field });
}
