/**
 * The code of a hook, ready to be called: compiled once, watched by a clock, its failures told apart. What it throws
 * with a status is an answer; anything else is a failure of the application, which the log gets to see.
 */
import { PROBLEMS, type ProblemCode } from '../../compiler/definition/contract/problems.ts';
import type { Hook } from '../../compiler/definition/expression.ts';
import { isOwnCode } from '../../compiler/definition/lookup.ts';
import { HookRefusal, type InputError } from '../errors/api-error.ts';
import type { HookFunction, HookModules } from './hook-code.ts';
import { withStrayErrors } from './stray-errors.ts';

export interface HookSettings {
  readonly modules: HookModules;
  /** The timeout, in milliseconds. */
  readonly timeout: number;
}

export type CallHook = (args: Readonly<Record<string, unknown>>, context: unknown) => Promise<unknown>;

export function hookFunction(hook: Hook, { modules, timeout }: HookSettings): CallHook {
  const code = hook.code.kind === 'inline' ? inlineFunction(hook.code, hook) : sourceFunction(hook.code, modules);
  // It has its own limits, and says itself what its errors mean.
  if (isOwnCode(hook.code)) return async (args, context) => code(args, context);
  const name = hookName(hook);
  return async (args, context) => {
    try {
      return await withinTime(
        withStrayErrors(name, () => code(args, context)),
        timeout,
        name,
      );
    } catch (error) {
      throw problemOf(error, name);
    }
  };
}

export function hookName({ code }: Hook): string {
  return code.kind === 'inline' ? `\`${code.expression}\`` : `\`${code.export}\` of ${code.file}`;
}

type Code<Kind extends Hook['code']['kind']> = Extract<Hook['code'], { readonly kind: Kind }>;

/** The arguments are all that it sees beside JavaScript's own globals. */
function inlineFunction(code: Code<'inline'>, { arguments: args }: Hook): HookFunction {
  const names = args.map(({ name }) => name);
  const make = new Function(...names.map(variableName), `return (async () => (${code.expression}\n))();`);
  return (values) => make(...names.map((name) => values[name]));
}

/** A word of JavaScript cannot be a variable: the argument `default` is `default_` in inline code. */
function variableName(name: string): string {
  try {
    new Function(`'use strict'; return async (${name}) => 0`);
    return name;
  } catch {
    return `${name}_`;
  }
}

function sourceFunction(code: Code<'source'>, modules: HookModules): HookFunction {
  const key = `${code.file}#${code.export}`;
  const found = Object.hasOwn(modules, key) ? modules[key] : undefined;
  if (typeof found !== 'function')
    throw new Error(`the hook \`${code.export}\` of ${code.file} is not part of the code of the application`);
  return found;
}

async function withinTime(result: unknown, timeout: number, name: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tookTooLong(`the hook ${name} gave no result within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The client cannot know whether the code has done its work, and must be able to tell this from a mistake in it. */
function tookTooLong(reason: string): HookRefusal {
  const code = 'took-too-long' satisfies ProblemCode;
  const { status, title } = PROBLEMS[code];
  return new HookRefusal(status, `${title}.`, new Error(reason), { code, errors: [] });
}

function problemOf(error: unknown, name: string): Error {
  const thrown = thrownFrom(error);
  switch (thrown.kind) {
    case 'answer':
      return thrown.refusal;
    case 'bad-answer':
      return new Error(`the hook ${name} threw an error response that cannot be sent: ${thrown.reason}`, {
        cause: error,
      });
    case 'failure':
      return new Error(`the hook ${name} failed`, { cause: error });
  }
}

// ── Thrown answer ───────────────────────────────────────────────────────────────────────────────────────────────────

// The values that a hook throws. With a status it is an answer, whose parts are read once and copied, because it may be
// an object of any kind; without one it is a failure of the application.

type Thrown =
  | { readonly kind: 'answer'; readonly refusal: HookRefusal }
  /** It was meant to be an answer, but cannot be one. */
  | { readonly kind: 'bad-answer'; readonly reason: string }
  | { readonly kind: 'failure' };

const FAILURE: Thrown = { kind: 'failure' };

function thrownFrom(error: unknown): Thrown {
  try {
    return read(error);
  } catch (problem) {
    return { kind: 'bad-answer', reason: problem instanceof BadAnswer ? problem.message : 'it cannot be read' };
  }
}

/** Ours alone: whatever else is thrown while an answer is read comes from the answer. */
class BadAnswer extends Error {}

function read(error: unknown): Thrown {
  if (error instanceof HookRefusal) return { kind: 'answer', refusal: error };
  if (typeof error !== 'object' || error === null) return FAILURE;
  const { status, message, code, errors, expose } = error as Readonly<Record<string, unknown>>;
  if (status === undefined) return FAILURE;
  const detail = expose === false ? '' : textOf(message, 'message');
  const parts = { code: codeFrom(code), errors: errorsFrom(errors) };
  // An object that was made to be thrown says no more than the answer.
  const cause = error instanceof Error ? error : undefined;
  return { kind: 'answer', refusal: new HookRefusal(statusFrom(status), detail, cause, parts) };
}

function statusFrom(status: unknown): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  throw new BadAnswer(`its status is ${shown(status)}, but must be an integer from 400 to 599`);
}

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new BadAnswer(`its ${name} is ${shown(value)}, but must be a string`);
}

function codeFrom(code: unknown): string | null {
  const text = textOf(code, 'code');
  return text === '' ? null : text;
}

function errorsFrom(errors: unknown): readonly InputError[] {
  if (errors === undefined || errors === null) return [];
  if (!Array.isArray(errors)) throw new BadAnswer(`its errors are ${shown(errors)}, but must be a list`);
  return Array.from(errors, errorFrom);
}

function errorFrom(error: unknown, index: number): InputError {
  const name = `errors[${index}]`;
  if (typeof error !== 'object' || error === null)
    throw new BadAnswer(`its ${name} is ${shown(error)}, but must be an object`);
  const { path, code, message, params } = error as Readonly<Record<string, unknown>>;
  return {
    path: textOf(path, `${name}.path`),
    code: required(textOf(code, `${name}.code`), `${name}.code`),
    message: textOf(message, `${name}.message`),
    params: paramsFrom(params, `${name}.params`),
  };
}

function required(text: string, name: string): string {
  if (text === '') throw new BadAnswer(`its ${name} is missing`);
  return text;
}

function paramsFrom(params: unknown, name: string): InputError['params'] {
  const copy: unknown = JSON.parse(JSON.stringify(params ?? {}) ?? 'null');
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as InputError['params'];
  throw new BadAnswer(`its ${name} is ${shown(params)}, but must be an object`);
}

/** Shows a number; for anything else only its kind, because it may be any data. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
