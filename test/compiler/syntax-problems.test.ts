import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { astFromCst } from '../../compiler/ast/ast-from-cst.ts';
import { analyse } from '../../compiler/compile.ts';
import { type Diagnostic, wordsOf } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import { type PlaceName, places } from '../../compiler/syntax/forms.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { RESERVED } from '../../compiler/syntax/reserved-words.ts';
import { formsOf } from '../../compiler/syntax/shapes.ts';
import { reportUnreadable, syntaxProblems } from '../../compiler/syntax/syntax-problems.ts';
import { readSources } from '../../files/read-sources.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { isSlow, itInBoth } from '../support/slow.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const RUNS = Number(process.env.MUTATIONS ?? (isSlow ? 750 : 250));

/** A source, and for each mistake in it the code, the text under the caret and words that must be said. */
type Mistake = readonly [source: string, ...expected: (readonly [code: string, caret: string, ...words: string[]])[]];

const model = (members: string): string => `model Post {\n${members}\n}\n`;
const field = (properties: string): string => model(`  field title { ${properties} }`);
const value = (text: string): string => model(`  computed total { ${text} }`);
const entrypoint = (members: string): string => `api {\n  entrypoint Post as post {\n${members}\n  }\n}\n`;
const action = (actions: string): string => entrypoint(`    create endpoint { action { ${actions} } }`);

