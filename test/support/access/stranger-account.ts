/** An account that nobody knows: what to register it with, and what is known of its fields before anybody asks. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { PasswordAuth } from '../../../compiler/definition/accounts.ts';
import type { Definition, Model } from '../../../compiler/definition/definition.ts';
import type { ValueInput } from '../../../compiler/definition/endpoint.ts';
import type { Expression, Type, Validation } from '../../../compiler/definition/expression.ts';
import type { KnownFields } from './stranger.ts';

export interface StrangerAccount {
  readonly register: Readonly<Record<string, unknown>>;
  readonly login: Readonly<Record<string, unknown>>;
  readonly fields: KnownFields;
}

type Plain = string | number | boolean | null;

/** Null where strangers cannot make an account. */
export function strangerAccount(auth: PasswordAuth, definition: Definition): StrangerAccount | null {
  const { register: form, login } = auth.password;
  if (form === null) return null;
  const required = form.inputs.filter(({ required }) => required);
  const register = Object.fromEntries(required.map((input) => [input.name, valueFor(input, definition)]));
  const model = definition.models.find(({ name }) => name === auth.model) as Model;
  const known = model.fields.flatMap(({ name }): readonly (readonly [string, Plain])[] => {
    if (name === 'id' || name === auth.password.hash) return [];
    const assigned = form.values.find(({ field }) => field === name);
    const value = assigned ? assignedValue(assigned.value, form.inputs, register) : null;
    return value === undefined ? [] : [[name, value]];
  });
  return { register, login: { [login]: register[login], password: register.password }, fields: new Map(known) };
}

/** Undefined where only the server knows it. */
function assignedValue(
  value: Expression,
  inputs: readonly ValueInput[],
  sent: Readonly<Record<string, unknown>>,
): Plain | undefined {
  if (value.kind === 'literal') return value.value;
  if (value.kind !== 'input') return undefined;
  const [name = ''] = value.path;
  if (name in sent) return isComparable(value.type) ? (sent[name] as Plain) : undefined;
  const fallback = inputs.find((input) => input.name === name)?.default ?? null;
  return fallback === null ? null : fallback.kind === 'literal' ? fallback.value : undefined;
}

/** Values of these types are the same where their texts are. */
function isComparable({ kind, many }: Type): boolean {
  return !many && (kind === 'string' || kind === 'integer' || kind === 'boolean' || kind === 'enum');
}

// ── Values that validators accept ───────────────────────────────────────────────────────────────────────────────────

/** In lower case and without spaces around it, so that it is stored as it is sent. */
function valueFor({ name, type, validate }: ValueInput, { enums }: Definition): unknown {
  const rules = rulesIn(validate);
  const given = rules.get('isEqual') ?? rules.get('oneOf');
  if (given !== undefined) return type.many ? [given] : given;
  const one = oneValue(name, type, rules, enums.find((each) => each.name === type.enum)?.values[0]?.name);
  return type.many ? Array.from({ length: numberIn(rules, 'minItems') ?? 0 }, () => one) : one;
}

function oneValue(name: string, type: Type, rules: Rules, enumValue: string | undefined): unknown {
  switch (type.kind) {
    case 'string':
      return textFor(name, rules);
    case 'integer':
    case 'float':
      return numberFor(rules);
    case 'decimal':
      return String(numberFor(rules));
    case 'boolean':
      return false;
    case 'date':
      return '2000-01-01';
    case 'timestamp':
      return '2000-01-01T00:00:00Z';
    case 'uuid':
      return randomUUID();
    case 'enum':
      return enumValue;
    default:
      return {};
  }
}

type Rules = ReadonlyMap<string, unknown>;

/** The built-in validators that must all hold, with their first arguments. */
function rulesIn(validation: Validation | null): Rules {
  if (validation?.kind === 'and') return new Map(validation.parts.flatMap((part) => [...rulesIn(part)]));
  if (validation?.kind !== 'check' || typeof validation.validator !== 'string') return new Map();
  const [first] = validation.arguments;
  return new Map([[validation.validator, first?.kind === 'literal' ? first.value : null]]);
}

function numberIn(rules: Rules, name: string): number | undefined {
  const value = rules.get(name);
  return value === undefined || value === null ? undefined : Number(value);
}

function numberFor(rules: Rules): number {
  const [min, max] = [numberIn(rules, 'min'), numberIn(rules, 'max')];
  return min ?? (max === undefined ? 1 : Math.min(1, max));
}

function textFor(name: string, rules: Rules): string {
  const random = randomBytes(8).toString('hex');
  if (name === 'password') return padded(`Aa1-${randomBytes(16).toString('hex')}`, rules);
  if (rules.has('isEmail')) return `stranger-${random}@kiln.example`;
  if (rules.has('isUrl')) return `https://kiln.example/${random}`;
  if (rules.has('isUuid')) return randomUUID();
  return padded(`${random}stranger`, rules);
}

function padded(text: string, rules: Rules): string {
  return text.padEnd(numberIn(rules, 'minLength') ?? 0, 'x').slice(0, numberIn(rules, 'maxLength'));
}
