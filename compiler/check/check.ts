/**
 * Abstract syntax in, checked program out. Names come first, then members, then expressions, so that each pass can
 * rely on the one before. Everything that is wrong is reported, each thing once; nothing is thrown.
 */

import type * as ast from '../ast/ast.ts';
import type { Ast } from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Field, Input, Program } from '../program/program.ts';
import type { FileText, Span } from '../source/source-file.ts';
import { checkAccess } from './access.ts';
import { checkApis } from './api.ts';
import { authModelOf, checkAuth, reportNoAuth } from './auth.ts';
import { sentFields } from './choices.ts';
import { byPlace, type Context, firstOfEach, InputUse, reportUnusedInputs, type Witness } from './context.ts';
import { reportEndlessReactions } from './endless-reactions.ts';
import { checkExpansion } from './expansion.ts';
import { checkExpression } from './expressions.ts';
import { reportFilesNotSent, reportFilesWithoutGet } from './files.ts';
import { checkGenerators, hookFoldersOf, reportUnusedRuntimes } from './generators.ts';
import { checkJobs, declareJobs } from './jobs.ts';
import { checkModels, declareEnums, declareModels, prepareModels } from './models.ts';
import { checkRules, declareRules } from './named-rules.ts';
import { checkPopulators } from './populators.ts';
import { checkReactions } from './reactions.ts';
import { checkSchedules } from './schedules.ts';
import { checkShapes, declareShapes } from './selections.ts';
import { checkSettings, declareSettings } from './settings.ts';
import { reportUnservedLists } from './unserved-lists.ts';
import { checkValidators, combinationsOf, declareValidators } from './validators.ts';
import { checkWebhooks, writtenOut } from './webhooks.ts';

/** Checks a program; undefined if the name of a model or an enum is given twice. */
export function check(ast: Ast, fileText: FileText, diagnostics: Diagnostics): Program | undefined {
  const steps = checkInSteps(ast, fileText, diagnostics);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value?.program;
  }
}

interface Checked {
  readonly program: Program;
  /** The context for further checks of single declarations. */
  readonly context: Context;
}

/**
 * The same in small steps, for a caller that has to answer questions meanwhile. It returns nothing if the name of a
 * model or an enum is given twice.
 */
export function* checkInSteps(
  ast: Ast,
  fileText: FileText,
  diagnostics: Diagnostics,
  witness?: Witness,
): Generator<void, Checked | undefined> {
  const report: Diagnostics['report'] = (code, span, facts) => diagnostics.report(code, span, facts);
  const declarations = sortDeclarations(ast, report);
  yield;
  checkChanges(declarations, report);
  if (declarations.isDoubtful) return undefined;
  yield;

  const context = contextOf(declarations, { report, witness, fileText });
  yield;
  const program = yield* checkDeclarations(context, declarations);
  checkExpansion(context);
  if (program.auth) checkAccess(context, program.auth, program.endpoints);
  reportNoAuth(context);
  reportFilesWithoutGet(context, program);
  reportFilesNotSent(context, program);
  // Uses of a shape or a rule may not have been checked after an error.
  if (!diagnostics.hasErrors) reportUnused(context);
  if (!diagnostics.hasErrors) reportEndlessReactions(context, program);
  reportUnusedRuntimes(context, declarations.runtimes);
  // A name that has been reported may mean an input that seems unused.
  if (!diagnostics.hasErrors) reportUnusedInputs(context.inputUse, report);
  if (!diagnostics.hasErrors) reportUnservedLists(program, report);
  if (!diagnostics.hasErrors) reportSelfReferences(program, report);
  reportSecretUniques(context, program, declarations.auth?.span);
  return { program, context };
}

/**
 * The names of these declarations, for the checks of what is in them. Beside `known`, they are checked as if they stood in
 * that program in place of those with the same names.
 */
