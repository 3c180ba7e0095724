/**
 * Checks one declaration by itself, such as one that is being written, against what is known of the others. It reports
 * diagnostics, tells the witness, and returns the context with the declaration; the checked program stays unchanged.
 */
import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { checkApis } from './api.ts';
import { authModelOf, checkAuth } from './auth.ts';
import type { Context, Witness } from './context.ts';
import { checkGenerators } from './generators.ts';
import { checkJobs, declareJobs } from './jobs.ts';
import { declareKeys } from './keys.ts';
import { declareMembers, declareModel, settleReferenceTypes } from './members.ts';
import { checkModels, declareRelations, prepareModels } from './models.ts';
import { checkRules, declareRules } from './named-rules.ts';
import { checkPopulators } from './populators.ts';
import { checkReactions } from './reactions.ts';
import { checkSchedules } from './schedules.ts';
import { checkShapes, declareShapes } from './selections.ts';
import { checkSettings, declareSettings } from './settings.ts';
import { checkValidators, combinationsOf, declareValidators } from './validators.ts';
import { checkWebhooks, writtenOut } from './webhooks.ts';

export function checkDeclaration(
  known: Context,
  declaration: ast.Declaration,
  report: Diagnostics['report'],
  witness: Witness,
): Context {
  const context: Context = {
    ...known,
    report,
    witness,
    unsettled: new Map(),
    settling: new Set(),
  };
  switch (declaration.kind) {
    case 'model':
      return checkModel(context, declaration);
    case 'shape':
      return checkShape(context, declaration);
    case 'rule':
      return checkRule(context, declaration);
    case 'setting':
      return checkSetting(context, declaration);
    case 'validator':
      checkValidator(context, declaration);
      break;
    case 'api':
      checkApi(context, declaration);
      break;
    case 'auth':
      checkAuth({ ...context, authModel: authModelOf(declaration, context) }, declaration);
      break;
    case 'populator':
      checkPopulators(context, [declaration]);
      break;
    case 'generator':
      checkGenerators(context, [declaration]);
      break;
    case 'job':
    case 'mail':
      return checkJob(context, declaration);
    case 'reaction':
      checkReactions(context, [declaration]);
      break;
    case 'schedule':
      checkSchedules(context, [declaration]);
      break;
    case 'webhook':
      checkWebhook(context, declaration);
      break;
    case 'enum':
    case 'runtime':
    case 'drop-model':
    case 'drop-job':
      break;
  }
  return context;
}

/**
 * Checks a model. Members that are missing in the text are retained: the author has most likely not written them yet.
 */
function checkModel(context: Context, declaration: ast.ModelDeclaration): Context {
  const model = declareModel(declaration);
  const former = context.models.get(model.name);
  const models = new Map(context.models).set(model.name, model);
  const names = { ...context, models };
  declareMembers(names, model, declaration);
  settleReferenceTypes(names, model);
  for (const [name, member] of former?.members ?? []) if (!model.members.has(name)) model.members.set(name, member);
  declareRelations(names, model, declaration);
  declareKeys(names, model, declaration);
  prepareModels(names, [declaration]);
  checkModels(names, [declaration]);
  return names;
}

/** Checks a shape. Its uses see the shape as it is written now. */
function checkShape(context: Context, declaration: ast.ShapeDeclaration): Context {
  const own = declareShapes([declaration], context);
  const byName = new Map([...context.shapes.byName, ...own.byName]);
  const shapes = { ...context, shapes: { ...own, byName } };
  checkShapes(shapes);
  return shapes;
}

/** Checks a rule. Its uses see the rule as it is written now. */
function checkRule(context: Context, declaration: ast.RuleDeclaration): Context {
  const own = declareRules([declaration], context);
  const rules = { ...context, rules: { ...own, byName: new Map([...context.rules.byName, ...own.byName]) } };
  checkRules(rules);
  return rules;
}

function checkSetting(context: Context, declaration: ast.SettingDeclaration): Context {
  const own = declareSettings([declaration], context);
  const settings = { ...own, byName: new Map([...context.settings.byName, ...own.byName]) };
  checkSettings({ ...context, settings }, [declaration]);
  return { ...context, settings };
}

/** Checks a job. Its uses see the job as it is written now. */
function checkJob(context: Context, declaration: ast.JobDeclaration | ast.MailDeclaration): Context {
  const jobs = { ...context, jobs: { ...context.jobs, byName: new Map(context.jobs.byName) } };
  checkJobs(jobs, declareJobs(jobs, [declaration]));
  return jobs;
}

function checkWebhook(context: Context, declaration: ast.WebhookDeclaration): void {
  const own = { ...context, jobs: { ...context.jobs, byName: new Map(context.jobs.byName) } };
  const { jobs, reactions } = writtenOut(own, [declaration], true);
  checkJobs(own, declareJobs(own, jobs));
  checkReactions(own, reactions);
  checkWebhooks(own, [declaration]);
}

function checkApi(context: Context, declaration: ast.ApiDeclaration): void {
  const entrypoints = declaration.entrypoints.map(withEndpoint);
  for (const _ of checkApis(context, [{ ...declaration, entrypoints }], undefined, undefined));
}

/**
 * Adds an empty endpoint to each entrypoint. Entrypoints are checked with their endpoints, and none may be written yet.
 */
function withEndpoint(entrypoint: ast.EntrypointDeclaration): ast.EntrypointDeclaration {
  const { resource, endpoints, entrypoints } = entrypoint;
  const get: ast.EndpointDeclaration = { ...EMPTY_GET, head: resource.span, span: resource.span };
  return { ...entrypoint, endpoints: [...endpoints, get], entrypoints: entrypoints.map(withEndpoint) };
}

const EMPTY_GET: Omit<ast.EndpointDeclaration, 'head' | 'span'> = {
  kind: 'endpoint',
  endpoint: 'get',
  doc: null,
  alias: undefined,
  method: undefined,
  extraInputs: undefined,
  action: undefined,
  paginable: undefined,
  properties: [],
};

function checkValidator(context: Context, declaration: ast.ValidatorDeclaration): void {
  const validators = new Map([...context.validators, ...declareValidators([declaration], context)]);
  const combinations = combinationsOf([declaration]);
  const byName = new Map([...context.combinations.byName, ...combinations.byName]);
  checkValidators({ ...context, validators, combinations: { ...combinations, byName } }, [declaration]);
}
