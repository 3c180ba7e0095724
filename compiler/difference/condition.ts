/** Conditions as combinations of statements that are true or false, and what follows from them alone. */

export type Condition =
  /** Two atoms with the same key are true together. */
  | { readonly kind: 'atom'; readonly key: string }
  | { readonly kind: 'not'; readonly of: Condition }
  /** All conditions; always true if there are none. */
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  /** Any condition; never true if there are none. */
  | { readonly kind: 'any'; readonly of: readonly Condition[] };

export const atom = (key: string): Condition => ({ kind: 'atom', key });
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of });
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of });
export const not = (of: Condition): Condition => ({ kind: 'not', of });

const ALWAYS = all();
const NEVER = any();

/** Whether the two are written the same. */
export function areSame(first: Condition, second: Condition): boolean {
  if (first.kind === 'atom') return second.kind === 'atom' && first.key === second.key;
  if (first.kind === 'not') return second.kind === 'not' && areSame(first.of, second.of);
  if (second.kind !== first.kind || second.of.length !== first.of.length) return false;
  return first.of.every((part, at) => areSame(part, second.of[at] as Condition));
}

/** Whether `second` holds wherever `first` does. False also if that cannot be found out with little work. */
export function implies(first: Condition, second: Condition): boolean {
  return !mayHold(all(first, not(second)), { cases: MOST_CASES });
}

/** A rule that a person can read needs a few hundred. */
const MOST_CASES = 2000;

/** One atom after the other is taken for true and for false, until the rest is decided. */
function mayHold(condition: Condition, budget: { cases: number }): boolean {
  const rest = given(condition, () => undefined);
  const key = firstKey(rest);
  if (key === undefined) return holdsAlways(rest);
  if (budget.cases-- <= 0) return true;
  return [true, false].some((value) =>
    mayHold(
      given(rest, (atom) => (atom === key ? value : undefined)),
      budget,
    ),
  );
}

function firstKey(condition: Condition): string | undefined {
  if (condition.kind === 'atom') return condition.key;
  if (condition.kind === 'not') return firstKey(condition.of);
  for (const part of condition.of) {
    const key = firstKey(part);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Whether a simplified condition always holds. */
function holdsAlways({ kind, of }: Condition & { readonly of?: unknown }): boolean {
  return kind === 'all' && (of as readonly Condition[]).length === 0;
}

function holdsNever({ kind, of }: Condition & { readonly of?: unknown }): boolean {
  return kind === 'any' && (of as readonly Condition[]).length === 0;
}

/** The condition where some atoms are known to be true or false, without the parts that are decided by them. */
export function given(condition: Condition, known: (key: string) => boolean | undefined): Condition {
  switch (condition.kind) {
    case 'atom': {
      const value = known(condition.key);
      return value === undefined ? condition : value ? ALWAYS : NEVER;
    }
    case 'not': {
      const of = given(condition.of, known);
      return holdsAlways(of) ? NEVER : holdsNever(of) ? ALWAYS : not(of);
    }
    case 'all': {
      const of = condition.of.map((part) => given(part, known)).filter((part) => !holdsAlways(part));
      return of.some(holdsNever) ? NEVER : all(...of);
    }
    case 'any': {
      const of = condition.of.map((part) => given(part, known)).filter((part) => !holdsNever(part));
      return of.some(holdsAlways) ? ALWAYS : any(...of);
    }
  }
}
