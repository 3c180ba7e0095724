/** What callers are answered with: statuses, headers, bodies, and whether they need a token. */
import type { Content, Header, Reference, Response, Responses } from '../emit/openapi/document.ts';
import { schemaChanges } from './api-body.ts';
import { quoted } from './api-names.ts';
import type { Contract, Route } from './api-routes.ts';
import type { Both, Finding, Say } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';

export function responseChanges(routes: Both<Route>, contracts: Both<Contract>): readonly Finding[] {
  const say: Say = (rule, says) => ({ rule, says, subject: endpointSubject(routes.after) });
  const [former, latter] = [ownOf(contracts.before), ownOf(contracts.after)];
  return [
    ...tokenChanges(contracts, say),
    ...statusChanges({ before: [...former.keys()], after: [...latter.keys()] }, say),
    ...errorChanges(contracts, say),
    ...pairedBodies(former, latter).flatMap((both) => bodyChanges(both, routes, say)),
  ];
}

// ── Who may call ────────────────────────────────────────────────────────────────────────────────────────────────────

type Token = 'required' | 'read' | 'not read';

function tokenOf({ security }: Contract): Token {
  if (security === undefined) return 'not read';
  return security.some((requirement) => Object.keys(requirement).length === 0) ? 'read' : 'required';
}

function tokenChanges({ before, after }: Both<Contract>, say: Say): readonly Finding[] {
  const [former, latter] = [tokenOf(before), tokenOf(after)];
  if (former === latter) return [];
  if (latter === 'required') return [say('token-required', 'needs a token now')];
  if (former === 'required') return [say('token-not-required', 'can be called without a token now')];
  const says = latter === 'read' ? 'takes a token into account now' : 'does not take a token into account any more';
  return [say('token-read', says)];
}

// ── Statuses ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** By status. Errors are references, which all endpoints share. */
function ownOf({ responses }: Contract): ReadonlyMap<string, Response> {
  const own = Object.entries(responses).filter((entry): entry is [string, Response] => !isReference(entry[1]));
  return new Map(own);
}

function isReference(response: Response | Reference | Header): response is Reference {
  return '$ref' in response;
}

function statusChanges({ before, after }: Both<readonly string[]>, say: Say): readonly Finding[] {
  const gone = before.filter((status) => !after.includes(status));
  const come = after.filter((status) => !before.includes(status));
  const [former, latter] = [gone[0], come[0]];
  if (gone.length === 1 && come.length === 1 && former && latter)
    return [say('status-changed', `answers with ${wordsOf(latter)} now, not with ${wordsOf(former)}`)];
  return [
    ...gone.map((status) => say('status-removed', `does not answer with ${wordsOf(status)} any more`)),
    ...come.map((status) => say('status-added', `may answer with ${wordsOf(status)} now`)),
  ];
}

function wordsOf(status: string): string {
  return status === 'default' ? 'a status that is known only at run time' : status;
}

function errorChanges({ before, after }: Both<Contract>, say: Say): readonly Finding[] {
  const [former, latter] = [errorsOf(before.responses), errorsOf(after.responses)];
  const come = latter.filter((status) => !(status in before.responses));
  const gone = former.filter((status) => !(status in after.responses));
  return [
    ...come.map((status) => say('error-status-added', `may be refused with ${errorWords(status)} now`)),
    ...gone.map((status) => say('error-status-removed', `is not refused with ${errorWords(status)} any more`)),
    ...errorBodyChanges({ before: before.responses['422'], after: after.responses['422'] }, say),
  ];
}

/** A 422 of Kiln lists what is wrong. One of custom code need not. */
function errorBodyChanges({ before, after }: Both<Response | Reference | undefined>, say: Say): readonly Finding[] {
  if (!before || !after || !isReference(before) || !isReference(after) || before.$ref === after.$ref) return [];
  return after.$ref.endsWith('OrRefused')
    ? [say('error-body-changed', 'may be refused with a 422 that has no `errors` now')]
    : [say('error-body-narrower', 'always has `errors` in a 422 now')];
}

function errorsOf(responses: Responses): readonly string[] {
  return Object.entries(responses).flatMap(([status, response]) => (isReference(response) ? [status] : []));
}

function errorWords(status: string): string {
  return status.endsWith('XX') ? `any ${status}` : status;
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Of the same status, or the only ones of both sides. */
function pairedBodies(
  before: ReadonlyMap<string, Response>,
  after: ReadonlyMap<string, Response>,
): readonly Both<Response>[] {
  const [[former], [latter]] = [[...before.values()], [...after.values()]];
  if (before.size === 1 && after.size === 1 && former && latter) return [{ before: former, after: latter }];
  const pairs = [...after].flatMap(([status, response]) => {
    const same = before.get(status);
    return same === undefined ? [] : [{ before: same, after: response }];
  });
  // The record that was there already and the new one are written alike: the same is not said twice.
  return pairs.slice(0, 1);
}

function bodyChanges({ before, after }: Both<Response>, routes: Both<Route>, say: Say): readonly Finding[] {
  return [
    ...headerChanges({ before: before.headers ?? {}, after: after.headers ?? {} }, say),
    ...contentChanges({ before: before.content, after: after.content }, routes, say),
  ];
}

type Headers = NonNullable<Response['headers']>;

function headerChanges({ before, after }: Both<Headers>, say: Say): readonly Finding[] {
  const gone = Object.keys(before).filter((name) => !(name in after));
  return [
    ...gone.map((name) => say('header-removed', `does not have the header ${quoted(name)} any more`)),
    ...Object.entries(after).flatMap(([name, header]) => {
      const former = before[name];
      if (former === undefined) return [say('header-added', `has the new header ${quoted(name)}`)];
      return headerPresence(name, { before: former, after: header }, say);
    }),
  ];
}

function headerPresence(name: string, { before, after }: Both<Header | Reference>, say: Say): readonly Finding[] {
  const [former, latter] = [isAlways(before), isAlways(after)];
  if (former === latter) return [];
  return latter
    ? [say('header-always', `always has the header ${quoted(name)} now`)]
    : [say('header-not-always', `does not always have the header ${quoted(name)} any more`)];
}

function isAlways(header: Header | Reference): boolean {
  return isReference(header) || header.required === true;
}

function contentChanges(both: Both<Content | undefined>, routes: Both<Route>, say: Say): readonly Finding[] {
  const { before, after } = both;
  if (before === undefined && after === undefined) return [];
  if (after === undefined) return [say('body-removed', 'answers without a body now')];
  if (before === undefined) return [say('body-added', 'answers with a body now')];
  const [[formerType, former] = [], [latterType, latter] = []] = [Object.entries(before)[0], Object.entries(after)[0]];
  const typed = formerType === latterType ? [] : [mediaTypeChange(formerType ?? '', latterType ?? '', say)];
  return former && latter
    ? [...typed, ...schemaChanges({ before: former.schema, after: latter.schema }, routes)]
    : typed;
}

/** Who reads JSON reads `application/ld+json`, too. */
function mediaTypeChange(before: string, after: string, say: Say): Finding {
  const isNarrower = before === 'application/json' && after.endsWith('+json');
  const says = `answers with ${quoted(after)} now, not with ${quoted(before)}`;
  return say(isNarrower ? 'media-type-narrower' : 'media-type-changed', says);
}
