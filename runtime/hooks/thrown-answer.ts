/**
 * What a hook has thrown. With a status it is an answer, whose parts are read once and copied, because it may be an
 * object of any kind; without one it is a failure of the application.
 */
import { HookRefusal, type InputError } from '../errors/api-error.ts';

type Thrown =
  | { readonly kind: 'answer'; readonly refusal: HookRefusal }
  /** It was meant to be an answer, but cannot be one. */
  | { readonly kind: 'bad-answer'; readonly reason: string }
  | { readonly kind: 'failure' };

const FAILURE: Thrown = { kind: 'failure' };

export function thrownFrom(error: unknown): Thrown {
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

/** A number is told; of anything else only the kind, because it may be any data. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