const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'words that do not fit': [
    [model('  feild slug { type string }'), ['unknown-word', 'feild', 'something that a model can have', '`field`?']],
    [field('tpye string'), ['unknown-word', 'tpye', 'something that a field can have', '`type`?']],
    ['Model Post { }', ['unknown-word', 'Model', 'something that a file can declare', '`model`?']],
    ['table Post { }', ['unknown-word', 'table', '`model`?', 'model Post { field title { type string } }']],
    [model('  column slug { type string }'), ['unknown-word', 'column', '`field`?']],
    [model('  belongsTo author { to Author }'), ['unknown-word', 'belongsTo', '`reference`?']],
    [model('  reference author { model Author }'), ['unknown-word', 'model', '`to`?', 'to Author']],
    [model('  type string'), ['unknown-word', 'type', 'a model can have', 'belongs in a field']],
    [model('  frobnicate'), ['unknown-word', 'frobnicate', 'valid words here are `field`, `reference`']],
    [entrypoint('    list endpoint { where { a is 1 } }'), ['unknown-word', 'where', 'an endpoint', '`filter`?']],
    [action('save post { }'), ['unknown-word', 'save', '`save` is not an action']],
    ['field title { type string }', ['unknown-word', 'field', 'belongs in a model']],
    [field('type string, nulable'), ['unknown-word', 'nulable', '`nullable`?']],
    [entrypoint('    list endpont { }'), ['expected-word', 'endpont', 'after `list`', '`endpoint`?']],
    [model('  reference a { to B, on delete sett null }'), ['expected-word', 'sett', '`set`?']],
    [
      model('  reference a { to B, on delete vanish }'),
      ['expected-word', 'vanish', '`cascade`, `set null` or `restrict`'],
    ],
    [entrypoint('    custom endpoint { method FETCH }'), ['expected-word', 'FETCH', '`GET`, `POST`']],
    ['generator client2 { }', ['expected-word', 'client2', '`client`?']],
    [model('  query q { order { id } }'), ['expected-word', 'order', '`by` is missing']],
    [entrypoint('    POST "publish" { }'), ['expected-word', 'POST', '`one` or `many` is missing']],
    [entrypoint('    update {}'), ['expected-word', 'update', 'is written `update endpoint {}`']],
    [entrypoint('    list endpoint { orderBy: { id } }'), ['unknown-word', 'orderBy', 'did you mean `order by`?']],
    [entrypoint('    list endpoint { sort { id } }'), ['unknown-word', 'sort', 'did you mean `order by`?']],
    [model('  reference tag { to Tag, onDelete vanish }'), ['unknown-word', 'onDelete', '`on delete`?']],
    [model('  reference tag { Tag, nullable }'), ['unknown-word', 'Tag', 'write `to Tag`']],
    [model('  relation posts { Post }'), ['unknown-word', 'Post', 'write `from Post, through …`']],
    [model('  relation forms { Form, through author }'), ['unknown-word', 'Form', 'write `from Form`']],
    [
      model('  query q { from posts, select { title } }'),
      ['unknown-word', 'select', 'the query of a model can have', 'is for the `response` to say'],
    ],
    [model('  hook h { source run "run.ts" }'), ['expected-word', 'run', '`from` is missing']],
  ],
  'names, texts and numbers': [
    ['model { field a { type string } }', ['expected-name', 'model', 'a name is missing after `model`']],
    [model('  field { type string }'), ['expected-name', 'field', 'a name is missing', 'field title { type string }']],
    [model('  field "slug" { type string }'), ['expected-name', '"slug"', 'is not a name', 'without quotes']],
    [field('type'), ['expected-name', 'type', 'a name is missing after `type`']],
    [model('  relation posts { from, through author }'), ['expected-name', 'from', 'a name is missing']],
    [value('author.'), ['expected-name', '.', 'a name is missing']],
    [model('  field first-name { type string }'), ['bad-name', 'first-name', '`first_name`']],
    [model('  field 2fa { type string }'), ['bad-name', '2fa', 'begin with a letter or `_`']],
    [model('  field größe { type string }'), ['bad-name', 'größe']],
    [model('  field $price { type string }'), ['bad-name', '$price', '`price`']],
    [entrypoint('    path posts'), ['expected-text', 'posts', 'takes a text in quotes', '`"posts"`']],
    [model('  hook h { source run from }'), ['expected-text', 'from', 'a text in quotes is missing']],
    [model('  query q { limit ten }'), ['expected-number', 'ten', 'takes a whole number']],
    [model('  query q { limit "10" }'), ['expected-number', '"10"', 'write `10`']],
    [model('  query q { limit -1 }'), ['expected-number', '-1', '`-1` is not one']],
    [model('  query q { limit 1.5 }'), ['expected-number', '1.5', 'whole number']],
    [model('  query q { limit first }'), ['expected-number', 'limit', 'a whole number is missing']],
    ['populator P { populate A { repeat "x" } }', ['expected-number', '"x"', 'repeat as i 20']],
    [value('1_000'), ['bad-number', '1_000', '`1000`']],
    [value('0x1F'), ['bad-number', '0x1F', 'plain digits']],
    [field('type string, default 1e5'), ['bad-number', '1e5']],
    [model('  query q { limit 10first, offset }'), ['bad-number', '10first'], ['expected-number', 'offset']],
  ],
  values: [
    [value(''), ['empty-block', '{  }', 'the computed property `total` is empty']],
    [value('a is'), ['expected-value', 'is', 'a value is missing after `is`']],
    [value('a + * b'), ['expected-value', '*', '`*` is not a value']],
    [value('.5'), ['expected-value', '.', '`0.5`']],
    [field('default, unique'), ['expected-value', 'default', 'a value is missing after `default`']],
    [value('a and and b'), ['needless-sign', 'and', 'not needed after `and`']],
    [value('a and or b'), ['expected-value', 'and', 'a value is missing']],
    [value('f(a,, b)'), ['expected-value', ',', 'a value is missing']],
    [value('a b'), ['missing-operator', 'b', 'between `a` and `b`', 'operator']],
    [value('f(a b)'), ['missing-operator', 'b', 'a `,` or an operator']],
    [value('a not b'), ['expected-word', 'not', '`in`']],
    [action('create { set a "x" "y" }'), ['missing-operator', '"y"', 'between `"x"` and `"y"`']],
    [value('f(a, b'), ['missing-closing-bracket', '(', 'no `)`']],
    [value('[1, 2'), ['missing-closing-bracket', '[', 'no `]`']],
    [value('(a))'), ['unexpected-closing-bracket', ')', 'one too many']],
    [value('null.name'), ['reserved-word', 'null', 'cannot be a name']],
    [value('@authname is'), ['unknown-at-word', '@authname', '`@auth.name`?'], ['expected-value', 'is']],
    [value('@atuh is'), ['unknown-at-word', '@atuh', 'is unknown', '`@auth`?'], ['expected-value', 'is']],
    [value('a @atuh'), ['foreign-attribute', '@atuh', '`@auth`?']],
    [action('update @atuh { set a }'), ['unknown-at-word', '@atuh'], ['expected-value', 'a']],
    [action('delete post { set a 1 }'), ['unexpected-text', 'set', 'into the `delete post`', 'leave its braces empty']],
  ],
  'habits of other languages': [
    [value('a == 1'), ['foreign-operator', '==', 'is written `is`']],
    [value('a = 1'), ['foreign-operator', '=', 'is written `is`']],
    [value('a === 1'), ['foreign-operator', '===', '`is`']],
    [value('a != 1'), ['foreign-operator', '!=', '`is not`']],
    [value('a <> 1'), ['foreign-operator', '<>', '`is not`']],
    [value('a && b'), ['foreign-operator', '&&', '`and`']],
    [value('a || b'), ['foreign-operator', '||', '`or`']],
    [value('!a'), ['foreign-operator', '!', '`not`']],
    [value('a AND b'), ['foreign-operator', 'AND', '`and`']],
    [value('NOT a'), ['foreign-operator', 'NOT', '`not`']],
    [value('author->name'), ['foreign-operator', '->', '`.`']],
    [value('a ?? b'), ['foreign-form', 'a ?? b', '`coalesce(a, b)`']],
    [value('a ? b : c'), ['foreign-form', 'a ? b : c', '`if(a, b, c)`']],
    [value("'draft'"), ['foreign-quotes', "'draft'", '`"draft"`']],
    [value('`draft`'), ['foreign-quotes', '`draft`', '`"draft"`']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a habit of JavaScript, in a source of Kiln
    [value('`a ${b}`'), ['foreign-quotes', '`a ${b}`', 'joined to a text with `+`']],
    [value('“draft”'), ['foreign-quotes', '“draft”', 'double quotes']],
    [field('type: string'), ['needless-sign', ':', 'not needed after `type`']],
    [field('type string, default = 1'), ['needless-sign', '=', 'not needed after `default`']],
    [action('create { set title = "x" }'), ['needless-sign', '=', 'not needed after `title`']],
    [field('type string; unique'), ['needless-sign', ';', 'not needed after `string`']],
    [field('type string,, unique'), ['needless-sign', ',', 'leave this out']],
    ['model A { },\nmodel B { }', ['needless-sign', ',', 'leave this out']],
    [entrypoint('    response: { title }'), ['needless-sign', ':', 'not needed after `response`']],
    [entrypoint('    response { a = b }'), ['foreign-operator', '=', '`:`']],
    [model('  title: string'), ['foreign-field', 'title: string', '`field title { type string }`']],
    [model('  title string'), ['foreign-field', 'title string', '`field title { type string }`']],
    [model('  String title'), ['foreign-field', 'String title', '`field title { type string }`']],
    [model('  author: Author'), ['foreign-field', 'author: Author', '`reference author { to Author }`']],
    [model('  title?: string'), ['foreign-field', 'title?: string', '`field title { type string, nullable }`']],
    [model('  field size: int'), ['foreign-field', 'field size: int', '`field size { type integer }`']],
    [model('  title String?'), ['foreign-field', 'title String?', '`field title { type string, nullable }`']],
    [field('type varchar(80), unique'), ['foreign-form', 'varchar(80)', '`string, validate { maxLength(80) }`']],
    [field('type decimal(10) unique'), ['foreign-form', 'decimal(10)', 'write `decimal(10, 0)`']],
    [field('type string?, unique'), ['foreign-form', 'string?', 'write `string, nullable`']],
    [field('type string, unique?'), ['needless-sign', '?', 'leave this out']],
    [field('type string, default 1 ?'), ['needless-sign', '?', 'leave this out']],
    [
      model('  computed total => count(posts)\n  field a { type string }'),
      ['expected-brace', '=> count(posts)', 'write `{ count(posts) }`'],
    ],
    [field('type string @unique'), ['foreign-form', '@unique', 'write `unique`']],
    [model('  # a note\n  field a { type string }'), ['foreign-comment', '# a note', 'begins with `//`']],
    ['model Post extends Base { }', ['unexpected-text', 'extends Base', 'between the model `Post` and its `{`']],
    [model('  field a (type string)'), ['expected-brace', '(', '`{` belongs here, not `(`']],
    [model('  field\u00A0a { type string }'), ['unreadable-character', '\u00A0', 'U+00A0']],
    [value('a ~ b'), ['unreadable-character', '~', 'no meaning']],
  ],
  'braces and quotes': [
    [
      model('  field a { type string\n  field b { type string }'),
      ['missing-closing-brace', '{', 'the field `a` is not closed', 'belongs before this `field`'],
    ],
    [model('  field a { type string'), ['missing-closing-brace', '{', 'the field `a` is not closed']],
    ['model A {\n  field a { type string }\n\nmodel B { }\n', ['missing-closing-brace', '{', 'the model `A`']],
    ['model A { field a { type string } model B { }', ['missing-closing-brace', '{', 'the model `A`']],
    [
      entrypoint('    list endpoint { filter { a is 1\n    get endpoint {}'),
      ['missing-closing-brace', '{', 'the `filter` is not closed', 'the `list endpoint` is not closed either'],
    ],
    [entrypoint('    response { a, b\n    get endpoint {}'), ['missing-closing-brace', '{', 'the `response`']],
    [model('  field a { type string, unique\n  unique { a, b }'), ['missing-closing-brace', '{', 'the field `a`']],
    ['model A {', ['missing-closing-brace', '{', 'the model `A` is not closed']],
    ['model A { }}', ['unexpected-closing-brace', '}', 'one too many']],
    ['}\nmodel A { }', ['unexpected-closing-brace', '}', 'one too many']],
    [model('  field a { type string }}\n  field b { type string }'), ['unexpected-closing-brace', '}']],
    ['model A { field a { type string }, } field b { type string } }', ['unexpected-closing-brace', '}']],
    ['model A\n  field a { type string }\n}\n', ['expected-brace', 'A', 'the model `A` lacks its `{`']],
    [model('  field a type string }\n  field b { type string }'), ['expected-brace', 'a', 'lacks its `{`']],
    [model('  field a type string\n  field b { type string }'), ['expected-brace', 'a', 'write `{ type string }`']],
    [entrypoint('    get endpoint\n    create endpoint {}'), ['expected-brace', 'endpoint', 'has no `{ }`']],
    [model('  field a\n  field b { type string }'), ['expected-brace', 'a', 'write `{ type string }` after this']],
    [model('  reference a'), ['expected-brace', 'a', 'write `{ to … }` after this']],
    [model('  computed a'), ['expected-brace', 'a', 'write `{ … }` after this']],
    [entrypoint('    list endpoint { filter a is 1 }'), ['expected-brace', 'filter', 'write `{ a is 1 }`']],
    [model('  field a {{ type string }'), ['unexpected-text', '{', 'remove this']],
    [field('type string, default "abc'), ['unterminated-string', '"abc', 'the closing `"` is missing']],
    [field('type string, default "one\n two"'), ['unterminated-string', '"one\n two"', '`"""…"""`']],
    [model('  hook h { inline """a + b }'), ['unterminated-raw-string', '"""', 'the closing `"""` is missing']],
    [model('  computed a { f("""b) }\n  field c { type string }'), ['unterminated-raw-string', '"""']],
    ['/* a note\nmodel A { }', ['unterminated-comment', '/*', 'the closing `*/` is missing']],
  ],
};

