/** Each keyword and each property of the grammar says what it is for, with an example that compiles. */
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import { type Diagnostic, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { type Form, type FormName, formNamed, type PlaceName, places } from '../../compiler/syntax/forms.ts';
import { SHAPES } from '../../compiler/syntax/grammar-forms.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { RESERVED } from '../../compiler/syntax/reserved-words.ts';
import { formsOf, type Shape } from '../../compiler/syntax/shapes.ts';
import { keywordHoverAt, WORD_TEXTS } from '../../language-server/features/hover.ts';

const accountMail = (name: string) =>
  `mail ${name} { input author { to Author }  input token { type string }  to author.email  subject "Hello"  body "hello.html" }`;

const MODELS = `enum Status { draft, published }

model Author {
  field name { type string }
  field email { type string, unique }
  field password_hash { type string, secret }
  field nickname { type string, nullable }
  relation posts { from Post, through author }
}

model Comment { reference post { to Post }  field text { type string } }

model Tag { field name { type string, unique } }

shape Teaser of Post { title, author { name } }

runtime jobs { source path "jobs" }

setting STRIPE_SECRET { secret }
setting PARTNER_URL {}
setting PARTNER_SECRET { secret }

job Announce {
  input post { to Post }
  input silent { type boolean, default false }
  action { update post { set published silent } }
}

${['ConfirmAddress', 'NewPassword', 'Invitation'].map(accountMail).join('\n')}

job RemoveDrafts { action { query { from Post, filter { published is false }, delete } } }
`;

const AUTH = 'auth { model Author }\n';

const POST = `  reference author { to Author }
  field title { type string }
  field slug { type string, unique }
  field body { type string }
  field published { type boolean, default false }
  field status { type Status, default "draft" }
  field likes { type integer, default 0 }
  field created_at { type timestamp, default now() }
  relation comments { from Comment, through post }
  reference parent { to Post, nullable }
  relation children { from Post, through parent }`;

const IN_MODEL = /^(field|reference|relation|computed|query|hook|unique|index|drop (?!model|job))/;
const IN_ENTRYPOINT =
  /^((list|get|create|update|delete|custom) endpoint|GET|POST|PUT|PATCH|DELETE|entrypoint|identify|authorize|only|versioned|inputs under|response|path)\b/;

/** The whole program around an example. */
function programWith(example: string): string {
  const members = IN_MODEL.test(example) ? `\n  ${example}` : '';
  const inner = IN_ENTRYPOINT.test(example) ? `\n    ${example}` : '';
  const declared = members === '' && inner === '' ? example : '';
  const auth = declared.startsWith('auth') ? '' : AUTH;
  // A shape that nothing uses is a warning only; so is a runtime.
  return `${MODELS}${auth}model Post {\n${POST}${members}\n}\napi {\n  entrypoint Post as post {${inner}\n  }\n}\n${declared}\n`;
}

function errorsOf(example: string): readonly string[] {
  const module = 'export function summarise() {}\nexport function notify() {}\n';
  const { diagnostics } = compile([{ path: 'app.kiln', text: programWith(example) }], () => module);
  return diagnostics.filter((each) => severityOf(each) === 'error').map(wordsOf);
}

function wordsOf({ code, facts }: Diagnostic): string {
  return `${code} ${JSON.stringify(facts)}`;
}

const FORMS = (Object.keys(SHAPES) as FormName[]).map((name) => [name, formNamed(name) as Form] as const);

describe('language server: what a keyword is for', () => {
  before(() => loadGrammar());

  for (const [name, form] of FORMS) {
    it(`is told of \`${name}\`, with an example that compiles`, () => {
      const { example, means, shown = example } = form;
      expect(means).to.match(/^[A-Z`].*\.$/s);
      expect(errorsOf(shown)).to.deep.equal([]);
    });
  }

  for (const [node, { means, example }] of Object.entries(WORD_TEXTS)) {
    it(`is told of \`${node}\` in an expression`, () => {
      expect(errorsOf(example)).to.deep.equal([]);
      const word = node === 'at_word' ? '@input' : (node.split('_')[0] as string);
      expect(hoversIn(example, word).some((text) => text?.startsWith(means))).to.equal(true);
    });
  }

  it('has a text for every word that is never a name', () => {
    expect(Object.keys(WORD_TEXTS)).to.include.members([...RESERVED]);
  });

  it('is shown on the words of each form', () => {
    const missing = FORMS.flatMap(([name, form]) => {
      const example = form.shown ?? form.example;
      const words = keywordsOf(name);
      const shown = words.filter((word) => new RegExp(`\\b${word}\\b`).test(example));
      if (words.length > 0 && shown.length === 0) return [`${name}: none of its words is in its example`];
      const texts = shown.map((word) => hoversIn(example, word));
      const isTold = words.length === 0 || texts.flat().some((text) => text?.includes(form.means));
      return [
        ...(isTold || name === 'enum_value' ? [] : [`${name}: nothing tells of it`]),
        ...shown.filter((_, index) => texts[index]?.includes(undefined)).map((word) => `${name}: ${word}`),
      ];
    });
    expect(missing).to.deep.equal([]);
  });
});

/** What is shown at each place of a word. */
function hoversIn(example: string, word: string): readonly (string | undefined)[] {
  const text = programWith(example);
  const start = text.indexOf(example);
  // As a name, as in `author`, it is hovered as one.
  const places = [...example.matchAll(new RegExp(`(?<![.@"\\w])${word}\\b(?!")`, 'g'))];
  return places.map(({ index }) => keywordHoverAt(text, start + index + 1)?.text);
}

/** All words of the form, wherever they stand in it. */
function keywordsOf(name: FormName): readonly string[] {
  const form = (Object.keys(places) as PlaceName[]).flatMap(formsOf).find((each) => each.name === name);
  return [...new Set((form?.shapes ?? []).flatMap(wordsIn))];
}

function wordsIn(shape: Shape): readonly string[] {
  if (shape.kind === 'choice') return shape.choices.flatMap((choice) => choice.flatMap(wordsIn));
  return shape.kind === 'word' ? [shape.text] : [];
}
