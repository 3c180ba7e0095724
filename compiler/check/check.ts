/**
 * Abstract syntax in, checked program out. Names come first, then members, then expressions, so that each pass can
 * rely on the one before. Everything that is wrong is reported, each thing once; nothing is thrown.
 */
import type { Ast } from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Program } from '../program/program.ts';
import type { FileText } from '../source/source-file.ts';
import { checkAccess } from './access.ts';
import { checkApis } from './api.ts';
import { authModelOf, checkAuth, reportNoAuth } from './auth.ts';
import { checkChanges } from './changes.ts';
import type { Context } from './context.ts';
import { sortDeclarations } from './declarations.ts';
import { checkExpansion } from './expansion.ts';
import { checkExpression } from './expressions.ts';
import { checkGenerators, hookFoldersOf, reportUnusedRuntimes } from './generators.ts';
import type { Witness } from './meaning.ts';
import { checkModels, declareEnums, declareModels, prepareModels } from './models.ts';
import { inPieces } from './pieces.ts';
import { checkPopulators } from './populators.ts';
import { reportSecretUniques } from './secret-inputs.ts';
import { checkSelection } from './selections.ts';
import { reportSelfReferences } from './self-references.ts';
import { checkShapes, declareShapes, reportUnusedShapes } from './shapes.ts';
import { reportUnservedLists } from './unserved-lists.ts';
import { InputUse, reportUnusedInputs } from './unused-inputs.ts';
import { checkValidators, declareValidators } from './validators.ts';

export function check(ast: Ast, fileText: FileText, diagnostics: Diagnostics): Program {
  const steps = checkInSteps(ast, fileText, diagnostics);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value?.program ?? NOTHING;
  }
}

interface Checked {
  readonly program: Program;
  /** What further checks of single declarations may rely on. */
  readonly context: Context;
}

/**
 * The same with a stop between small pieces of work, for whoever has to answer questions meanwhile. Gives nothing where
 * names are in doubt.
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
  yield* checkChanges(declarations, report);
  if (declarations.isDoubtful) return undefined;
  yield;

  const enums = declareEnums(declarations.enums, report);
  const models = yield* declareModels(declarations, { report, enums, witness });
  const names = { report, models, enums, witness };
  const context: Context = {
    ...names,
    validators: declareValidators(declarations.validators, names),
    hookFolders: hookFoldersOf(declarations.runtimes, report),
    shapes: declareShapes(declarations.shapes, names),
    checkExpression,
    checkSelection,
    authModel: authModelOf(declarations.auth, names),
    asksForAuth: declarations.auth ? undefined : [],
    inputUse: new InputUse(),
    fileText,
    plainSelections: new Map(),
    unsettled: new Map(),
    settling: new Set(),
  };

  yield* inPieces(declarations.models, (models) => prepareModels(context, models));
  checkValidators(context, declarations.validators);
  yield* inPieces(declarations.models, (models) => checkModels(context, models));
  checkExpansion(context);
  const auth = checkAuth(context, declarations.auth);
  const endpoints = yield* checkApis(context, declarations.apis, auth?.password, declarations.auth?.span);
  if (auth) checkAccess(context, auth, endpoints);
  const shapes = checkShapes(context);
  const program: Program = {
    enums: [...enums.values()],
    models: [...models.values()],
    droppedModels: declarations.dropModels.map(({ name }) => ({ name: name.text, span: name.span })),
    validators: [...context.validators.values()],
    shapes,
    auth,
    apis: declarations.apis.map(({ name, doc, span }) => ({ name: name?.text, doc, span })),
    endpoints,
    populators: checkPopulators(context, declarations.populators),
    generators: checkGenerators(context, declarations.generators),
    hookFiles: [...context.hookFolders.files],
  };
  reportNoAuth(context);
  // What uses a shape may not have been looked at, because of an error.
  if (!diagnostics.hasErrors) reportUnusedShapes(context);
  reportUnusedRuntimes(context, declarations.runtimes);
  // What seems to be unused may be meant by a name that has been reported.
  if (!diagnostics.hasErrors) reportUnusedInputs(context.inputUse, report);
  if (!diagnostics.hasErrors) reportUnservedLists(program, report);
  if (!diagnostics.hasErrors) reportSelfReferences(program, report);
  reportSecretUniques(context, program, declarations.auth?.span);
  return { program, context };
}

/** Of a program whose names are in doubt nothing more can be said. */
const NOTHING: Program = {
  enums: [],
  models: [],
  droppedModels: [],
  validators: [],
  shapes: [],
  auth: undefined,
  apis: [],
  endpoints: [],
  populators: [],
  generators: [],
  hookFiles: [],
};