const TOUR = `
model Author {
  field name  { type string, validate { minLength(1) } }
  field email { type string, unique, validate { isEmail() } }
  relation posts { from Post, through author }
  computed post_count { count(posts) }
}

model Post {
  reference author { to Author, on delete cascade }
  field slug      { type string, unique }
  field title     { type string }
  field published { type boolean, default false }
}

api {
  entrypoint Post as post {
    identify { through slug }
    response { slug, title, author { name } }

    list endpoint { filter { published is true }  order by { id desc }  paginable }
    get endpoint {}
    create endpoint {}
    update endpoint {}
    delete endpoint {}
    POST one "publish" { action { update post { set published true } } }
  }
}

populator Dev {
  populate Author as author {
    repeat as i 20
    set name  faker.person.fullName()
    set email "author" + stringify(i.current) + "@example.com"
    populate posts { repeat as j 5  set slug "post-" + stringify(i.current) + "-" + stringify(j.current) }
  }
}
`;

/** Every form, in the shapes in which readers of syntax could differ. */
const EVERYTHING = `
model A was B {
  field a { type string, unique, nullable, index, secret, required, default 1 + -2 * (3 % 4), backfill "a", was b }
  field b { type integer validate { min(1,) and not (isEmail() or c.d()) } }
  reference r { to M unique on delete set null, on delete cascade on delete restrict was q }
  relation s { from Post.x as z, through author.b }
  computed c { a is not b and c not in [1, 2.5, "x",] or not -d <= 3 / @auth.id }
  query q { from memberships.user as u filter { a is null } order by { a desc, b.c, -d asc f(x) } limit 10 offset 5 first }
  hook h { arg a 1 arg b query { from x select { a b { c } } } arg c query arg d hook { inline "x" } source f from "file" }
  hook i { inline """raw "text" here""" runtime z }
  unique { a, b desc } index { a asc asc desc }
  drop z
}
enum E was F { a, b was c, drop d, was, drop, drop was x was y }
drop model Z
validator v { arg value { type string nullable } assert { hook { inline "1" } } error { code "x" } }
api Named {
  entrypoint P as p {
    identify { through a.b }
    response { a, b { c }, d: e.f + 1, g: h { i }, j: hook { source a from "b" }, k: hook { l, m }, n: hook }
    authorize { @auth is not null } path "x"
    list endpoint { filter { true } order by { a } paginable { pageSize 1, max 2 } }
    create endpoint as q {
      extra inputs { field a { type string } }
      action {
        create as as as { set a 1, input { a, b { required default 2 } } input * except { a, b } }
        create as { input * } create as x { reference r { through x } reference r through x.y } create as.b { } create a.b as c {}
        update {} update post as z { set a b } delete {} delete as {} delete a.b {}
        update @auth { set a 1 } update @auth.team as z {} delete @auth {} delete @auth.b.c {}
        query as a { from x filter { y } select { a } update { set b 1 } delete {} delete first } query { count }
        execute as z { hook { inline "x" } responds } execute { responds }
        respond { body [1], httpStatus 200 httpHeaders { "a" "b", """c""" [1, null] } }
        validate with key "k" { a() }
      }
    }
    custom endpoint { method GET cardinality many path "z" }
    GET many "x" {}
    entrypoint nested { get endpoint {} }
  }
}
auth { model User login email password hash subject sub }
runtime R { default source path "dir" }
generator client { target ts output "x" } generate apidocs { basePath "/p" }
populator D { populate A as a { repeat 5 repeat { start 1, end 2 } repeat as j { start 1 } populate b { set a b } } }
/// A description. /* It is no comment. */
model model { field field { type type default default default default.default } /* // */ }
`;

