/**
 * Checks one declaration by itself, such as one that is being written, against what is known of the others. It reports
 * diagnostics, tells the witness, and returns the context with the declaration; the checked program stays unchanged.
 */
import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { checkDeclarations, contextOf, sortDeclarations } from './check.ts';
import type { Context, Witness } from './context.ts';

export function checkDeclaration(
  known: Context,
  declaration: ast.Declaration,
  report: Diagnostics['report'],
  witness: Witness,
): Context {
  const isApi = declaration.kind === 'api';
  const written = isApi ? { ...declaration, entrypoints: declaration.entrypoints.map(withEndpoint) } : declaration;
  // Names that are given twice are for the check of the whole program.
  const declarations = sortDeclarations({ declarations: [written] }, () => undefined);
  const context = contextOf(declarations, { report, witness, fileText: known.fileText }, known);
  for (const _ of checkDeclarations(context, declarations, true));
  return context;
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
  properties: [],
};
