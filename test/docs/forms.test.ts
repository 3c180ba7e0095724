/** Whether the reference shows all that the language has: every form, type, function and validator, in an example that is run. */
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { SCALAR_NAMES } from '../../compiler/definition/scalars.ts';
import { FUNCTIONS } from '../../compiler/program/program.ts';
import { type PlaceName, places } from '../../compiler/syntax/forms.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { formsOf, type ReadForm, type Shape } from '../../compiler/syntax/shapes.ts';
import { partsFromText, readDocument } from '../support/document-parts.ts';
import { examplesFromParts } from '../support/document-programs.ts';
import { REFERENCE } from './executed.ts';
import { shapesIn } from './watched-reading.ts';

const PARTS = REFERENCE.flatMap((document) => partsFromText(readDocument(document)));
const TEXTS = examplesFromParts(PARTS).programs.flatMap(({ files, steps }) => [
  ...[...files].filter(([path]) => path.endsWith('.kiln')).map(([, text]) => text),
  ...steps.flatMap((step) => (step.kind === 'release' && step.shown?.language === 'sql' ? [step.source] : [])),
]);

const input = (flag: string) =>
  `model A { field x { type string } } api { entrypoint A { create endpoint { action { create { input { x { ${flag} } } } } } } }`;
const argument = (flag: string) =>
  `validator v { arg value { type string, ${flag} } assert { value is "a" } error { code "v" } } model A { field x { type string, validate { v() } } }`;
const reference = (flag: string) => `model A { reference b { to B, ${flag} } } model B { field x { type string } }`;

/** Words that can be read in these places only so that the compiler can say why they do not belong there. */
const REFUSED: Readonly<Record<string, string>> = {
  'field: `required` of `required`': 'model A { field x { type string, required } }',
  'webhook: `delete` of `on (create | update | delete) of NAME as NAME [when EXPRESSION]`':
    'model A { field x { type string, secret } } webhook "a" { on delete of A as a  to A as b { url "https://example.com", secret b.x }  body { id } }',
  'reference: `index` of `index`': reference('index'),
  'reference: `secret` of `secret`': reference('secret'),
  'reference: `required` of `required`': reference('required'),
  'relation: `as` of `from PATH [as NAME]`':
    'model A { relation bs { from B as b, through a } } model B { reference a { to A } }',
  'validator_arg: `unique` of `unique`': argument('unique'),
  'validator_arg: `index` of `index`': argument('index'),
  'validator_arg: `internal` of `internal`': argument('internal'),
  'validator_arg: `secret` of `secret`': argument('secret'),
  'validator_arg: `required` of `required`': argument('required'),
  'input_field: `unique` of `unique`': input('unique'),
  'input_field: `nullable` of `nullable`': input('nullable'),
  'input_field: `index` of `index`': input('index'),
  'input_field: `internal` of `internal`': input('internal'),
  'input_field: `secret` of `secret`': input('secret'),
  'populate: `when` of `set NAME EXPRESSION [when EXPRESSION]`':
    'model A { field x { type string } } populator P { populate A { set x "a" when true } }',
};

/** Validators under another name, which the compiler does not offer. */
const ALIASES = [
  ...['minInt', 'maxInt', 'minFloat', 'maxFloat'],
  ...['isEqualInt', 'isEqualFloat', 'isEqualString', 'isEqualBool'],
];

describe('the reference shows', () => {
  before(() => loadGrammar());
  const seen = new Set<Shape>();
  for (const text of TEXTS) for (const shape of shapesIn({ path: 'main.kiln', text })) seen.add(shape);

  for (const place of Object.keys(places) as PlaceName[]) {
    it(`all that ${places[place].noun} can have`, () => {
      const missing = formsOf(place).flatMap((form) => unseenIn(form, seen).map((part) => `${place}: ${part}`));
      expect(missing.filter((part) => REFUSED[part] === undefined)).to.deep.equal([]);
    });
  }

  it('all but what is always refused', () => {
    const taken = Object.entries(REFUSED).filter(([, text]) => compile([{ path: 'main.kiln', text }]).definition);
    expect(taken.map(([part]) => part)).to.deep.equal([]);
  });

  it('every type of a field', () => {
    const isShown = (type: string) => TEXTS.some((text) => new RegExp(`type ${type}[ ,]`).test(text));
    expect(SCALAR_NAMES.filter((type) => !isShown(type))).to.deep.equal([]);
  });

  it('every built-in validator', () => {
    const shown = exampleCells('validator');
    const missing = [...builtInValidators(), ...ALIASES].filter(
      (name) => !shown.some((cell) => cell.includes(`${name}(`)),
    );
    expect(missing).to.deep.equal([]);
  });

  it('every function', () => {
    expect(
      FUNCTIONS.filter((name) => !exampleCells('example').some((cell) => cell.includes(`${name}(`))),
    ).to.deep.equal([]);
  });
});

/** The words, signs and blocks of a form that no example has; the form itself where it has none of its own. */
function unseenIn({ shapes, shape }: ReadForm, seen: ReadonlySet<Shape>): readonly string[] {
  const marks = shapes.flatMap(marksIn);
  return marks
    .filter((mark) => !seen.has(mark))
    .map((mark) => ('text' in mark ? `\`${mark.text}\` of \`${shape}\`` : `the block of \`${shape}\``));
}

function marksIn(shape: Shape): readonly Shape[] {
  if (shape.kind === 'choice') return shape.choices.flatMap((choice) => choice.flatMap(marksIn));
  return shape.kind === 'word' || shape.kind === 'sign' || shape.kind === 'block' ? [shape] : [];
}

/** Those that the compiler offers for one that it does not know. */
function builtInValidators(): readonly string[] {
  const text = 'model A { field x { type string, validate { unheardOf() } } }';
  return compile([{ path: 'main.kiln', text }]).diagnostics.flatMap(
    ({ facts }) => (facts as { readonly builtIn: readonly string[] }).builtIn,
  );
}

function exampleCells(column: string): readonly string[] {
  return PARTS.flatMap((part) => {
    const at = part.kind === 'table' ? part.header.indexOf(column) : -1;
    return part.kind === 'table' && at >= 0 ? part.rows.map(({ cells }) => cells[at] ?? '') : [];
  });
}
