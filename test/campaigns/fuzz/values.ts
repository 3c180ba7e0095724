/** Values that a schema allows, and that have a good chance to pass the rules that no schema can say. */
import fc from 'fast-check';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Input, ValueInput } from '../../../compiler/definition/endpoint.ts';
import type { Schema } from '../../../compiler/emit/openapi/document.ts';
import { pick, type Random } from '../../../runtime/populate/random.ts';
import type { KnownValues } from './known-values.ts';
import { PASSWORD, SECRET_NUMBER, SENT } from './marks.ts';
import { ODD_TEXTS } from './odd-values.ts';
import type { FuzzedOperation, Operations } from './operations.ts';

export type Body = Readonly<Record<string, unknown>>;

export class Values {
  readonly #random: Random;
  readonly #operations: Operations;
  readonly #known: KnownValues;
  readonly #fields: readonly (readonly [model: string, field: string])[];
  readonly #matching = new Map<string, readonly string[]>();

  constructor(random: Random, operations: Operations, known: KnownValues, { models }: Definition) {
    this.#random = random;
    this.#operations = operations;
    this.#known = known;
    this.#fields = models.flatMap(({ name, fields }) => fields.map((field) => [name, field.name] as const));
  }

  bodyOf({ bodySchema, endpoint }: FuzzedOperation): Body | null {
    return bodySchema && (this.#objectOf(bodySchema, endpoint?.request.inputs ?? []) as Body);
  }

  /** As the text of a parameter. */
  textOf(schema: Schema, name: string, { endpoint }: FuzzedOperation): string {
    const input = endpoint?.request.inputs.find((each) => each.name === name);
    return textOfValue(this.of(schema, name, input));
  }

  of(given: Schema, name = '', input?: Input): unknown {
    const schema = this.#operations.resolve(given);
    if (input?.kind === 'group') return this.#objectOf(schema, input.inputs);
    if (input?.kind === 'list') return this.#ofSchema(schema, name);
    return this.#existing(schema, name, input) ?? this.#ofSchema(schema, name);
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** What finds a record, what is stored already, or something like it. */
  #existing(schema: Schema, name: string, input: ValueInput | undefined): unknown {
    if (schema.writeOnly || schema.enum) return undefined;
    if (input?.finds) return this.#chance(0.85) ? this.#oneOf(input.finds.end, input.finds.field) : undefined;
    if (input?.stores && this.#chance(0.4))
      return this.#resembling(this.#oneOf(input.stores.model, input.stores.field));
    if (!input?.stores && isFreeText(schema) && this.#chance(0.5)) return this.#namedLike(name);
    return undefined;
  }

  #oneOf(model: string, field: string): unknown {
    const values = this.#known.of(model, field);
    return values.length === 0 ? undefined : pick(values, this.#random);
  }

  /** An input `product_sku` often wants the `sku` of some record. */
  #namedLike(name: string): unknown {
    const alike = this.#fields.filter(([, field]) => name === field || name.endsWith(`_${field}`));
    if (alike.length === 0) return undefined;
    const value = this.#oneOf(...pick(alike, this.#random));
    return typeof value === 'string' ? value : undefined;
  }

  /** The same form with other digits, so that validators written in code often accept it. */
  #resembling(value: unknown): unknown {
    if (typeof value !== 'string' || this.#chance(0.1)) return value;
    return value.replace(/[0-9]/g, () => String(1 + this.#random.below(9)));
  }

  #ofSchema(schema: Schema, name: string): unknown {
    const { type, anyOf } = schema;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return pick(schema.enum, this.#random);
    if (type === undefined) return anyOf ? this.of(pick(anyOf, this.#random)) : this.#json(3);
    const types = typeof type === 'string' ? [type] : type;
    const kind = types.includes('null') && this.#chance(0.2) ? 'null' : types.find((each) => each !== 'null');
    return this.#ofType({ ...schema, type: kind ?? 'null' }, name);
  }

  #ofType(schema: Schema, name: string): unknown {
    switch (schema.type) {
      case 'null':
        return null;
      case 'boolean':
        return this.#chance(0.5);
      case 'integer':
        return Math.round(this.#number(schema));
      case 'number':
        return this.#number(schema);
      case 'array':
        return Array.from({ length: this.#random.below(4) }, () => this.of(schema.items ?? {}));
      case 'object':
        return this.#objectOf(schema, []);
      default:
        return this.#text(schema, name);
    }
  }

  #objectOf({ properties = {}, required = [] }: Schema, inputs: readonly Input[]): Body {
    const sent = Object.entries(properties).filter(([name]) => required.includes(name) || this.#chance(0.6));
    const inputOf = (name: string) => inputs.find((input) => input.name === name);
    return Object.fromEntries(sent.map(([name, each]) => [name, this.of(each, name, inputOf(name))]));
  }

  #number({ minimum = -1e6, maximum = 1e6, type }: Schema): number {
    const small = Math.min(Math.max(this.#random.below(20), minimum), maximum);
    if (this.#chance(0.6)) return small;
    if (this.#chance(0.3)) return pick([minimum, maximum], this.#random);
    const middle = minimum + this.#random.next() * (maximum - minimum);
    return type === 'integer' ? Math.min(Math.max(Math.round(middle), minimum), maximum) : middle;
  }

  #text(schema: Schema, name: string): string {
    const { format, pattern, minLength = 0, maxLength = 60, writeOnly } = schema;
    if (/password/i.test(name) || format === 'password') return `${PASSWORD}-${this.#random.below(1e9)}-Xy`;
    if (format === 'date') return this.#moment().slice(0, 10);
    if (format === 'date-time') return this.#moment();
    if (format === 'uuid') return this.#uuid();
    if (format === 'decimal') return writeOnly ? `${SECRET_NUMBER}.${this.#random.below(99)}` : this.#decimal();
    if (format === 'email') return `${this.#word()}${this.#random.below(1e6)}@fuzz.example`;
    if (format === 'uri') return `https://fuzz.example/${this.#word()}`;
    if (pattern !== undefined) return this.#like(pattern, minLength, maxLength);
    return fitted(this.#freeText(), minLength, maxLength);
  }

  #freeText(): string {
    if (this.#chance(0.2)) return pick(ODD_TEXTS, this.#random);
    const mark = this.#chance(0.3) ? ` ${SENT}` : '';
    return `${this.#word()} ${this.#word()}${mark} ${this.#random.below(1e6)}`;
  }

  #like(pattern: string, minLength: number, maxLength: number): string {
    const known = this.#matching.get(pattern) ?? samples(pattern, this.#random);
    this.#matching.set(pattern, known);
    const fitting = known.filter((text) => text.length >= minLength && text.length <= maxLength);
    return fitting.length === 0 ? 'x'.repeat(minLength) : pick(fitting, this.#random);
  }

  #word(): string {
    return pick(WORDS, this.#random);
  }

  #moment(): string {
    return new Date(Date.UTC(2000 + this.#random.below(60), this.#random.below(12), 1 + this.#random.below(28)))
      .toISOString()
      .replace('.000', this.#chance(0.5) ? '' : '.123');
  }

  #uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.#random.below(16).toString(16)).join('');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  }

  #decimal(): string {
    const digits = pick([2, 2, 2, 12, 30], this.#random);
    const whole = Array.from({ length: digits }, () => this.#random.below(10)).join('');
    return this.#chance(0.5) ? String(BigInt(whole)) : `${BigInt(whole)}.${this.#random.below(100)}`;
  }

  #json(depth: number): unknown {
    const kind = this.#random.below(depth === 0 ? 4 : 6);
    if (kind === 0) return null;
    if (kind === 1) return this.#chance(0.5);
    if (kind === 2) return this.#number({});
    if (kind === 3) return this.#freeText();
    const inner = Array.from({ length: this.#random.below(4) }, () => this.#json(depth - 1));
    return kind === 4 ? inner : Object.fromEntries(inner.map((value) => [this.#freeText(), value]));
  }
}

const WORDS = ['amber', 'bolt', 'cedar', 'delta', 'ember', 'flint', 'grove', 'heron', 'iris', 'juniper', 'kelp'];

function isFreeText({ type, format, pattern }: Schema): boolean {
  return type === 'string' && (format === 'email' || (format === undefined && pattern === undefined));
}

function samples(pattern: string, random: Random): readonly string[] {
  return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 60, seed: random.below(2 ** 30) });
}

function fitted(text: string, minLength: number, maxLength: number): string {
  const points = [...text.padEnd(minLength, 'x')].slice(0, maxLength);
  return points.join('').padEnd(minLength, 'x');
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