export function contextOf(
  declarations: Declarations,
  around: Pick<Context, 'report' | 'witness' | 'fileText'>,
  known?: Context,
): Context {
  const { report, witness } = around;
  const { auth } = declarations;
  const enums = beside(known?.enums, declareEnums(declarations.enums, report));
  const models = declareModels(declarations.models, { report, enums, witness }, known?.models);
  const names = { ...around, models, enums };
  const combinations = combinationsOf(declarations.validators);
  const shapes = declareShapes(declarations.shapes, names);
  const rules = declareRules(declarations.rules, names);
  const settings = declareSettings(declarations.settings, names);
  const jobs = known?.jobs ?? { byName: [], incomplete: new Set(), used: new Set(), withToken: new Set() };
  return {
    ...names,
    validators: beside(known?.validators, declareValidators(declarations.validators, names)),
    combinations: { ...combinations, byName: beside(known?.combinations.byName, combinations.byName) },
    hookFolders: known?.hookFolders ?? hookFoldersOf(declarations.runtimes, report),
    shapes: { ...shapes, byName: beside(known?.shapes.byName, shapes.byName) },
    rules: { ...rules, byName: beside(known?.rules.byName, rules.byName) },
    settings: { ...settings, byName: beside(known?.settings.byName, settings.byName) },
    jobs: { ...jobs, byName: new Map(jobs.byName) },
    checkExpression,
    authModel: auth ? authModelOf(auth, names) : known?.authModel,
    asksForAuth: known ? known.asksForAuth : auth ? undefined : [],
    trustsProvider: auth ? auth.subject !== undefined : (known?.trustsProvider ?? false),
    inputUse: new InputUse(),
    unsettled: new Map(),
    settling: new Set(),
  };
}

function beside<T>(known: ReadonlyMap<string, T> | undefined, own: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return known ? new Map([...known, ...own]) : own;
}

/** Checks the declarations, each by itself. Those that are being written may come to read more than they do. */
export function* checkDeclarations(
  context: Context,
  declarations: Declarations,
  areBeingWritten = false,
): Generator<void, Program> {
  prepareModels(context, declarations.models);
  yield;
  checkValidators(context, declarations.validators);
  checkModels(context, declarations.models);
  yield;
  checkRules(context);
  const told = writtenOut(context, declarations.webhooks, areBeingWritten);
  const started = declareJobs(context, [...declarations.jobs, ...told.jobs]);
  const auth = checkAuth(context, declarations.auth);
  return {
    enums: [...context.enums.values()],
    models: [...context.models.values()],
    droppedModels: declarations.dropModels.map(({ name }) => ({ name: name.text, span: name.span })),
    validators: [...context.validators.values()].filter(({ name }) => !context.combinations.byName.has(name)),
    auth,
    apis: declarations.apis.map(({ name, doc, span }) => ({ name: name?.text ?? null, doc, span })),
    endpoints: yield* checkApis(context, declarations.apis, auth),
    jobs: checkJobs(context, started),
    reactions: checkReactions(context, [...declarations.reactions, ...told.reactions]),
    webhooks: checkWebhooks(context, declarations.webhooks),
    schedules: checkSchedules(context, declarations.schedules),
    shapes: checkShapes(context),
    settings: checkSettings(context, declarations.settings),
    droppedJobs: declarations.dropJobs.map(({ name, discard }) => ({
      name: name.text,
      discard: discard !== undefined,
    })),
    populators: checkPopulators(context, declarations.populators),
    generators: checkGenerators(context, declarations.generators),
    hookFiles: [...context.hookFolders.files],
  };
}

/** Shapes, rules, settings and jobs that nothing uses. Code of hooks may read any setting. */
function reportUnused({ shapes, rules, settings, jobs, hookFolders, report }: Context): void {
  for (const shape of shapes.byName.values())
    if (shape && !shapes.used.has(shape)) report('unused-shape', shape.span, { name: shape.name });
  for (const rule of rules.byName.values())
    if (!rules.used.has(rule)) report('unused-rule', rule.span, { name: rule.name });
  for (const setting of settings.byName.values())
    if (!settings.used.has(setting) && hookFolders.files.size === 0)
      report('unused-setting', setting.span, { name: setting.name });
  for (const { name, span, delivers } of jobs.byName.values())
    if (!jobs.used.has(name)) report('unused-job', span, { name, isMail: delivers === 'mail' });
}

