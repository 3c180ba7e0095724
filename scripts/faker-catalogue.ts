/**
 * Writes `compiler/check/faker-catalogue.ts` from the installed @faker-js/faker: `npx tsx scripts/faker-catalogue.ts`.
 *
 * The package's type declarations say which arguments a method takes and what it returns. What they cannot say (an
 * integer or a float, a text that is always a UUID) is seen by calling the method. Kiln has no object literals, so an
 * options object cannot be passed: the methods that need one are left out, and an optional one is not counted.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { faker } from '@faker-js/faker';
import type { FakerArgument, FakerMethod } from '../compiler/check/faker-catalogue.ts';

type Catalogue = Record<string, Record<string, FakerMethod>>;

/** One declared form of a method; an overloaded method has several. */
interface Signature {
  readonly parameters: readonly Parameter[];
  readonly returns: TypeFacts;
}

interface Parameter {
  readonly optional: boolean;
  readonly rest: boolean;
  readonly takes: readonly FakerArgument[];
}

type Atom = 'string' | 'number' | 'boolean' | 'timestamp' | 'json' | 'any' | 'undefined' | 'unusable';

/** A declared type as the alternatives of its union. */
type TypeFacts = readonly { readonly atom: Atom; readonly list: boolean }[];

interface ClassText {
  readonly parent: string | undefined;
  readonly members: readonly string[];
}

const outputFile = new URL('../compiler/check/faker-catalogue.ts', import.meta.url);
const deprecatedMark = '/*deprecated*/';
const manyArguments = 99;
const samples = 200;
const lineWidth = 120;

// It gives back its own argument when that is a number, and a range cannot be written in Kiln.
const withoutSense = new Set(['helpers.rangeToNumber']);

// ── Reading the declarations ─────────────────────────────────────────────────────────────────────────────────────────

