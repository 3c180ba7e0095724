/**
 * Measures computed members, queries and hooks with the members that they use written out, as in a statement. Each use
 * is written out again, so a few lines that use each other twice could make a statement of any size.
 */
import { partsOf } from '../program/parts.ts';
import type {
  Computed,
  Expression,
  HookArgument,
  Member,
  ModelHook,
  ModelQuery,
  Query,
  Selected,
  Step,
} from '../program/program.ts';
import { type Context, memberName } from './context.ts';

/** The largest number of values, operators, calls and steps of paths. */
const LARGEST_EXPANSION = 5000;
/** The deepest nesting of expressions. */
const DEEPEST_EXPANSION = 500;

type Expanding = Computed | ModelQuery | ModelHook;

interface Extent {
  readonly size: number;
  readonly depth: number;
  /** The member within that has the most parts. */
  readonly most: Expanding | undefined;
  /** Whether a member within is too large, and has been reported. */
  readonly isReported: boolean;
}

const ONE: Extent = { size: 1, depth: 1, most: undefined, isReported: false };
/** Marks a member that is being measured. */
const BEGUN: Extent = { ...ONE };

/** Reports the first member that is too large, of those that use each other. */
export function checkExpansion(context: Context): void {
  const extents = new Map<Expanding, Extent>();
  for (const model of context.models.values()) {
    for (const member of model.members.values()) if (isExpanding(member)) extentOfMember(member, context, extents);
  }
}

type Extents = Map<Expanding, Extent>;

function extentOfMember(member: Expanding, context: Context, extents: Extents, level = 0): Extent {
  const known = extents.get(member);
  // Computed members and queries that depend on themselves have been reported before.
  if (known === BEGUN && member.kind === 'hook')
    context.report('depends-on-itself', member.span, { member: memberName(member), declared: undefined });
  if (known) return known;
  if (level > DEEPEST_EXPANSION) {
    // Further members are not measured: too many use each other.
    context.report('expands-too-far', member.span, { member: memberName(member), extent: undefined, chain: [] });
    return { ...ONE, isReported: true };
  }
  extents.set(member, BEGUN);
  const extent = extentWithin(member, (used) => extentOfMember(used, context, extents, level + 1));
  const isTooLarge = extent.size > LARGEST_EXPANSION || extent.depth > DEEPEST_EXPANSION;
  if (isTooLarge && !extent.isReported) reportExpansion(member, extent, context, extents);
  const settled = isTooLarge ? { ...extent, isReported: true } : extent;
  extents.set(member, settled);
  return settled;
}

function reportExpansion(member: Expanding, { size, depth, most }: Extent, context: Context, extents: Extents): void {
  const chain: string[] = [];
  for (let used = most; used !== undefined; used = extents.get(used)?.most) chain.push(memberName(used));
  const limits = { size: LARGEST_EXPANSION, depth: DEEPEST_EXPANSION };
  context.report('expands-too-far', member.span, {
    member: memberName(member),
    extent: { size, depth, limits },
    chain,
  });
}

type Inside = (member: Expanding) => Extent;

function extentWithin(member: Expanding, inside: Inside): Extent {
  switch (member.kind) {
    case 'computed':
      return extentOf(member.value, inside);
    case 'query':
      return extentOfQuery(member.query, inside);
    case 'hook':
      return together(member.call?.arguments.map((argument) => extentOfArgument(argument, inside)) ?? []);
  }
}

/** Measures an expression. A missing one has been reported. */
function extentOf(expression: Expression | undefined, inside: Inside): Extent {
  if (!expression) return ONE;
  if (expression.kind === 'path') return together(expression.steps.map((step) => extentOfStep(step, inside)));
  return together(partsOf(expression).map((part) => extentOf(part, inside)));
}

function extentOfQuery(query: Query | undefined, inside: Inside): Extent {
  const order = query?.orderBy.map(({ value }) => extentOf(value, inside)) ?? [];
  const steps = query?.steps.map((step) => extentOfStep(step, inside)) ?? [];
  return together([...steps, extentOf(query?.filter, inside), ...order]);
}

function extentOfArgument(argument: HookArgument, inside: Inside): Extent {
  if ('value' in argument) return extentOf(argument.value, inside);
  const selected = argument.select.map((item) => extentSelected(item, inside));
  return together([extentOfQuery(argument.query, inside), ...selected]);
}

function extentSelected(item: Selected, inside: Inside): Extent {
  switch (item.kind) {
    case 'value':
      return extentOf(item.value, inside);
    case 'records':
      return together([
        ...item.steps.map((step) => extentOfStep(step, inside)),
        ...item.select.map((inner) => extentSelected(inner, inside)),
      ]);
    case 'hook':
      return extentOfStep(item.hook, inside);
  }
}

function extentOfStep(step: Step, inside: Inside): Extent {
  return isExpanding(step) ? { ...inside(step), most: step } : ONE;
}

function isExpanding(member: Member): member is Expanding {
  return member.kind === 'computed' || member.kind === 'query' || member.kind === 'hook';
}

function together(parts: readonly Extent[]): Extent {
  let largest: Extent | undefined;
  let size = 1;
  let depth = 0;
  let isReported = false;
  for (const part of parts) {
    if (part.most && (!largest || part.size > largest.size)) largest = part;
    size += part.size;
    depth = Math.max(depth, part.depth);
    isReported ||= part.isReported;
  }
  return { size, depth: 1 + depth, most: largest?.most, isReported };
}
