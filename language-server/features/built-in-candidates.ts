/** What Kiln brings along, to be offered. */
import { CompletionItemKind } from 'vscode-languageserver/node';
import { isCodeOnly } from '../../compiler/check/calls.ts';
import type { Context } from '../../compiler/check/context.ts';
import { fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';
import { BUILT_IN_VALIDATORS } from '../../compiler/check/validations.ts';
import { SCALAR_NAMES, SCALARS } from '../../compiler/definition/scalars.ts';
import { FUNCTIONS, type Member } from '../../compiler/program/program.ts';
import { FUNCTION_TEXTS, VALIDATOR_TEXTS } from './built-ins.ts';
import { HOLE } from './hole.ts';

export interface Candidate {
  readonly name: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string | undefined;
  readonly doc?: string | null;
  /** What is put in, where it is not the name: `faker.`, which is nothing by itself. */
  readonly insert?: string;
  /** The same with `$1` where the cursor goes, for editors that know how. */
  readonly snippet?: string;
  /** The member that it is. */
  readonly member?: Member;
  /** Those that are most likely meant come first. */
  readonly rank?: number;
}

export function typeCandidates({ enums }: Context): readonly Candidate[] {
  const scalars = SCALAR_NAMES.map((name) => ({ name, kind: CompletionItemKind.Keyword, doc: SCALARS[name].doc }));
  return [
    ...scalars,
    ...[...enums.values()].map(({ name, doc }) => ({ name, kind: CompletionItemKind.Enum, detail: 'enum', doc })),
  ];
}

/** `isInDatabase`: where it would be computed. */
export function functionCandidates(isInDatabase: boolean): readonly Candidate[] {
  return FUNCTIONS.filter((name) => !isInDatabase || !isCodeOnly(name)).map((name) => ({
    ...callCandidate(name, FUNCTION_TEXTS[name]),
    rank: 3,
  }));
}

export function validatorCandidates({ validators }: Context): readonly Candidate[] {
  const builtIn = BUILT_IN_VALIDATORS.map((name) => callCandidate(name, VALIDATOR_TEXTS[name]));
  const own = [...validators.values()].map(({ name, doc: text, arguments: [, ...args] }) => {
    const call = args.length > 0 ? '(…)' : '()';
    return { ...callCandidate(name, { call, text }), detail: 'validator', rank: 0 };
  });
  return [...own, ...builtIn].filter(({ name }) => name !== HOLE);
}

function callCandidate(name: string, { call, text }: { readonly call: string; readonly text: string | null }) {
  const snippet = call.endsWith('()') ? `${name}()` : `${name}($1)`;
  return { name, kind: CompletionItemKind.Function, detail: call, doc: text, snippet };
}

/** `before` ends with what has been written of the path: `faker.`, `faker.person.`. */
export function fakerCandidates(before: string): readonly Candidate[] | undefined {
  const path = /\bfaker\.(?:(\w+)\.)?$/.exec(before);
  if (!path) return undefined;
  const [, module] = path;
  if (module === undefined)
    return Object.keys(fakerCatalogue).map((name) => ({ name, kind: CompletionItemKind.Module, detail: 'faker' }));
  const methods = Object.hasOwn(fakerCatalogue, module) ? fakerCatalogue[module] : undefined;
  return Object.entries(methods ?? {}).map(([name, { returns, list, required }]) => ({
    name,
    kind: CompletionItemKind.Method,
    detail: `${list ? 'a list of ' : ''}${returns}`,
    snippet: required > 0 ? `${name}($1)` : `${name}()`,
  }));
}
