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
  /** What it fails with where it takes longer. */
  readonly late?: ((reason: string) => HookRefusal) | undefined;
  /** Called when it begins. The returned function is called when it has ended. */
  readonly begins?: HookBegins | undefined;
  readonly kind?: HookKind;
}

/** A `call` runs outside of any transaction. */
type HookKind = 'hook' | 'call';

export type HookBegins = (kind: HookKind, name: string) => () => void;

export type CallHook = (args: Readonly<Record<string, unknown>>, context: unknown) => Promise<unknown>;

export function hookFunction(hook: Hook, settings: HookSettings): CallHook {
  const { modules, timeout, late = tookTooLong, begins, kind = 'hook' } = settings;
  const code = hook.code.kind === 'inline' ? inlineFunction(hook.code, hook) : sourceFunction(hook.code, modules);
  // It has its own limits, and says itself what its errors mean.
  if (isOwnCode(hook.code)) return async (args, context) => code(args, context);
  const name = hookName(hook);
  return async (args, context) => {
    const ends = begins?.(kind, name);
    try {
      return await withinTime(
        withStrayErrors(name, () => code(args, context)),
        timeout,
        () => late(`the hook ${name} gave no result within ${timeout} ms`),
      );
    } catch (error) {
      throw problemOf(error, name);
    } finally {
      ends?.();
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

async function withinTime(result: unknown, timeout: number, failure: () => Error): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure()), timeout);
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

const ANSWERS =
  'its status must be an integer from 400 to 599, its message and code strings, and its errors a list of objects with a code and, as an object, params';

function problemOf(error: unknown, name: string): Error {
  try {
    return refusalFrom(error) ?? new Error(`the hook ${name} failed`, { cause: error });
  } catch {
    return new Error(`the hook ${name} threw an error response that cannot be sent: ${ANSWERS}`, { cause: error });
  }
}

/**
 * What a hook throws with a status is an answer; null for anything else, which is a failure of the application. Its parts
 * are read once and copied, because it may be an object of any kind. Throws where it cannot be sent.
 */
function refusalFrom(error: unknown): HookRefusal | null {
  if (error instanceof HookRefusal) return error;
  if (typeof error !== 'object' || error === null) return null;
  const { status, message, code, errors, expose } = error as Readonly<Record<string, unknown>>;
  if (status === undefined) return null;
  requireThat(typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599);
  requireThat(errors === undefined || errors === null || Array.isArray(errors));
  const detail = expose === false ? '' : textOf(message);
  const parts = { code: textOf(code) || null, errors: Array.from((errors ?? []) as readonly unknown[], errorFrom) };
  // An object that was made to be thrown says no more than the answer.
  return new HookRefusal(status, detail, error instanceof Error ? error : undefined, parts);
}

function errorFrom(error: unknown): InputError {
  const { path, code, message, params } = error as Readonly<Record<string, unknown>>;
  const copy: unknown = JSON.parse(JSON.stringify(params ?? {}) ?? 'null');
  requireThat(typeof copy === 'object' && copy !== null && !Array.isArray(copy) && textOf(code) !== '');
  return { path: textOf(path), code: textOf(code), message: textOf(message), params: copy as InputError['params'] };
}

function textOf(value: unknown): string {
  const text = value ?? '';
  requireThat(typeof text === 'string');
  return text;
}

function requireThat(isRight: boolean): asserts isRight {
  if (!isRight) throw new Error('the answer cannot be sent');
}