function declarationsText(): string {
  const folder = new URL('./', pathToFileURL(createRequire(import.meta.url).resolve('@faker-js/faker')));
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const text = texts.find((candidate) => candidate.includes('declare class Faker extends'));
  if (!text) throw new Error('no type declaration of @faker-js/faker declares the class `Faker`');
  return text.replace(/\/\*\*[\s\S]*?\*\//g, (comment) => (comment.includes('@deprecated') ? deprecatedMark : ''));
}

/** Splits at a separator outside brackets and quotes. */
function topLevelParts(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const token of text.match(/'[^']*'|`[^`]*`|=>|[\s\S]/g) ?? []) {
    if ('([{<'.includes(token)) depth += 1;
    if (')]}>'.includes(token)) depth -= 1;
    if (depth === 0 && token === separator) parts.push('');
    else parts.push(parts.pop() + token);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function classesIn(text: string): Map<string, ClassText> {
  const classes = new Map<string, ClassText>();
  for (const match of text.matchAll(/^declare (?:abstract )?class (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm)) {
    const [, name = '', parent, body = ''] = match;
    classes.set(name, { parent, members: topLevelParts(body, ';') });
  }
  return classes;
}

function membersOf(name: string, classes: ReadonlyMap<string, ClassText>): string[] {
  const found = classes.get(name);
  if (!found) return [];
  return [...found.members, ...(found.parent ? membersOf(found.parent, classes) : [])];
}

function aliasesIn(text: string): Map<string, string> {
  const plain = [...text.matchAll(/^type (\w+) = ([^;{]*|`[^`]*`);$/gm)];
  const shapes = [...text.matchAll(/^interface (\w+)/gm)];
  return new Map([
    ...plain.map(([, name = '', type = '']) => [name, type] as const),
    ...shapes.map(([, name = '']) => [name, '{}'] as const),
  ]);
}

/** The class of each module: `person` → `PersonModule`. */
function modulesOf(classes: ReadonlyMap<string, ClassText>): Map<string, string> {
  const modules = new Map<string, string>();
  for (const member of membersOf('Faker', classes)) {
    const [, name, type] = /^readonly (\w+): (\w+Module)$/.exec(member) ?? [];
    if (name && type && !modules.has(name)) modules.set(name, type);
  }
  return modules;
}

function signaturesByMethod(
  members: readonly string[],
  aliases: ReadonlyMap<string, string>,
): Map<string, Signature[]> {
  const methods = new Map<string, Signature[]>();
  for (const member of members) {
    const [, name, generics = '', parameters = '', returns = ''] =
      /^(\w+)(?:<([\s\S]*?)>)?\(([\s\S]*)\): ([\s\S]+)$/.exec(member) ?? [];
    if (!name) continue;
    const known = new Map([...aliases, ...typeParametersIn(generics)]);
    const signature = {
      parameters: topLevelParts(parameters, ',').map((text) => parameterFrom(text, known)),
      returns: typeFacts(returns, known),
    };
    methods.set(name, [...(methods.get(name) ?? []), signature]);
  }
  return methods;
}

function typeParametersIn(generics: string): [string, string][] {
  return topLevelParts(generics, ',').map((text) => {
    const [, name = '', bound = 'unknown'] = /^(?:const )?(\w+)(?: extends ([\s\S]+))?$/.exec(text) ?? [];
    return [name, bound];
  });
}

function parameterFrom(text: string, aliases: ReadonlyMap<string, string>): Parameter {
  const [, rest = '', optional = '', type = ''] = /^(\.\.\.)?\w+(\?)?: ([\s\S]+)$/.exec(text) ?? [];
  const facts = typeFacts(type, aliases);
  return {
    optional: optional !== '' || rest !== '' || facts.some(({ atom }) => atom === 'undefined'),
    rest: rest !== '',
    takes: [...new Set(facts.flatMap(argumentsFrom))],
  };
}

function argumentsFrom({ atom, list }: TypeFacts[number]): FakerArgument[] {
  if (list) return atom === 'json' || atom === 'unusable' ? [] : ['list'];
  if (atom === 'any') return ['number', 'string', 'boolean', 'list'];
  return atom === 'string' || atom === 'number' || atom === 'boolean' ? [atom] : [];
}

function typeFacts(text: string, aliases: ReadonlyMap<string, string>): TypeFacts {
  return topLevelParts(text, '|').flatMap((part) => alternativeFacts(part, aliases));
}

function alternativeFacts(text: string, aliases: ReadonlyMap<string, string>): TypeFacts {
  const element = elementType(text);
  if (element !== undefined) return typeFacts(element, aliases).map(({ atom }) => ({ atom, list: true }));
  const alias = aliases.get(text);
  if (alias !== undefined) return typeFacts(alias, aliases);
  return [{ atom: atomFrom(text), list: false }];
}

function elementType(text: string): string | undefined {
  const [, array, readonlyArray, tuple] =
    /^(?:(.+)\[\]|ReadonlyArray<(.+)>|\[(?:\w+: )?([^,]+),.*\])$/s.exec(text) ?? [];
  return array ?? readonlyArray ?? tuple;
}

function atomFrom(text: string): Atom {
  if (/^['`]/.test(text) || text === 'string') return 'string';
  if (/^\d/.test(text) || text === 'number') return 'number';
  if (/^(boolean|true|false)$/.test(text)) return 'boolean';
  if (text === 'Date') return 'timestamp';
  if (text === 'undefined' || text === 'null') return 'undefined';
  if (text === 'unknown') return 'any';
  return /^(\{|Record<)/.test(text) ? 'json' : 'unusable';
}

// ── From signatures to the catalogue ─────────────────────────────────────────────────────────────────────────────────

/** The leading parameters that Kiln can give a value to, or undefined where a required one is beyond it. */
function usableParameters(signature: Signature): readonly Parameter[] | undefined {
  const { parameters } = signature;
  const end = parameters.findIndex((parameter) => parameter.takes.length === 0);
  if (end < 0) return parameters;
  return parameters.slice(end).every((parameter) => parameter.optional) ? parameters.slice(0, end) : undefined;
}

function methodFrom(module: string, name: string, signatures: readonly Signature[]): FakerMethod | undefined {
  const forms = signatures.flatMap((signature) => {
    const parameters = usableParameters(signature);
    return parameters ? [{ parameters, returns: signature.returns }] : [];
  });
  const [first] = forms;
  const returns = first && returnsFrom(module, name, first.returns, first.parameters);
  if (!returns) return undefined;
  const parameterLists = forms.map((form) => form.parameters);
  const takes = takesOf(parameterLists);
  return { ...returns, ...arityOf(parameterLists), ...(takes.length > 0 ? { takes } : {}) };
}

function arityOf(forms: readonly (readonly Parameter[])[]): { required: number; most: number } {
  const required = forms.map((parameters) => parameters.filter((parameter) => !parameter.optional).length);
  const most = forms.map((parameters) => (parameters.some(({ rest }) => rest) ? manyArguments : parameters.length));
  return { required: Math.min(...required), most: Math.max(...most) };
}

function takesOf(forms: readonly (readonly Parameter[])[]): (readonly FakerArgument[])[] {
  const longest = Math.max(...forms.map((parameters) => parameters.length));
  return Array.from({ length: longest }, (_, position) => [
    ...new Set(forms.flatMap((parameters) => parameters[position]?.takes ?? [])),
  ]);
}

type Returns = Pick<FakerMethod, 'returns' | 'nullable' | 'list'>;

function returnsFrom(
  module: string,
  name: string,
  facts: TypeFacts,
  parameters: readonly Parameter[],
): Returns | undefined {
  const values = facts.filter(({ atom }) => atom !== 'undefined');
  const [first] = values;
  if (!first || values.some(({ atom, list }) => atom !== first.atom || list !== first.list)) return undefined;
  if (first.atom === 'unusable' || first.atom === 'undefined') return undefined;
  const seen = parameters.every((parameter) => parameter.optional) ? sampleCalls(module, name) : [];
  return {
    returns: observedType(first.atom, seen),
    ...(values.length < facts.length ? { nullable: true as const } : {}),
    ...(first.list ? { list: true as const } : {}),
  };
}

/** A method that cannot be called without arguments has no samples, and takes the wider type. */
function observedType(
  declared: Exclude<Atom, 'unusable' | 'undefined'>,
  seen: readonly unknown[],
): FakerMethod['returns'] {
  const always = (holds: (value: unknown) => boolean) => seen.length > 0 && seen.flat().every(holds);
  if (declared === 'number') return always(Number.isInteger) ? 'integer' : 'float';
  if (declared === 'string' && always(isUuid)) return 'uuid';
  return declared;
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

function sampleCalls(module: string, name: string): unknown[] {
  faker.seed(1);
  return Array.from({ length: samples }, () => callFaker(module, name));
}

function callFaker(module: string, name: string): unknown {
  const modules = faker as unknown as Record<string, Record<string, () => unknown>>;
  return modules[module]?.[name]?.();
}

/** Everything a populator may call, by module and method. */
export function fakerCatalogueFromPackage(): Catalogue {
  const text = declarationsText();
  const classes = classesIn(text);
  const aliases = aliasesIn(text);
  const catalogue: Catalogue = {};
  for (const [module, className] of [...modulesOf(classes)].sort(byName)) {
    const members = membersOf(className, classes).filter((member) => !member.startsWith(deprecatedMark));
    const methods = [...signaturesByMethod(members, aliases)].flatMap(([name, signatures]) => {
      const method = withoutSense.has(`${module}.${name}`) ? undefined : methodFrom(module, name, signatures);
      return method ? [[name, method] as const] : [];
    });
    catalogue[module] = Object.fromEntries(methods.sort(byName));
  }
  return catalogue;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

// ── Writing the file ─────────────────────────────────────────────────────────────────────────────────────────────────

const heading = `// Generated by scripts/faker-catalogue.ts from @faker-js/faker; a test holds it up to date.

/** What an argument may be; an options object cannot be written in Kiln. */
export type FakerArgument = 'number' | 'string' | 'boolean' | 'list';

export interface FakerMethod {
  readonly returns: 'string' | 'integer' | 'float' | 'boolean' | 'timestamp' | 'date' | 'uuid' | 'json' | 'any';
  /** The method may give nothing. */
  readonly nullable?: true;
  /** The method returns a list of \`returns\`. */
  readonly list?: true;
  /** Fewest arguments. */
  readonly required: number;
  /** Most arguments; ${manyArguments} where any number is taken. */
  readonly most: number;
  /** What each argument may be, where there are any. */
  readonly takes?: readonly (readonly FakerArgument[])[];
}
`;

/** Methods of one shape share one constant: most of them take nothing and return a text. */
export function fakerCatalogueSource(): string {
  const shapes = new Map<string, FakerMethod>();
  const modules = Object.entries(fakerCatalogueFromPackage()).map(([module, methods]) => {
    const lines = Object.entries(methods).map(([name, method]) => {
      const shape = shapeName(method);
      shapes.set(shape, method);
      return `    ${name}: ${shape},\n`;
    });
    return `  ${module}: {\n${lines.join('')}  },\n`;
  });
  const constants = [...shapes].sort(byName).map(([name, method]) => constantText(name, method));
  const type = 'Readonly<Record<string, Readonly<Record<string, FakerMethod>>>>';
  return `${heading}\n${constants.join('')}\nexport const fakerCatalogue: ${type} = {\n${modules.join('')}};\n`;
}

/** Such as `stringOfStringOrList_Number`: what it returns, what it needs, and after `_` what it also takes. */
function shapeName({ returns, nullable, list, required, takes = [] }: FakerMethod): string {
  const words = takes.map((kinds) => kinds.map(capitalised).join('Or'));
  const needed = words.slice(0, required);
  const extra = words.slice(required).map((word) => `_${word}`);
  const value = `${nullable ? 'nullable' : 'some'}${capitalised(returns)}${list ? 'List' : ''}`;
  return value + (needed.length > 0 ? `Of${needed.join('')}` : '') + extra.join('');
}

function constantText(name: string, method: FakerMethod): string {
  const line = `const ${name}: FakerMethod = ${literal(method)};\n`;
  if (line.length <= lineWidth) return line;
  const entries = Object.entries(method).map(([key, entry]) => `  ${key}: ${literal(entry)},\n`);
  return `const ${name}: FakerMethod = {\n${entries.join('')}};\n`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${literal(entry)}`);
  return `{ ${entries.join(', ')} }`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(outputFile, fakerCatalogueSource());
