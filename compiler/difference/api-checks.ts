/**
 * The requirements of the validators of an input. Bounds such as `min` are compared as numbers. The others only exist
 * or not: a new one is stricter, a removed one is laxer, and if one replaces another, values that were accepted may be
 * rejected.
 */
import { type BuiltInValidator, VALIDATORS } from '../definition/contract/validators.ts';
import type { Definition } from '../definition/definition.ts';
import type { Expression, Validation } from '../definition/expression.ts';
import { checksIn, conjunctsOf } from '../definition/list-validation.ts';
import { phraseOf } from '../emit/openapi/validation-schemas.ts';
import { type Both, type Finding, quoted, type Say } from './api-rules.ts';

export function checkChanges(
  validations: Both<Validation | null>,
  definitions: Both<Definition>,
  say: Say,
): readonly Finding[] {
  if (JSON.stringify(validations.before) === JSON.stringify(validations.after) && !mayDiffer(validations, definitions))
    return [];
  const [before, after] = [conjunctsOf(validations.before), conjunctsOf(validations.after)];
  const others = { before: othersOf(before, definitions.before), after: othersOf(after, definitions.after) };
  const otherFindings = otherChanges(others, say);
  // `min(1)` that became `min(1) or isEqual(0)` is not there any more, but the new check may ask for the same.
  if (
    otherFindings.some(({ rule }) => rule === 'input-stricter') &&
    BOUNDS.some((bound) => strictest(bound, before) !== null && strictest(bound, after) === null)
  )
    return [say('input-check-changed', `must ${phrasesOf(after)} now; before, it had to ${phrasesOf(before)}`)];
  return [
    ...BOUNDS.flatMap((bound) => boundChanges(bound, { before, after }, say)),
    ...allowedChanges({ before, after }, say),
    ...otherFindings,
  ];
}

/**
 * Whether the checks may differ. Own validators are only named: their requirements may have changed behind the name.
 */
function mayDiffer({ after }: Both<Validation | null>, definitions: Both<Definition>): boolean {
  return ownAsserts(after, definitions.before) !== ownAsserts(after, definitions.after);
}

/** What the own validators of a validation require. */
export function ownAsserts(validation: Validation | null, definition: Definition): string {
  const names = checksIn(validation).flatMap(({ validator }) => (typeof validator === 'object' ? [validator.own] : []));
  return names.map((name) => assertOf(name, definition)).join();
}

function assertOf(name: string, { validators }: Definition): string {
  const found = validators.find((each) => each.name === name);
  return JSON.stringify([found?.arguments, found?.assert]);
}

// ── Bounds ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Bound = 'min' | 'max' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems';

const BOUNDS: readonly Bound[] = ['min', 'max', 'minLength', 'maxLength', 'minItems', 'maxItems'];

function boundChanges(bound: Bound, { before, after }: Both<readonly Validation[]>, say: Say): readonly Finding[] {
  const [former, latter] = [strictest(bound, before), strictest(bound, after)];
  if (former === latter) return [];
  if (latter === null) return [say('input-laxer', `need not ${wordsOf(bound, former)} any more`)];
  const isStricter = former === null || isBeyond(bound, latter, former);
  const says = `must ${wordsOf(bound, latter)} now`;
  return [say(isStricter ? 'input-stricter' : 'input-laxer', former === null ? says : `${says}, not ${former}`)];
}

function wordsOf(bound: Bound, value: number | null): string {
  return VALIDATORS[bound].phrase([value], String);
}

function strictest(bound: Bound, checks: readonly Validation[]): number | null {
  const values = checks.flatMap((check) => boundIn(check)?.[bound] ?? []);
  return values.reduce<number | null>(
    (known, value) => (known === null || isBeyond(bound, value, known) ? value : known),
    null,
  );
}

function isBeyond(bound: Bound, value: number, other: number): boolean {
  return bound.startsWith('min') ? value > other : value < other;
}

/** A bound of the value itself by a number that is written in the source. */
function boundIn(check: Validation): Partial<Record<Bound, number>> | null {
  if (check.kind !== 'check' || check.value !== null || !isBound(check.validator)) return null;
  const number = numberIn(check.arguments[0]);
  return number === null ? null : { [check.validator]: number };
}

