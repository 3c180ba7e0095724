/**
 * What callers notice from one definition to another, by the rules that clients live by. Endpoints are paired first; what is
 * left of them is new or removed. docs/compatibility.md has the rules, and says where they differ from those of others.
 */
import type { Definition } from '../definition/definition.ts';
import { listChanges } from './api-list.ts';
import { meaningChanges } from './api-meaning.ts';
import { labelOf, quoted } from './api-names.ts';
import { formerName, routePairs, urlOf } from './api-pairs.ts';
import { pathChanges } from './api-path.ts';
import { requestChanges } from './api-request.ts';
import { responseChanges } from './api-response.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, RULES, type Rule } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';
import { together } from './api-together.ts';
import { unchangedIn } from './api-unchanged.ts';
import type { ApiChange } from './difference.ts';

/** Breaking changes first, then in the order of the endpoints. */
export function apiChanges(before: Definition, after: Definition): readonly ApiChange[] {
  const { kept, removed, added } = routePairs({ before, after });
  const isUnchanged = unchangedIn({ before, after });
  const changes = [
    ...removed.map((route) => wholeChange('endpoint-removed', route, 'is removed')),
    ...added.map((route) => wholeChange('endpoint-added', route, 'is new')),
    ...kept.flatMap((routes) => [...moves(routes), ...(isUnchanged(routes) ? [] : changesOf(routes))]),
  ];
  return [...together(changes)].sort((a, b) => orderOf(a) - orderOf(b) || compare(a.endpoint ?? '', b.endpoint ?? ''));
}

function orderOf({ level }: ApiChange): number {
  return level === 'breaking' ? 0 : 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
  ];
  return findings.map((finding) => changeFrom(finding, after));
}

function changeFrom({ rule, says, subject }: Finding, { endpoint }: Route): ApiChange {
  const label = labelOf(endpoint);
  return { endpoint: label, rule, level: RULES[rule], says: `${label}: ${says}`, subject };
}

/** Where callers find the endpoint, and what generated clients call it. */
function moves(routes: Both<Route>): readonly ApiChange[] {
  const { before, after } = routes;
  if (urlOf(before) !== urlOf(after)) return [moved(routes)];
  if (before.operationId === after.operationId) return [];
  const says = `is called ${quoted(after.operationId)} in clients now, not ${quoted(before.operationId)}`;
  return [wholeChange('operation-renamed', after, says)];
}

/** Renaming a model moves its URL, which nobody sees in the source. */
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
