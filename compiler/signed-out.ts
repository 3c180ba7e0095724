/**
 * Rules that say something of the caller and are true when nobody is signed in: `not @auth.banned`. What they come to is
 * known of the definition, where nothing in them has a name, so this comes behind the check.
 */
import { factsWhen } from './check/narrowing.ts';
import { readsCaller } from './check/rules.ts';
import type * as definition from './definition/definition.ts';
import { KnownCaller } from './definition/known-caller.ts';
import { withRulesWrittenOut } from './definition/rules-written-out.ts';
import type { Diagnostics } from './diagnostics/diagnostics.ts';
import { chainOf, foundBy } from './program/endpoint-path.ts';
import { pathsIn } from './program/parts.ts';
import type { Endpoint, Expression, Program } from './program/program.ts';
import { definedAs, definitionOf } from './repeated-effects.ts';
import type { Span } from './source/source-file.ts';

export function reportTrueWhenSignedOut(program: Program, report: Diagnostics['report']): void {
  const suspects = program.auth ? program.endpoints.filter(mayLetNobodyIn) : [];
  // Most programs have none, and then there is nothing to work out.
  if (suspects.length === 0) return;
  const whole = definitionOf(program);
  const models = new Map(whole.models.map((model) => [model.name, model]));
  const nobody = new KnownCaller({ models });
  for (const suspect of suspects) {
    const endpoint = withRulesWrittenOut(definedAs(suspect, program), models);
    const holds = (rule: definition.Expression) => nobody.holds(rule, endpoint);
    const rules = [
      ...endpoint.records.map(({ record, only }) => [only, onlyOf(suspect, record)] as const),
      ...endpoint.authorize.map((rule, at) => [rule, suspect.authorize[at]] as const),
    ];
    if (rules.some(([rule]) => rule && holds(rule) === false)) continue;
    for (const span of rules.flatMap(([rule, written]) => (rule && written ? slips(rule, written, holds) : [])))
      report('true-when-signed-out', span, { span });
  }
}

/** Whether its rules say something of the caller, and not simply that there is one. */
function mayLetNobodyIn(endpoint: Endpoint): boolean {
  const rules = [...foundBy(endpoint).flatMap(({ only }) => only ?? []), ...endpoint.authorize];
  if (endpoint.signed || rules.some((rule) => factsWhen(rule, true).includes('@auth'))) return false;
  return rules.some((rule) => pathsIn(rule).some(readsCaller));
}

function onlyOf({ entrypoint }: Endpoint, record: string): Expression | undefined {
  return chainOf(entrypoint).find(({ variable }) => variable.name === record)?.only;
}

/** The places of the parts that say something of the caller and let in everybody who is not signed in. */
function slips(
  rule: definition.Expression,
  written: Expression,
  holds: (rule: definition.Expression) => boolean | undefined,
): readonly Span[] {
  if (rule.kind === 'truth') return slips(rule.value, written, holds);
  if (holds(rule) === false || asksForNobody(rule)) return [];
  if (rule.kind === 'operation' && (rule.operator === 'and' || rule.operator === 'or')) {
    // `@auth is null or not @auth.banned` says that everybody else is meant too.
    if (rule.operator === 'or' && rule.operands.some(asksForNobody)) return [];
    const parts = written.kind === 'operation' && written.operator === rule.operator ? written.operands : [];
    return rule.operands.flatMap((operand, at) => slips(operand, parts[at] ?? written, holds));
  }
  return holds(rule) && pathsIn(written).some(readsCaller) ? [written.span] : [];
}

/** `@auth is null`, and the same of something that is read from it. */
function asksForNobody(rule: definition.Expression): boolean {
  if (rule.kind !== 'operation') return false;
  if (rule.operator === 'not') return rule.operands[0]?.kind === 'authenticated';
  const isNull = rule.operands.some((each) => each.kind === 'literal' && each.value === null);
  return rule.operator === 'is' && isNull && rule.operands.some(isOfCaller);
}

function isOfCaller(value: definition.Expression): boolean {
  return value.kind === 'snapshot' && value.record === '@auth';
}
