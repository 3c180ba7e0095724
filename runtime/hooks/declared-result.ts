/**
 * Checks the result of a hook against its declaration: every value becomes one of its type, and no other member is
 * passed on.
 */
import type { Hook, HookResult, Type } from '../../compiler/definition/expression.ts';
import { isList } from '../values/json.ts';
import { type EnumValues, fitsType } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { hookName } from './hook-function.ts';

/** Compiles the declared result; undefined where the hook declares none. */
export function declaredResult(hook: Hook, enumValues: EnumValues): ((result: unknown) => Value) | undefined {
  const { returns } = hook;
  if (!returns) return undefined;
  const name = hookName(hook);
  return (result) => {
    try {
      return read(result, returns, enumValues);
    } catch (error) {
      const isMisfit = error instanceof Misfit;
      if (!isMisfit) throw new Error(`the hook ${name} returned a result that cannot be read`, { cause: error });
      throw new Error(`the hook ${name} returned a value that does not match its \`returns\`: ${error.message}`);
    }
  };
}

/** An error in a result. It never holds a value, which may be secret. */
class Misfit extends Error {}

function read(result: unknown, { type, members }: HookResult, enumValues: EnumValues): Value {
  if (!members) return declaredValue(result, type, 'the result', enumValues);
  if (isNothing(result)) return nothing(type, 'the result', 'an object');
  const object = asJsonSees(result);
  if (typeof object !== 'object' || object === null || isList(object))
    throw new Misfit(`the result must be an object; it is ${kindOf(object)}`);
  const values = object as Readonly<Record<string, unknown>>;
  const passed = members.map(({ name, type: inner }): [string, Value] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return [name, declaredValue(value, inner, `\`${name}\``, enumValues)];
  });
  return Object.fromEntries(passed);
}

/** A record of the database leaves its secrets out of its JSON, so they are left out here, too. */
function asJsonSees(result: unknown): unknown {
  const { toJSON } = Object(result) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(result) : result;
}

function declaredValue(value: unknown, type: Type, path: string, enumValues: EnumValues): Value {
  if (isNothing(value)) return nothing(type, path, typeName(type));
  if (!type.many) return oneOf(value, type, path, enumValues);
  if (!isList(value)) throw new Misfit(`${path} must be ${typeName(type)}; it is ${kindOf(value)}`);
  const { many: _, ...item } = type;
  return Array.from(value, (each, at) => oneOf(each, item, itemPath(path, at), enumValues));
}

function oneOf(value: unknown, type: Type, path: string, enumValues: EnumValues): Value {
  if (isNothing(value)) throw new Misfit(`${path} must be ${typeName(type)}; it is null`);
  const checked = fitsType(value, type, enumValues);
  if (checked.ok) return checked.value;
  throw new Misfit(`${path} ${checked.message}; it is ${kindOf(value)}`);
}

function nothing(type: Type, path: string, wanted: string): null {
  if (type.nullable) return null;
  throw new Misfit(`${path} must be ${wanted}; it is null or missing`);
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function itemPath(path: string, at: number): string {
  return path.endsWith('`') ? `${path.slice(0, -1)}[${at}]\`` : `item ${at} of ${path}`;
}

function typeName({ kind, enum: name, many }: Type): string {
  const one = name === undefined ? kind : `\`${name}\``;
  if (many) return `a list of ${one}`;
  return kind === 'json' ? 'a JSON value' : kind === 'integer' ? 'an integer' : `a ${one}`;
}

function kindOf(value: unknown): string {
  if (isNothing(value)) return 'null';
  if (isList(value)) return 'a list';
  if (value instanceof Date) return 'a Date';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
