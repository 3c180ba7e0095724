/** Rules with a name: `rule may_edit(note of Note) { … }`. A call of one is the rule itself, written out at its place. */
import type * as ast from '../ast/ast.ts';
import { partsOf, pathsIn, withRoots } from '../program/parts.ts';
import {
  type Expression,
  FUNCTIONS,
  type FunctionName,
  type Path,
  type Root,
  type Rule,
  type Variable,
} from '../program/program.ts';
import { ANY, record } from '../program/type.ts';
import { argumentNames, type Building, type Context, type Rules, reported } from './context.ts';
import { checkCondition, checkFitting, hasRightCount } from './fitting.ts';
import { modelNamed, type Names } from './members.ts';
import { bareRow, emptyScope, lacks, POSITIONS, type Scope } from './scope.ts';
import { SETTING } from './settings.ts';

/** Rules by name, with their parameters; what they say is checked when it is first needed. */
export function declareRules(declarations: readonly ast.RuleDeclaration[], names: Names): Rules {
  const unsettled = new Map(declarations.map((declaration) => [declareRule(declaration, names), declaration]));
  return { byName: new Map([...unsettled.keys()].map((rule) => [rule.name, rule])), unsettled, used: new Set() };
}

function declareRule({ name, doc, parameters }: ast.RuleDeclaration, names: Names): Rule {
  if (isFunctionName(name.text)) names.report('rule-is-function', name.span, { name: name.text });
  const variables = parameters.map((parameter): Variable => {
    const model = modelNamed(names, parameter.model, name.text);
    return { name: parameter.name.text, type: model ? record(model) : ANY, holds: 'record' };
  });
  return { name: name.text, doc, parameters: variables, value: undefined, span: name.span };
}

function isFunctionName(name: string): boolean {
  return name === SETTING || FUNCTIONS.includes(name as FunctionName);
}

/** Checks all rules, also those that nothing uses. */
export function checkRules(context: Context): void {
  for (const rule of context.rules.byName.values()) settleRule(context, rule);
}

/** The largest number of values and operators. Rules that use each other twice could become conditions of any size. */
const LARGEST_RULE = 2000;

function settleRule(context: Context, rule: Building<Rule>): void {
  const declaration = context.rules.unsettled.get(rule);
  if (!declaration) return;
  context.rules.unsettled.delete(rule);
  const names = argumentNames(context, declaration.parameters, ({ span }, index) => {
    return { kind: 'variable', variable: rule.parameters[index] as Variable, span };
  });
  const value = checkCondition(context, declaration.value, { ...emptyScope(POSITIONS.rule), names });
  const isTooLarge = sizeOf(value) > LARGEST_RULE;
  if (isTooLarge) context.report('expands-too-far', rule.span, { member: rule.name, extent: undefined, chain: [] });
  rule.value = isTooLarge ? reported(rule.span) : value;
}

function sizeOf(expression: Expression): number {
  return partsOf(expression).reduce((size, part) => size + sizeOf(part), 1);
}

// ── Uses ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function checkRuleCall(context: Context, call: ast.Call, rule: Rule, scope: Scope): Expression {
  const { span } = call;
  const name = call.function.steps[0];
  context.witness?.meant(name.span, { kind: 'rule', rule });
  context.rules.used.add(rule);
  // The name has been reported. Which of the two is meant is not known.
  if (isFunctionName(rule.name)) return reported(span);
  if (!scope.position.auth)
    return context.report('rule-not-here', name.span, { name: rule.name, noun: scope.position.noun }) ?? reported(span);
  const { length } = rule.parameters;
  const given = call.arguments.map((argument, index) => checkArgument(context, argument, rule, index, scope));
  if (!hasRightCount(context, call, { fewest: length, most: length }, given.length)) return reported(span);
  settleRule(context, rule);
  if (rule.value === undefined) {
    context.report('depends-on-itself', name.span, { member: rule.name, declared: rule.span });
    return reported(span);
  }
  const { isSigned } = scope;
  const read = pathsIn(rule.value).find(({ root }) => lacks(scope, root));
  if (read)
    return context.report('no-caller', name.span, { name: rule.name, isSigned, read: read.span }) ?? reported(span);
  const paths = given.filter((argument) => argument.kind === 'path');
  if (paths.length < length) return reported(span);
  const pathTo = (root: Root) => (root.kind === 'variable' ? paths[rule.parameters.indexOf(root.variable)] : undefined);
  return withRoots(rule.value, pathTo, span);
}

function checkArgument(
  context: Context,
  argument: ast.Expression,
  rule: Rule,
  index: number,
  scope: Scope,
): Expression {
  const parameter = rule.parameters[index];
  const row = rowOf(argument, scope);
  if (row) return row;
  const by = `\`${parameter?.name ?? rule.name}\` of the rule \`${rule.name}\``;
  const checked = checkFitting(context, argument, scope, { type: parameter?.type ?? ANY, by, takes: true });
  if (checked.kind === 'path' || checked.type.base.kind === 'any') return checked;
  context.report('not-a-record-path', checked.span, { rule: rule.name });
  return reported(checked.span);
}

/** The row for an argument. The entrypoint's alias stands for each record in the filter of a list. */
function rowOf(argument: ast.Expression, scope: Scope): Path | undefined {
  if (argument.kind !== 'path' || argument.steps.length > 1) return undefined;
  const model = scope.outOfReach.get(argument.steps[0].text)?.model;
  if (!model || bareRow(scope) !== model) return undefined;
  return { kind: 'path', root: { kind: 'row', model }, steps: [], type: record(model), span: argument.span };
}
