/**
 * Abstract syntax in, checked program out. Names come first, then members, then expressions, so that each pass can
 * rely on the one before. Everything that is wrong is reported, each thing once; nothing is thrown.
 */
import type { Ast } from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Program } from '../program/program.ts';
import type { FileText } from '../source/source-file.ts';
import { checkApis } from './api.ts';
import { authModelOf, checkAuth, reportNoAuth } from './auth.ts';
import { checkChanges } from './changes.ts';
import type { Context } from './context.ts';
import { sortDeclarations } from './declarations.ts';
import { checkExpression } from './expressions.ts';
import { checkGenerators, hookFoldersOf } from './generators.ts';
import { checkModels, declareEnums, declareModels, prepareModels } from './models.ts';
import { checkPopulators } from './populators.ts';
import { checkValidators, declareValidators } from './validators.ts';

export function check(ast: Ast, fileText: FileText, diagnostics: Diagnostics): Program {
  const report = diagnostics.report.bind(diagnostics);
  const declarations = sortDeclarations(ast, report);
  checkChanges(declarations, report);
  if (declarations.isDoubtful) return NOTHING;

  const enums = declareEnums(declarations.enums, report);
  const models = declareModels(declarations, enums, report);
  const names = { report, models, enums };
  const context: Context = {
    ...names,
    validators: declareValidators(declarations.validators, names),
    hookFolders: hookFoldersOf(declarations.runtimes, report),
    checkExpression,
    authModel: authModelOf(declarations.auth, names),
    asksForAuth: declarations.auth ? undefined : [],
    fileText,
    plainSelections: new Map(),
    unsettled: new Map(),
    settling: new Set(),
  };

  prepareModels(context, declarations.models);
  checkValidators(context, declarations.validators);
  checkModels(context, declarations.models);
  const auth = checkAuth(context, declarations.auth);
  const program: Program = {
    enums: [...enums.values()],
    models: [...models.values()],
    droppedModels: declarations.dropModels.map(({ name }) => name.text),
    validators: [...context.validators.values()],
    auth,
    apis: declarations.apis.map(({ name, doc }) => ({ name: name?.text, doc })),
    endpoints: checkApis(context, declarations.apis, auth?.password, declarations.auth?.span),
    populators: checkPopulators(context, declarations.populators),
    generators: checkGenerators(context, declarations.generators),
  };
  reportNoAuth(context);
  return program;
}

/** Of a program whose names are in doubt nothing more can be said. */
const NOTHING: Program = {
  enums: [],
  models: [],
  droppedModels: [],
  validators: [],
  auth: undefined,
  apis: [],
  endpoints: [],
  populators: [],
  generators: [],
};
