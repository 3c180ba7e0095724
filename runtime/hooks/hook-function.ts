/**
 * The code of a hook, ready to be called: compiled once, watched by a clock, its failures told apart. What it throws
 * with a status is an answer; anything else is a failure of the application, which the log gets to see.
 */
import type { Hook } from '../../compiler/definition/definition.ts';
import type { HookFunction, HookModules } from './hook-code.ts';
import { withStrayErrors } from './stray-errors.ts';
import { thrownFrom } from './thrown-answer.ts';

export interface HookSettings {
  readonly modules: HookModules;
  /** In milliseconds. */
  readonly timeout: number;
}

export type CallHook = (args: Readonly<Record<string, unknown>>, context: unknown) => Promise<unknown>;

export function hookFunction(hook: Hook, { modules, timeout }: HookSettings): CallHook {
  const code = hook.code.kind === 'inline' ? inlineFunction(hook) : sourceFunction(hook, modules);
  const name = hookName(hook);
  return async (args, context) => {
    try {
      return await withinTime(
        withStrayErrors(name, () => code(args, context)),
        timeout,
      );
    } catch (error) {
      throw problemOf(error, name);
    }
  };
}

export function hookName({ code }: Hook): string {
  return code.kind === 'inline' ? `\`${code.expression}\`` : `\`${code.export}\` of ${code.file}`;
}

/** The arguments are all that it sees beside JavaScript's own globals. */
function inlineFunction({ code, arguments: args }: Hook): HookFunction {
  if (code.kind !== 'inline') throw new Error('not inline');
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

function sourceFunction({ code }: Hook, modules: HookModules): HookFunction {
  if (code.kind !== 'source') throw new Error('no source');
  const key = `${code.file}#${code.export}`;
  const found = Object.hasOwn(modules, key) ? modules[key] : undefined;
  if (typeof found !== 'function')
    throw new Error(`the hook \`${code.export}\` of ${code.file} is not part of the code of the application`);
  return found;
}

async function withinTime(result: unknown, timeout: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
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