describe('what is said of a syntax mistake', () => {
  before(() => loadGrammar());

  for (const [group, mistakes] of Object.entries(MISTAKES)) {
    describe(group, () => {
      for (const [source, ...expected] of mistakes) it(titleOf(source), () => expectMistakes(source, expected));
    });
  }

  it('has more than sixty examples', () => {
    expect(Object.values(MISTAKES).flat()).to.have.length.greaterThan(60);
  });

  it('reports each of several mistakes once, and nothing that follows from them', () => {
    const source = `
model Author {
  feild name { type string }
  relation posts { from Post through author }
}

model Post {
  reference author { to Author, on delete cascad }
  field title { type string, validate { minLength(1) && maxLength(9) } }
}

api {
  entrypoint Post as post {
    response { title
    list endpoint { order { title } paginable }
    get endpoint
  }
}
`;
    expectMistakes(source, [
      ['unknown-word', 'feild'],
      ['expected-word', 'cascad'],
      ['foreign-operator', '&&'],
      ['missing-closing-brace', '{'],
      ['expected-word', 'order'],
      ['expected-brace', 'endpoint'],
    ]);
  });

  it('keeps a brace that is missing in one declaration apart from the mistakes in another', () => {
    const source = `
api {
  entrypoint Post {
    list endpoint { filter { published is } order by { a b, c + } }
    get endpont {}
    update endpoint { action { update { set title } } authorize { a is not } }
  }
}
model X {
  field title type string }
  field a { type }
  field f: string
  field slug string
}
`;
    expectMistakes(source, [
      ['expected-value', 'is'],
      ['expected-value', '+'],
      ['expected-word', 'endpont'],
      ['expected-value', 'title'],
      ['expected-value', 'not'],
      ['expected-brace', 'title'],
      ['expected-name', 'type'],
      ['foreign-field', 'field f: string'],
      ['foreign-field', 'field slug string'],
    ]);
  });

  it('looks for a brace too many only on lines whose braces do not balance', () => {
    const source = entrypoint(
      '    list endpoint { filter { published is } paginable }\n    get endpoint response { title } }',
    );
    expectMistakes(source, [
      ['expected-value', 'is'],
      ['expected-brace', 'endpoint'],
    ]);
  });

  it('ends a declaration where the next one begins in the first column', () => {
    const source = 'model A {\n  field a { type string\n\nmodel B { field b { type } }}\n\nenum C { c }\n';
    expectMistakes(source, [
      ['missing-closing-brace', '{', 'the field `a` is not closed', 'belongs before this `model`'],
      ['expected-name', 'type'],
      ['unexpected-closing-brace', '}'],
    ]);
  });

  it('takes a word in the first column for a member where nothing is indented', () => {
    const source = 'api {\nentrypoint A {\nresponse {\nauth { id }\n}\nlist endpont {}\n}\n}\n';
    expectMistakes(source, [['expected-word', 'endpont']]);
  });

  it('goes on behind an unknown member with a block of its own', () => {
    const source = model('  gadget g { whatever { you like } }\n  field a { tpye string }');
    expectMistakes(source, [
      ['unknown-word', 'gadget'],
      ['unknown-word', 'tpye'],
    ]);
  });

  it('offers edits that mend the text', () => {
    const broken = model("  feild title: { type = string, default 'a' }\n  computed b { !a&&c != 1 }");
    const mended = edited(broken, problemsOf(broken));
    expect(mended).to.equal(model('  field title { type string, default "a" }\n  computed b { not a and c is not 1 }'));
    expect(problemsOf(mended)).to.deep.equal([]);
  });

  it('closes a block where the indentation shows its end', () => {
    const broken = model('  field a { type string\n  relation b {\n    from C\n    through d');
    const mended = edited(broken, problemsOf(broken));
    expect(mended).to.equal(model('  field a { type string }\n  relation b {\n    from C\n    through d\n  }'));
  });
});

