import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import type { Definition, Model, Populate } from '../../compiler/definition/definition.ts';
import type { Endpoint, Input } from '../../compiler/definition/endpoint.ts';
import type { Read, Step } from '../../compiler/definition/expression.ts';
import { severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { definitionSchema, SCHEMA as SCHEMA_FILE } from '../../scripts/definition-schema.ts';
import { type CompiledCase, caseFiles, compileCase } from '../support/case-file.ts';
import { exampleCompilation } from './openapi/documents.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SCHEMA = JSON.parse(readFileSync(join(ROOT, 'compiler/definition/definition.schema.json'), 'utf8'));

/** Every definition that the tests know: one for each construct, and the examples. */
describe('the schema of the definition', () => {
  it('is that of the types; `npm run schema` makes it anew', () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).to.equal(definitionSchema());
  });
});

describe('a definition', () => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA);
  before(() => loadGrammar());

  const isSound = ({ definition, diagnostics }: CompiledCase) => {
    const errors = diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
    expect(errors.map(({ code }) => code)).to.deep.equal([]);
    validate(JSON.parse(JSON.stringify(definition)));
    expect(validate.errors ?? []).to.deep.equal([]);
    expect(danglingNames(definition as Definition)).to.deep.equal([]);
  };

  for (const construct of caseFiles(join(import.meta.dirname, 'language'))) {
    it(`of ${construct.name} fits the schema and has no loose ends`, () => isSound(compileCase(construct)));
  }

  for (const example of readdirSync(join(ROOT, 'examples'))) {
    it(`of the example ${example} fits the schema and has no loose ends`, () => isSound(exampleCompilation(example)));
  }

  it('without models is refused by the schema', () => {
    expect(validate({ version: 1 })).to.equal(false);
  });

  it('that reads nothing of the authenticated record has loose ends', () => {
    const definition = exampleCompilation('helpdesk').definition as Definition;
    const endpoints = definition.endpoints.map((endpoint) => ({ ...endpoint, authReads: [] }));
    expect(danglingNames({ ...definition, endpoints })).to.include('no @auth.agent.role');
  });
});

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What can be named in a part of a definition, beside what is in the models. */
interface Names {
  /** The reads of each record; `undefined` where the result is taken as it is. */
  readonly records: ReadonlyMap<string, ReadonlySet<string> | undefined>;
  readonly inputs: ReadonlySet<string>;
  readonly iterators: ReadonlySet<string>;
}

const NO_NAMES: Names = { records: new Map(), inputs: new Set(), iterators: new Set() };

/** A definition promises that every name in it is a key that exists. */
function danglingNames(definition: Definition): readonly string[] {
  const walker = new Walker(definition);
  for (const model of definition.models) walker.walk(model.fields, model.name, NO_NAMES);
  for (const validator of definition.validators) walker.walk(validator, '', NO_NAMES);
  for (const endpoint of definition.endpoints) walker.walk(endpoint, endpoint.model, namesOf(endpoint));
  for (const populator of definition.populators)
    for (const populate of populator.populates) walkPopulate(walker, definition, populate, NO_NAMES);
  const register = definition.auth?.password?.register;
  if (register)
    walker.walk(register, definition.auth?.model ?? '', { ...NO_NAMES, inputs: inputNames(register.inputs) });
  return [...new Set(walker.problems)];
}

function namesOf({ authReads, records, actions, request }: Endpoint): Names {
  const found = new Map<string, ReadonlySet<string> | undefined>([['@auth', readNames(authReads)]]);
  for (const { record, reads } of records) found.set(record, readNames(reads));
  for (const action of actions) {
    if (action.kind === 'create' || action.kind === 'update') found.set(action.record, readNames(action.reads));
    // An item that is a record is read by a query before it.
    if ('each' in action && action.each && !found.has(action.each.item)) found.set(action.each.item, undefined);
    if ((action.kind === 'execute' || action.kind === 'service-call') && action.record !== null)
      found.set(action.record, undefined);
    if (action.kind !== 'query' || action.record === null) continue;
    found.set(action.record, 'reads' in action.does ? readNames(action.does.reads) : undefined);
  }
  return { records: found, inputs: inputNames([...request.inputs, ...(request.inPath ?? [])]), iterators: new Set() };
}

function readNames(reads: readonly Read[]): ReadonlySet<string> {
  return new Set(reads.map(({ name }) => name));
}

function inputNames(inputs: readonly Input[]): ReadonlySet<string> {
  return new Set(
    inputs.flatMap((input) =>
      input.kind === 'group' ? input.inputs.map(({ name }) => `${input.name}.${name}`) : [input.name],
    ),
  );
}

