import type { Definition } from '../definition/definition.ts';
import type { Expression } from '../definition/expression.ts';
import { endpointIn } from '../definition/lookup.ts';
import { type AccessRule, accessRules } from './access-rules.ts';
import type { Both } from './api-rules.ts';
import { all, areSame, implies } from './condition.ts';
import type { Access, AccessChange } from './difference.ts';
import { assignments, type FormerNames, formerNames, OWN_NAMES } from './meaning.ts';
import { routePairs } from './pairing.ts';

/** The order of the changes: those that let more callers in, or show them more, come first. */
const ORDER: readonly AccessChange['direction'][] = ['weaker', 'other', 'new', 'stricter', 'removed'];

/** Finds the changes in who may call what. */
export function accessChanges(before: Definition, after: Definition): readonly AccessChange[] {
  const names = formerNames(before, after);
  const [previous, next] = [byId(accessRules(before)), byId(accessRules(after, names))];
  const { kept } = routePairs({ before, after });
  // The current ids of endpoints by the previous ids.
  const pairs = new Map(kept.map((pair) => [pair.before.endpoint.id, pair.after.endpoint.id]));
  const paired = new Set(pairs.values());
  const changes = [
    ...[...pairs].flatMap(([from, to]) => changeOf(previous.get(from) as AccessRule, next.get(to) as AccessRule)),
    ...impersonations({ before, after }, pairs, names, next),
    ...[...next.values()].filter(({ id }) => !paired.has(id)).map(added),
    ...[...previous.values()].filter(({ id }) => !pairs.has(id)).map(removed),
  ];
  return changes.sort((a, b) => ORDER.indexOf(a.direction) - ORDER.indexOf(b.direction));
}

function byId(rules: readonly AccessRule[]): ReadonlyMap<string, AccessRule> {
  return new Map(rules.map((rule) => [rule.id, rule]));
}

function changeOf(before: AccessRule, after: AccessRule): readonly AccessChange[] {
  const direction = directionOf(before, after);
  if (direction === 'same') return [];
  const [was, is] = [before.access, after.access];
  return [
    changeFrom(after, direction, changeText(direction, was, is, areSame(before.callers, after.callers)), was, is),
  ];
}

function changeFrom(
  { id, endpoint }: AccessRule,
  direction: AccessChange['direction'],
  says: string,
  before: Access | null,
  after: Access | null,
): AccessChange {
  return { subject: { kind: 'endpoint', id }, endpoint, direction, says: `\`${endpoint}\` ${says}`, before, after };
}

/**
 * The direction of a change over callers and records together. A rule is weaker if everybody who got a record before
 * still gets it, and stricter the other way round.
 */
function directionOf(before: AccessRule, after: AccessRule): 'weaker' | 'stricter' | 'other' | 'same' {
  const [was, is] = [all(before.callers, before.records), all(after.callers, after.records)];
  if (areSame(was, is)) return 'same';
  const [isWider, isNarrower] = [implies(was, is), implies(is, was)];
  if (isWider && isNarrower) return 'same';
  return isWider ? 'weaker' : isNarrower ? 'stricter' : 'other';
}

const RULE_WORDS = { weaker: 'has a weaker rule', stricter: 'has a stricter rule', other: 'has another rule' } as const;

const RECORD_WORDS = {
  weaker: 'gives more records',
  stricter: 'gives fewer records',
  other: 'gives other records',
} as const;

/** `isForSame`: the same callers get other records. */
function changeText(direction: keyof typeof RULE_WORDS, before: Access, after: Access, isForSame: boolean): string {
  const rule = before.says === after.says ? '' : ` was ${quoted(before.says)}, is now ${quoted(after.says)}`;
  const [was, is] = [before.shows ?? 'all', after.shows ?? 'all'];
  const shown = was === is ? '' : ` were ${quoted(was)}, are now ${quoted(is)}`;
  if (rule !== '' && shown !== '') return `${RULE_WORDS[direction]}:${rule}; its records${shown}`;
  if (rule !== '') return `${RULE_WORDS[direction]}:${rule}`;
  if (shown !== '') return `${RECORD_WORDS[direction]}: they${shown}`;
  const [words, reader] = isForSame ? [RECORD_WORDS, is] : [RULE_WORDS, after.says];
  return `${words[direction]}: something that ${quoted(reader)} reads was changed`;
}

const WORDS: ReadonlySet<string> = new Set(['anyone', 'all']);

/** Quotes words of the language; Kiln's own words are not quoted. */
function quoted(text: string): string {
  return WORDS.has(text) ? text : `\`${text}\``;
}

function added(rule: AccessRule): AccessChange {
  const { access } = rule;
  return changeFrom(rule, 'new', `is new: ${callersText(access)}`, null, access);
}

function removed(rule: AccessRule): AccessChange {
  return changeFrom(rule, 'removed', 'was removed', rule.access, null);
}

function callersText({ who, says }: Access): string {
  if (who === 'anyone') return 'anyone may call it';
  return who === 'signed in' ? 'whoever is signed in may call it' : `its rule is \`${says}\``;
}

// ── Impersonation ───────────────────────────────────────────────────────────────────────────────────────────────────

// Records that always belonged to the caller before, and that the caller can choose now: callers may act for somebody
// else.

/** `pairs` are the ids of endpoints, as they were and as they are; `rules` are those by the ids as they are. */
function impersonations(
  { before, after }: Both<Definition>,
  pairs: ReadonlyMap<string, string>,
  names: FormerNames,
  rules: ReadonlyMap<string, AccessRule>,
): readonly AccessChange[] {
  return before.endpoints.flatMap((former) => {
    const id = pairs.get(former.id) ?? '';
    const latter = endpointIn(after, id);
    if (!latter) return [];
    const rule = rules.get(id) as AccessRule;
    const own = assignments(former, OWN_NAMES).filter(({ value }) => isCaller(value));
    const chosen = assignments(latter, names).filter(({ key, value }) => {
      return own.some((each) => each.key === key) && !isCaller(value) && value.kind !== 'literal';
    });
    return chosen.map(({ field }) => {
      const says = `lets callers choose \`${field}\` now, which was always the caller`;
      return changeFrom(rule, 'weaker', says, rule.access, rule.access);
    });
  });
}

function isCaller(value: Expression): boolean {
  return value.kind === 'snapshot' && value.record === '@auth';
}