// ── Self references ──────────────────────────────────────────────────────────────────────────────────────────────────

// A record with a required reference to its own model needs another one before it, so the first can never be created.

function reportSelfReferences({ models }: Program, report: Diagnostics['report']): void {
  for (const model of models) {
    for (const { reference } of model.fields) {
      if (reference?.to === model && !reference.nullable)
        report('no-first-record', reference.span, { reference: `${model.name}.${reference.name}`, model: model.name });
    }
  }
}

// ── Secret inputs ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Reports secret fields that are unique. A taken value has to be rejected, so a client that may send one can find out
 * which values others have.
 */
function reportSecretUniques(context: Context, { endpoints, auth }: Program, authSpan: Span | undefined): void {
  for (const endpoint of endpoints) reportIn(context, sentFields(endpoint), endpoint.span);
  if (!auth?.password || !authSpan) return;
  // A password is stored as a salted hash. A secret login is reported separately.
  const { registerInputs = [], hash, login } = auth.password;
  const others = registerInputs.filter(({ field }) => field !== hash && field !== login);
  reportIn(context, others, authSpan);
}

function reportIn(context: Context, sent: readonly Pick<Input, 'field'>[], span: Span): void {
  for (const field of new Set(sent.flatMap(({ field }) => (field?.secret ? [field] : [])))) {
    const key = keyOf(field);
    if (key) context.report('secret-unique', span, { field: `${field.model.name}.${field.name}`, ...key });
  }
}

/** The key that makes the field unique, alone or together with others. */
function keyOf(field: Field): { readonly others: readonly string[]; readonly declared: Span } | undefined {
  if (field.unique) return { others: [], declared: field.span };
  const key = field.model.keys.find(
    ({ kind, parts }) => kind === 'unique' && parts.some((part) => part.field === field),
  );
  const others = key?.parts.filter((part) => part.field !== field).map((part) => part.field.name);
  return key && { others: others ?? [], declared: key.span };
}

// ── Changes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// `was` and `drop` are about the previous release. The difference decides whether they are true; here it is checked
// that they make sense.

type Report = Diagnostics['report'];

function checkChanges(declarations: Declarations, report: Report): void {
  const { models, enums, dropModels, jobs, dropJobs } = declarations;
  checkNamed(models, dropModels.map(nameOf), 'model', report);
  checkNamed(jobs, dropJobs.map(nameOf), 'job', report);
  checkNamed(enums, [], 'enum', report);
  for (const model of models) checkMembers(model, report);
  for (const declaration of enums) checkNamed(declaration.values, declaration.drops, 'value', report);
}

function checkMembers(model: ast.ModelDeclaration, report: Report): void {
  const written = model.members.filter((member) => 'name' in member && member.kind !== 'drop') as readonly Renamable[];
  const named = [...written, ...membersUnwritten(model)];
  const drops = model.members.filter((member) => member.kind === 'drop');
  checkNamed(named, drops.map(nameOf), 'member', report);
}

const nameOf = ({ name }: { readonly name: ast.Name }): ast.Name => name;

/** Members that nobody wrote down: the `id`, and the keys of references. */
function membersUnwritten({ name, members }: ast.ModelDeclaration): readonly Renamable[] {
  const keys = members.filter((member) => member.kind === 'reference').map((reference) => reference.name);
  const names = [{ text: 'id', span: name.span }, ...keys.map(({ text, span }) => ({ text: `${text}_id`, span }))];
  return names.map((unwritten) => ({ name: unwritten }));
}

interface Renamable {
  readonly name: ast.Name;
  readonly was?: ast.Name | undefined;
}