/** In a populator, what is read of a record is one of its fields. */
function walkPopulate(walker: Walker, definition: Definition, populate: Populate, outer: Names): void {
  const { record, model, parent, repeat, values, populates } = populate;
  const { fields = [], relations = [] } = definition.models.find(({ name }) => name === model) ?? {};
  const reads = new Set([...fields.map(({ name }) => name), ...relations.map(({ name }) => `${name}.id`)]);
  const iterators = new Set([...outer.iterators, ...(repeat.name === null ? [] : [repeat.name])]);
  walker.walk(values, model, { ...outer, iterators });
  walker.expectField(model, parent ?? 'id');
  const inner = { ...outer, iterators, records: new Map(outer.records).set(record, reads) };
  for (const nested of populates) walkPopulate(walker, definition, nested, inner);
}

type Node = Readonly<Record<string, unknown>>;

class Walker {
  readonly problems: string[] = [];
  readonly #definition: Definition;
  readonly #models: ReadonlyMap<string, Model>;
  #seen = new Set<string>();

  constructor(definition: Definition) {
    this.#definition = definition;
    this.#models = new Map(definition.models.map((model) => [model.name, model]));
  }

  /** Walks members of models too, where they are used: they see what is seen there. */
  walk(part: unknown, model: string, names: Names): void {
    this.#seen = new Set();
    this.#walk(part, model, names);
  }

  expectField(model: string, field: string): void {
    const found = this.#models.get(model)?.fields.some(({ name }) => name === field);
    if (!found) this.problems.push(`no field ${model}.${field}`);
  }

  #walk(part: unknown, around: string, names: Names): void {
    if (Array.isArray(part)) for (const item of part) this.#walk(item, around, names);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return;
    const node = part as Node;
    const model = String((node.query as Node | undefined)?.model ?? node.model ?? around);
    this.#check(node, model, around, names);
    for (const value of Object.values(node)) this.#walk(value, model, names);
  }

  #check(node: Node, model: string, around: string, names: Names): void {
    const { kind } = node;
    if (typeof node.model === 'string' && !this.#models.has(node.model)) this.problems.push(`no model ${node.model}`);
    if (kind === 'enum' && !this.#definition.enums.some(({ name }) => name === node.enum))
      this.problems.push(`no enum ${node.enum}`);
    if (kind === 'field') this.expectField(model, String(node.field));
    if (kind === 'snapshot') this.#checkSnapshot(node, names);
    if (kind === 'input' && !names.inputs.has((node.path as string[]).join('.')))
      this.problems.push(`no input ${node.path}`);
    if (kind === 'iterator' && !names.iterators.has(String(node.name))) this.problems.push(`no iterator ${node.name}`);
    if (kind === 'computed' && typeof node.computed === 'string') this.#use('computed', model, node.computed, names);
    if (kind === 'hook' && typeof node.hook === 'string') this.#use('hooks', around, node.hook, names);
    if (Array.isArray(node.path)) this.#checkSteps(node.path as Step[], names);
    if ('when' in node && kind !== 'refuse') this.expectField(model, String(node.field));
    this.#checkValidator(node);
  }

  #checkSnapshot({ record, read }: Node, { records }: Names): void {
    const reads = records.get(String(record));
    const exists = read === null ? records.has(String(record)) : reads?.has(String(read));
    if (!exists) this.problems.push(`no ${record}.${read}`);
  }

  #checkSteps(steps: readonly Step[], names: Names): void {
    steps.forEach((step, index) => {
      const before = index > 0 ? (steps[index - 1] as Step).model : undefined;
      if (step.kind === 'reference' && before) this.expectField(before, step.field);
      if (step.kind === 'relation') this.expectField(step.model, step.field);
      if (step.kind === 'query') this.#use('queries', step.of, step.name, names);
      if (step.kind === 'query' && before && step.of !== before)
        this.problems.push(`${step.of}.${step.name} is not reached`);
    });
  }

  #use(kind: 'computed' | 'hooks' | 'queries', model: string, name: string, names: Names): void {
    const key = `${model}.${name}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const members: readonly { readonly name: string }[] = this.#models.get(model)?.[kind] ?? [];
    const member = members.find((candidate) => candidate.name === name);
    if (member) this.#walk(member, model, names);
    else this.problems.push(`no ${kind} ${key}`);
  }

  #checkValidator({ kind, validator }: Node): void {
    const own = kind === 'check' ? (validator as { readonly own?: string }).own : undefined;
    if (own && !this.#definition.validators.some(({ name }) => name === own)) this.problems.push(`no validator ${own}`);
  }
}