describe('reserved words', () => {
  before(() => loadGrammar());

  it('are found where the grammar reads them as names', () => {
    const source = 'model A { field null { type string } computed b { c is and } }';
    expect(parseText(source).hasErrors).to.equal(false);
    expect(carets(source, errorsOf(source))).to.deep.equal([
      ['reserved-word', 'null'],
      ['reserved-word', 'and'],
    ]);
  });
});

describe('boundless sources', () => {
  before(() => loadGrammar());
  const nested = (open: string, close: string, times = 10_000): string => open.repeat(times) + close.repeat(times);

  const SOURCES: Readonly<Record<string, string>> = {
    parentheses: value(nested('(', ')').replace('()', '(a)')),
    'open parentheses': value('('.repeat(10_000)),
    lists: value(nested('[', ']')),
    entrypoints: `api { ${nested('entrypoint A { ', '} ')} }`,
    'open entrypoints': `api { ${'entrypoint A { '.repeat(10_000)}`,
  };

  for (const [what, source] of Object.entries(SOURCES)) {
    it(`are not followed without end: ${what}`, () => {
      const problems = problemsOf(source);
      expect(problems.map(({ code }) => code)).to.deep.equal(['nested-too-deeply']);
      expect(wordsOf(problems[0] as Diagnostic).message).to.include('more than 500 levels deep');
    });
  }

  it('are reported where the grammar has nothing against them', () => {
    const source = SOURCES.parentheses as string;
    expect(errorsOf(source).map(({ code }) => code)).to.deep.equal(['nested-too-deeply']);
  });

  it('are answered in the time that their length takes', () => {
    const pieces = [
      '{',
      '}',
      '(',
      '"',
      '"""',
      '`\\',
      "'",
      '#\n',
      '@a ',
      'not ',
      'a: hook { ',
      'field a { ',
      ' == a',
      '- ',
    ];
    for (const piece of pieces) problemsOf(value(piece.repeat(5_000)));
  });
});