/** A name that is still in use was neither renamed nor dropped, and one name cannot have become two. */
function checkNamed(declared: readonly Renamable[], drops: readonly ast.Name[], noun: string, report: Report): void {
  if (drops.length === 0 && !declared.some(({ was }) => was)) return;
  const present = new Map(declared.map(({ name }) => [name.text, name]));
  const gone = new Map<string, { readonly how: 'was' | 'drop'; readonly span: Span }>();
  const claim = ({ text: name, span }: ast.Name, how: 'was' | 'drop') => {
    const still = present.get(name);
    const earlier = gone.get(name);
    if (still) report('still-there', span, { noun, name, how, declared: still.span });
    else if (earlier) report('gone-twice', span, { noun, name, how, firstHow: earlier.how, first: earlier.span });
    gone.set(name, { how, span });
  };
  for (const { name, was } of declared) {
    if (was && was.text === name.text) report('renamed-to-itself', was.span, { name: name.text });
    else if (was) claim(was, 'was');
  }
  for (const drop of drops) claim(drop, 'drop');
}

// ── Declarations by kind ────────────────────────────────────────────────────────────────────────────────────────────

// Sorts the declarations by kind, and reports names that are given twice.

type Declarations = ReturnType<typeof sortDeclarations>;

export function sortDeclarations({ declarations }: ast.Ast, report: Report) {
  const ofKind = <K extends ast.Declaration['kind']>(kind: K) =>
    declarations.filter(
      (declaration): declaration is Extract<ast.Declaration, { kind: K }> => declaration.kind === kind,
    );
  const allTables = [...ofKind('model'), ...ofKind('enum')];
  const tables = firstDeclared(allTables, report);
  reportSameTable(tables, report);
  const [auth, ...moreAuths] = ofKind('auth');
  for (const more of moreAuths)
    report('declared-twice', more.span, { noun: 'auth', name: undefined, first: (auth as ast.AuthDeclaration).span });
  return {
    models: tables.filter((declaration) => declaration.kind === 'model'),
    enums: tables.filter((declaration) => declaration.kind === 'enum'),
    dropModels: ofKind('drop-model'),
    validators: firstDeclared(ofKind('validator'), report),
    shapes: firstDeclared(ofKind('shape'), report, tables),
    rules: firstDeclared(ofKind('rule'), report),
    settings: firstDeclared(ofKind('setting'), report),
    jobs: firstDeclared([...ofKind('job'), ...ofKind('mail')], report),
    reactions: ofKind('reaction').sort(byPlace),
    schedules: firstDeclared(ofKind('schedule'), report),
    webhooks: firstDeclared(ofKind('webhook'), report),
    dropJobs: ofKind('drop-job'),
    apis: ofKind('api'),
    auth,
    runtimes: firstDeclared(ofKind('runtime'), report),
    populators: firstDeclared(ofKind('populator'), report),
    generators: ofKind('generator'),
    /** Whether a model or an enum is declared twice: statements about one need not hold for the other. */
    isDoubtful: tables.length < allTables.length,
  };
}

type Named = ast.Declaration & { readonly name: ast.Name };

/** The first by place, whatever the order in which the files came. */
function firstDeclared<T extends Named>(declarations: readonly T[], report: Report, taken: readonly Named[] = []) {
  const first = firstOfEach<Named>(
    [...taken, ...[...declarations].sort(byPlace)],
    ({ name }) => name.text,
    ({ name: { text: name, span } }, { kind: noun, name: earlier }) =>
      report('declared-twice', span, { noun, name, first: earlier.span }),
  );
  return declarations.filter((declaration) => first.get(declaration.name.text) === declaration).sort(byPlace);
}

const RESERVED_PREFIXES = ['kiln_', 'pg_'] as const;

/** Two names may differ and still give one table; and some names are Kiln's or Postgres' own. */
function reportSameTable(declarations: readonly Named[], report: Report): void {
  const tables = new Map<string, ast.Name>();
  for (const { name, kind } of declarations) {
    const table = snakeCase(name.text);
    const earlier = tables.get(table);
    if (earlier) report('same-table', name.span, { name: name.text, other: earlier.text, table, first: earlier.span });
    else tables.set(table, name);
    const prefix = RESERVED_PREFIXES.find((reserved) => table.startsWith(reserved));
    if (prefix) report('reserved-table', name.span, { name: name.text, isEnum: kind === 'enum', table, prefix });
  }
}