function isBound(validator: BuiltInValidator | object): validator is Bound {
  return (BOUNDS as readonly unknown[]).includes(validator);
}

/** The number; decimals are strings. One that a number cannot hold exactly is left to the comparison of texts. */
function numberIn(argument: Expression | undefined): number | null {
  if (argument?.kind !== 'literal' || argument.value === null) return null;
  if (typeof argument.value === 'number') return argument.value;
  const number = Number(argument.value);
  return String(number) === plainDecimal(String(argument.value)) ? number : null;
}

function plainDecimal(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

// ── Lists of values ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `oneOf`, where it stands once on both sides. */
function allowedChanges({ before, after }: Both<readonly Validation[]>, say: Say): readonly Finding[] {
  const [former, latter] = [allowedIn(before), allowedIn(after)];
  if (former === null || latter === null) return [];
  const come = latter.filter((value) => !former.includes(value));
  const gone = former.filter((value) => !latter.includes(value));
  return [
    ...gone.map((value) => say('input-value-removed', `may not be ${quoted(value)} any more`)),
    ...come.map((value) => say('input-value-added', `may be ${quoted(value)} now`)),
  ];
}

function allowedIn(checks: readonly Validation[]): readonly string[] | null {
  const [first, ...others] = checks.filter(isOneOf);
  if (first === undefined || others.length > 0) return null;
  return first.arguments.map((argument) => JSON.stringify(argument.kind === 'literal' ? argument.value : argument));
}

function isOneOf(check: Validation): check is Extract<Validation, { kind: 'check' }> {
  return check.kind === 'check' && check.validator === 'oneOf' && check.value === null;
}

// ── Others ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Other {
  readonly check: Validation;
  /** The same for checks that let the same values pass. */
  readonly key: string;
  /** The codes that clients get if it does not hold. */
  readonly codes: readonly string[];
}

function othersOf(checks: readonly Validation[], definition: Definition): readonly Other[] {
  const others = checks.filter((check) => boundIn(check) === null);
  return others.map((check) => ({
    check,
    key: JSON.stringify([check, ownAsserts(check, definition)], withoutCode),
    codes: checksIn(check).map(({ code }) => code),
  }));
}

function withoutCode(key: string, value: unknown): unknown {
  return key === 'code' ? undefined : value;
}

function otherChanges({ before, after }: Both<readonly Other[]>, say: Say): readonly Finding[] {
  const isListed = [before, after].every((others) => allowedIn(others.map(({ check }) => check)) !== null);
  const isTold = ({ check }: Other) => !(isListed && isOneOf(check));
  const come = after.filter(({ key }) => before.every((other) => other.key !== key)).filter(isTold);
  const gone = before.filter(({ key }) => after.every((other) => other.key !== key)).filter(isTold);
  return [
    ...replaced(gone, come, say),
    ...after.flatMap(({ key, codes }) => codeChanges(before.find((other) => other.key === key)?.codes, codes, say)),
  ];
}

function replaced(gone: readonly Other[], come: readonly Other[], say: Say): readonly Finding[] {
  if (gone.length > 0 && come.length > 0) return [say('input-check-changed', changeWords(gone, come))];
  return [
    ...come.map(({ check }) => say('input-stricter', `must ${phraseOf(check)} now`)),
    ...gone.map(({ check }) => say('input-laxer', `need not ${phraseOf(check)} any more`)),
  ];
}

function changeWords(gone: readonly Other[], come: readonly Other[]): string {
  const [former, latter] = [gone, come].map((others) => phrasesOf(others.map(({ check }) => check)));
  if (former === latter) return `must ${latter}, which asks for something else now`;
  return `must ${latter} now; before, it had to ${former}`;
}

function phrasesOf(checks: readonly Validation[]): string {
  return checks.map(phraseOf).join(' and ');
}

function codeChanges(before: readonly string[] | undefined, after: readonly string[], say: Say): readonly Finding[] {
  if (before === undefined) return [];
  return after.flatMap((code, index) => {
    const former = before[index];
    if (former === undefined || former === code) return [];
    return [say('error-code-changed', `is refused with the code ${quoted(code)} now, not ${quoted(former)}`)];
  });
}