describe('the catalogue of forms', () => {
  before(() => loadGrammar());

  /** For each place a source in which a form of that place can stand for `…`. */
  const AROUND: Readonly<Record<PlaceName, string>> = {
    file: '…',
    model: 'model A { … }',
    setting: 'setting A { … }',
    drop_job: 'drop job A { … }',
    job: 'job A { … }',
    job_input: 'job A { input b { … } }',
    reaction: 'on create of A as a { … }',
    schedule: 'schedule A every day at "07:30" { … }',
    mail: 'mail A { … }',
    webhook: 'webhook "a" { … }',
    webhook_receiver: 'webhook "a" { to { … } }',
    signed_by: 'api { entrypoint A { POST many "a" { signed by stripe { … } } } }',
    enum: 'enum A { … }',
    field: 'model A { field a { … } }',
    normalise: 'model A { field a { normalise { … } } }',
    accept: 'model A { field a { accept { … } } }',
    reference: 'model A { reference a { … } }',
    relation: 'model A { relation a { … } }',
    unique_over: 'model A { unique { … } }',
    query: 'model A { query a { … } }',
    order_by: 'model A { query a { order by { … } } }',
    hook: 'model A { hook a { … } }',
    arg_query: 'model A { hook a { arg b query { … } } }',
    result: 'model A { hook a { returns { … } } }',
    validator: 'validator a { … }',
    validator_arg: 'validator a { arg b { … } }',
    error: 'validator a { error { … } }',
    api: 'api { … }',
    entrypoint: 'api { entrypoint A { … } }',
    identify: 'api { entrypoint A { identify { … } } }',
    reference_input: 'api { entrypoint A { create endpoint { action { create { reference a { … } } } } } }',
    selection: 'api { entrypoint A { response { … } } }',
    endpoint: 'api { entrypoint A { list endpoint { … } } }',
    paginable: 'api { entrypoint A { list endpoint { paginable { … } } } }',
    page_response: 'api { entrypoint A { list endpoint { paginable { response { … } } } } }',
    filterable: 'api { entrypoint A { list endpoint { filterable { … } } } }',
    searchable: 'api { entrypoint A { list endpoint { searchable { … } } } }',
    extra_inputs: 'api { entrypoint A { list endpoint { extra inputs { … } } } }',
    record_input: 'api { entrypoint A { list endpoint { extra inputs { reference a { … } } } } }',
    list_input: 'api { entrypoint A { list endpoint { extra inputs { list a { … } } } } }',
    action: action('…'),
    write: action('create { … }'),
    input: action('create { input { … } }'),
    input_field: action('create { input { a { … } } }'),
    input_all: action('create { input * except { … } }'),
    query_action: action('query { … }'),
    query_update: action('query { update { … } }'),
    execute_action: action('execute { … }'),
    call_action: action('call { … }'),
    run: action('run A { … }'),
    respond_action: action('respond { … }'),
    http_headers: action('respond { httpHeaders { … } }'),
    refuse_action: action('refuse "a" { … }'),
    auth: 'auth { … }',
    auth_register: 'auth { register { … } }',
    runtime: 'runtime a { … }',
    generator: 'generator client { … }',
    populator: 'populator A { … }',
    populate: 'populator A { populate B { … } }',
    repeat_range: 'populator A { populate B { repeat { … } } }',
  };

  for (const place of Object.keys(places) as PlaceName[]) {
    it(`has examples for ${places[place].noun} that the grammar accepts (${place})`, () => {
      for (const { example } of formsOf(place)) expectAccepted(AROUND[place].replace('…', () => example));
    });

    it(`says of no two words of ${place} that they mean something else`, () => {
      const synonyms = formsOf(place).flatMap((form) => form.alsoCalled ?? []);
      expect(synonyms).to.have.length(new Set(synonyms).size);
    });
  }

  it('lets every keyword be a name', () => {
    for (const word of keywords()) {
      expectAccepted(
        `model ${word} was ${word} { field ${word} { type ${word}, default ${word}.${word}, was ${word} } }`,
      );
      expectAccepted(
        `model A { query ${word} { from ${word}.${word} as ${word}, order by { ${word} desc, ${word} } } }`,
      );
      expectAccepted(
        `model A { unique { ${word}, ${word} desc } hook ${word} { arg ${word} ${word}, runtime ${word} } }`,
      );
      expectAccepted(`model A { hook a { returns { ${word}: ${word}, ${word}: [${word}] nullable } } }`);
      expectAccepted(`enum ${word} { ${word}, ${word} was ${word}, drop ${word} } drop model ${word} drop job ${word}`);
      expectAccepted(
        `job ${word} was ${word} { input ${word} { to ${word} } one at a time per ${word} action { run ${word} { ${word}: ${word} } after ${word} once per ${word} } } on delete of ${word} as ${word} when ${word}.${word} { run ${word} {} }`,
      );
      expectAccepted(`schedule ${word} every day at "07:30" { run ${word} {} } schedule ${word} cron "" {}`);
      expectAccepted(entrypoint(`response { ${word}, ${word} { ${word} }, ${word}: ${word} + ${word} { ${word} } }`));
      expectAccepted(
        action(`create ${word}.${word} as ${word} { set ${word} ${word}, input { ${word} } } delete ${word} {}`),
      );
      expectAccepted(
        `populator ${word} { populate ${word} as ${word} { repeat as ${word} 3, set ${word} ${word}(${word}) } }`,
      );
    }
  });
});

