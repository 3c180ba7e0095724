/**
 * What the type checker cannot say about a new type, function, validator, word or variable: the places where it has to be
 * written too, because they are no TypeScript or because two layers may not know of each other. CONTRIBUTING.md has the recipes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { BUILT_IN_VALIDATORS } from '../compiler/check/validations.ts';
import { compile } from '../compiler/compile.ts';
import type { Definition } from '../compiler/definition/definition.ts';
import { SCALAR_NAMES } from '../compiler/definition/scalars.ts';
import { openApiFromDefinition } from '../compiler/emit/openapi/openapi-from-definition.ts';
import { FUNCTIONS } from '../compiler/program/program.ts';
import { type PlaceName, places } from '../compiler/syntax/forms.ts';
import { loadGrammar } from '../compiler/syntax/load-grammar.ts';
import { formsOf, type Shape } from '../compiler/syntax/shapes.ts';
import { VARIABLES } from '../runtime/config/variables.ts';
import { highlightsOf } from './editors/highlights.ts';
import { CORPUS } from './editors/sources.ts';
import { tokensOf } from './editors/textmate.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const schema = JSON.parse(read('compiler/definition/definition.schema.json')) as {
  readonly definitions: Readonly<
    Record<string, EnumSchema & { readonly properties?: Readonly<Record<string, EnumSchema>> }>
  >;
};

interface EnumSchema {
  readonly enum?: readonly string[];
}

describe('a type of a field', () => {
  before(() => loadGrammar());

  it('is one for the language and for the definition', () => {
    expect(schema.definitions.Scalar?.enum).to.have.members(SCALAR_NAMES);
  });

  for (const type of SCALAR_NAMES) {
    const program = `model A { field x { type ${type} } } api { entrypoint A { create endpoint {} get endpoint {} } }`;

    it(`is understood as other languages write it: ${type}`, () => {
      const [diagnostic] = compile([{ path: 'a.kiln', text: `model A { x ${type} }` }]).diagnostics;
      expect(diagnostic?.facts).to.include({ instead: `field x { type ${type} }` });
    });

    it(`has an example in the API's document: ${type}`, () => {
      const { definition } = compile([{ path: 'a.kiln', text: program }]);
      const document = openApiFromDefinition(definition as Definition, { title: 'A', version: '1' });
      expect(JSON.stringify(document.paths['/api/a'])).to.match(/"example":\{"x":/);
    });

    it(`has a colour: ${type}`, () => {
      expect(colourOf(type, program)).to.deep.equal(['type.builtin', 'support.type.primitive.kiln']);
    });

    it(`has its examples: ${type}`, () => {
      // What is sent for a file is not what is read: it has examples of its own.
      if (type === 'file') {
        for (const file of ['compiler/language/field-file.kiln', 'runtime/files/records.test.ts'])
          expect(read(`test/${file}`), file).to.include('type file');
        return;
      }
      for (const file of [
        'compiler/language/field-types.kiln',
        'runtime/api/types-round-trip.http',
        'runtime/api/types-refused.http',
      ])
        expect(read(`test/${file}`), file).to.match(new RegExp(`\\btype ${type}\\b`));
      expect(read('test/runtime/values/forms.test.ts')).to.include(`kind: '${type}'`);
    });
  }

  it('is offered by the snippets', () => {
    const offers = [
      ...read('editors/vscode/snippets.json').matchAll(/field \$\{\d:\w+\} \{ type \$\{\d\|([\w,]+)\|\}/g),
    ];
    expect(offers).to.have.length.greaterThan(1);
    for (const [, types = ''] of offers) expect(types.split(',')).to.have.members(SCALAR_NAMES);
  });
});

describe('a function', () => {
  it('that a definition has is one of the language', () => {
    // The address of a file is made by Kiln alone.
    expect([...FUNCTIONS, 'file']).to.include.members([
      ...(schema.definitions.Call?.properties?.function?.enum ?? ['none']),
    ]);
  });

  for (const name of FUNCTIONS) {
    it(`has a colour and an example that is run: ${name}`, () => {
      expect(colourOf(name, `model A { computed x { ${name}(y) } }`)).to.deep.equal(BUILT_IN);
      expect(examplesIn('runtime/api', /\.http$/)).to.match(new RegExp(`\\b${name}\\(`));
    });
  }
});

describe('a built-in validator', () => {
  it('is one for the language and for the definition', () => {
    expect(BUILT_IN_VALIDATORS).to.include.members([...(schema.definitions.BuiltInValidator?.enum ?? ['none'])]);
  });

  for (const name of BUILT_IN_VALIDATORS) {
    it(`has a colour and an example that is run: ${name}`, () => {
      expect(colourOf(name, `model A { field x { type string, validate { ${name}() } } }`)).to.deep.equal(BUILT_IN);
      expect(examplesIn('runtime/api', /^validators.*\.http$/)).to.match(new RegExp(`\\b${name}\\(`));
    });
  }
});

describe('a property of an endpoint', () => {
  before(() => loadGrammar());

  for (const { example } of formsOf('endpoint')) {
    it(`belongs to some kind of endpoint: ${example}`, () => {
      expect(KINDS.some((kind) => !codesOf(`${kind} endpoint { ${example} }`).includes('property-not-here'))).to.equal(
        true,
      );
    });
  }
});

const KINDS = ['list', 'get', 'create', 'update', 'delete', 'custom'];

function codesOf(endpoint: string): readonly string[] {
  const text = `model A { field x { type string } } api { entrypoint A { ${endpoint} } }`;
  return compile([{ path: 'a.kiln', text }]).diagnostics.map(({ code }) => code);
}

describe('a word of the grammar', () => {
  const words = [...new Set(wordsIn(JSON.parse(read('tree-sitter-grammar/src/grammar.json')).rules))];

  it('has a form, so that slips beside it are understood', () => {
    const known = new Set((Object.keys(places) as PlaceName[]).flatMap((place) => formsOf(place).flatMap(wordsOf)));
    const inExpressions = ['is', 'not', 'true', 'false'];
    expect(words.filter((word) => !known.has(word))).to.have.members(inExpressions);
  });

  it('has a colour somewhere in the corpus', () => {
    const coloured = new Set(
      CORPUS.flatMap(({ text }) => highlightsOf(text))
        .filter(isWord)
        .flatMap(partsOf),
    );
    expect(words.filter((word) => !coloured.has(word))).to.deep.equal([]);
  });
});

describe('a variable of the environment', () => {
  it('is put into the configuration', () => {
    const [, text = ''] = read('runtime/config/config.ts').split('function configFrom(');
    expect(Object.keys(VARIABLES).filter((name) => !text.includes(name))).to.deep.equal([]);
  });
});

const BUILT_IN = ['function.builtin', 'support.function.kiln'];

/** What the query of the tree-sitter grammar and the grammar of VS Code say of the word where it is last written. */
function colourOf(word: string, source: string): readonly (string | undefined)[] {
  const at = source.lastIndexOf(word);
  const highlight = highlightsOf(source).find(({ start }) => start === at);
  const token = tokensOf(source).find(({ start, end }) => start <= at && end > at);
  return [highlight?.capture, token?.scopes.at(-1)];
}

function examplesIn(folder: string, form: RegExp): string {
  const files = readdirSync(join(ROOT, 'test', folder)).filter((file) => form.test(file));
  return files.map((file) => read(`test/${folder}/${file}`)).join('\n');
}

function wordsIn(rule: unknown): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return [];
  const { type, value } = rule as { readonly type?: unknown; readonly value?: unknown };
  if (type === 'STRING' && typeof value === 'string') return /^[A-Za-z]+$/.test(value) ? [value] : [];
  return Object.values(rule).flatMap(wordsIn);
}

function wordsOf({ shapes }: { readonly shapes: readonly Shape[] }): readonly string[] {
  return shapes.flatMap(wordsOfShape);
}

function wordsOfShape(shape: Shape): readonly string[] {
  if (shape.kind === 'choice') return shape.choices.flatMap((choice) => choice.flatMap(wordsOfShape));
  return shape.kind === 'word' ? [shape.text] : [];
}

const isWord = ({ capture }: { readonly capture: string }): boolean => /^(keyword|boolean|constant)/.test(capture);

/** `on delete` and `set null` are one token each. */
const partsOf = ({ text }: { readonly text: string }): readonly string[] => text.split(/\s+/);