describe('the two readers of syntax', () => {
  before(() => loadGrammar());
  const sources = validSources();

  it('accept the valid sources alike', () => {
    for (const source of sources) expectAccepted(source);
  });

  itInBoth(`agree on ${RUNS} mutations of them`, function () {
    this.timeout(300_000);
    const seen = { refused: 0, explained: 0, once: 0 };
    fc.assert(
      fc.property(mutated(sources), (source) => {
        const problems = problemsOf(source);
        for (const problem of problems) expectSound(source, problem);
        const refused = parseText(source).hasErrors;
        if (!refused) expectSlips(source, problems);
        seen.refused += Number(refused);
        seen.explained += Number(refused && problems.length > 0);
        seen.once += Number(refused && problems.length === 1);
      }),
      { numRuns: RUNS },
    );
    const percent = (count: number) => `${((100 * count) / seen.refused).toFixed(2)} %`;
    console.log(
      `      of ${seen.refused} refused, ${percent(seen.explained)} explained, ${percent(seen.once)} by one mistake`,
    );
    expect(seen.explained / seen.refused).to.be.greaterThan(0.995);
  });

  itInBoth('find the same slips that the grammar lets through', () => {
    const slips = fc.constantFrom(...RESERVED, '@author', '@auth_name', '10first', '1.5or', '1', '1_0', '"""', '""');
    fc.assert(
      fc.property(mutated(sources, slips), (source) => {
        if (!parseText(source).hasErrors) expectSlips(source, problemsOf(source));
      }),
      { numRuns: RUNS },
    );
  }).timeout(300_000);

  itInBoth('answer any text', () => {
    const anything = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    );
    fc.assert(
      fc.property(anything, (source) => {
        for (const problem of errorsOf(source)) expectSound(source, problem);
        if (parseText(source).hasErrors) expect(errorsOf(source)).not.to.deep.equal([]);
      }),
      { numRuns: isSlow ? 700 : 300 },
    );
  });

  it('leave a last word to the grammar, where only it has found something', () => {
    const source = 'model A { field a }';
    const diagnostics = new Diagnostics();
    reportUnreadable({ path: 'a.kiln', text: source }, parseText(source), diagnostics);
    expect(diagnostics.sorted().map(({ code }) => code)).to.deep.equal(['unreadable-text']);
  });
});

const LET_THROUGH = new Set(['reserved-word', 'unknown-at-word', 'bad-number', 'unterminated-raw-string']);

// ── Sources ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function validSources(): readonly string[] {
  return [...readSources(EXAMPLES).sources.map(({ text }) => text), TOUR, EVERYTHING];
}

const PIECE = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|[A-Za-z_]\w*|\d+(?:\.\d+)?|\s+|[^\s\w]/g;

/** Valid sources in which one to three pieces are lost, put in, exchanged or misspelt. */
function mutated(sources: readonly string[], text?: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const inPieces = sources.map((source) => source.match(PIECE) ?? []);
  const words = [...new Set(inPieces.flat())].filter((piece) => piece.trim() !== '' && piece.length < 30);
  const characters = [...'{}()[],.:;*"\'`/\\@#$!=<>+-%_aZ0 \n\té€😀&|?~^'];
  const put = text ?? fc.oneof(fc.constantFrom(...words), fc.constantFrom(...characters));
  const kind = fc.constantFrom('drop', 'put', 'replace', 'swap', 'misspell');
  const change = fc.record({ kind, at: fc.nat(), to: fc.nat(), put });
  return fc
    .tuple(fc.constantFrom(...inPieces), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([pieces, changes]) => changes.reduce(changed, [...pieces]).join(''));
}

function changed(pieces: string[], change: { kind: string; at: number; to: number; put: string }): string[] {
  const at = change.at % pieces.length;
  const to = change.to % pieces.length;
  const piece = pieces[at] as string;
  const middle = change.to % (piece.length + 1);
  if (change.kind === 'drop') pieces.splice(at, 1);
  if (change.kind === 'put') pieces.splice(at, 0, ` ${change.put} `);
  if (change.kind === 'replace') pieces[at] = change.put;
  if (change.kind === 'swap') [pieces[at], pieces[to]] = [pieces[to] as string, piece];
  if (change.kind === 'misspell') pieces[at] = piece.slice(0, middle) + change.put + piece.slice(middle + 1);
  return pieces.length > 0 ? pieces : [' '];
}

function keywords(): readonly string[] {
  const grammar = readFileSync(resolve(import.meta.dirname, '../../tree-sitter-grammar/grammar.js'), 'utf8');
  const words = [...grammar.matchAll(/'([A-Za-z]+)'/g)].map((match) => match[1] as string);
  return [...new Set(words)].filter((word) => !RESERVED.has(word));
}

// ── Helpers ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function problemsOf(text: string): readonly Diagnostic[] {
  return syntaxProblems({ path: 'a.kiln', text }).toSorted((one, other) => one.span.start - other.span.start);
}

/** What the compiler reports, knowing what the grammar makes of it. */
function errorsOf(text: string): readonly Diagnostic[] {
  return analyse([{ path: 'a.kiln', text }]).diagnostics;
}

function carets(source: string, problems: readonly Diagnostic[]): readonly (readonly [string, string])[] {
  return problems.map(({ code, span }) => [code, source.slice(span.start, span.end)] as const);
}

function expectMistakes(source: string, expected: readonly (readonly [string, string, ...string[]])[]): void {
  const problems = problemsOf(source);
  expect(carets(source, problems)).to.deep.equal(expected.map(([code, caret]) => [code, caret]));
  expect(parseText(source).hasErrors, 'the grammar').to.equal(true);
  problems.forEach((problem, index) => {
    expectSound(source, problem);
    const [, , ...words] = expected[index] as readonly [string, string, ...string[]];
    for (const word of words) expect(saidOf(problem)).to.include(word);
  });
}

function saidOf(problem: Diagnostic): string {
  const { message, label, help, notes } = wordsOf(problem);
  return [message, label, help, ...(notes ?? []).map((note) => note.text)].join('\n');
}

/** Words without jargon, and places that lie in the source. */
function expectSound(source: string, problem: Diagnostic): void {
  const words = wordsOf(problem);
  const spans = [problem, ...(words.notes ?? []), ...(words.edits ?? [])].map(({ span }) => span);
  for (const { start, end } of spans) {
    expect(0 <= start && start <= end && end <= source.length, `${problem.code} at ${start}–${end}`).to.equal(true);
  }
  expect(words.message).to.match(/\S/).and.not.match(/\.$/);
  expect(words.message.replace(/`[^`]*`/g, '')).not.to.match(/\b(token|node|AST|parse|undefined)/);
}

function expectAccepted(source: string): void {
  expect(parseText(source).hasErrors, `the grammar on ${source}`).to.equal(false);
  expect(carets(source, problemsOf(source)), source).to.deep.equal([]);
}

/** In a text that the grammar accepts, both find what it lets through although it is a mistake, and nothing else. */
function expectSlips(source: string, problems: readonly Diagnostic[]): void {
  const diagnostics = new Diagnostics();
  astFromCst({ path: 'a.kiln', text: source }, parseText(source), diagnostics);
  const slips = diagnostics.sorted().filter(({ code }) => LET_THROUGH.has(code));
  expect(problems.filter(({ code }) => !LET_THROUGH.has(code))).to.deep.equal([]);
  expect(carets(source, problems), source).to.include.deep.members([...carets(source, slips)]);
  // Of a property that is given twice, abstract syntax reads the first only.
  const isReadInFull = diagnostics.sorted().every(({ code }) => code !== 'duplicate-property');
  if (isReadInFull) expect(carets(source, problems), source).to.deep.equal(carets(source, slips));
}

function edited(source: string, problems: readonly Diagnostic[]): string {
  const edits = problems.flatMap((problem) => wordsOf(problem).edits ?? []);
  const fromTheEnd = [...edits].sort((a, b) => b.span.start - a.span.start);
  return fromTheEnd.reduce(
    (text, { span, text: put }) => text.slice(0, span.start) + put + text.slice(span.end),
    source,
  );
}

function titleOf(source: string): string {
  return source.replace(/\s+/g, ' ').trim();
}
