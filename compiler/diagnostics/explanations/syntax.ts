import type { syntaxWords } from '../catalogue/syntax.ts';
import { AUTHOR_NAME, POST_AUTHOR, POST_PUBLISHED, POST_TITLE, USER_EMAIL } from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

const DEEP = `${'('.repeat(501)}1${')'.repeat(501)}`;

/** Text that cannot be read. */
export const syntaxExplanations = {
  'unreadable-text': {
    text: 'Kiln cannot read this text, and has no better message for it. Compare it with the examples in the reference. If it looks right, report it as a bug.',
    source: null,
  },

  'unreadable-character': {
    text: 'Outside of texts and comments, Kiln is written with letters, digits and a few signs. A character such as `§`, a typographic quote or a blank that cannot be seen often comes along when a source is copied from a web page. Kiln reports it instead of ignoring it.',
    source: kiln`
      model Post {
        field title { type string § }
      }
    `,
    fix: [[' §', '']],
  },

  'unexpected-text': {
    text: 'Each word is valid elsewhere, but not in this construct. A `delete` has nothing to set, for instance, because the record is gone afterwards. The help shows how the construct is written.',
    source: declarations(
      POST_TITLE,
      api('Post as post', 'POST one "archive" { action { delete post { set title "gone" } } }'),
    ),
    fix: [['delete post {', 'update post {']],
  },

  'unknown-word': {
    text: 'Every line of a block begins with one of a few words, and this is none of them. It may be misspelt, or belong to another block: `filter` has a meaning in a list endpoint, but none in a model.',
    source: kiln`
      model Post {
        feild title { type string }
      }
    `,
    fix: [['feild', 'field']],
  },

  'expected-word': {
    text: 'Some words are followed by one of a small set: after `on delete` comes `cascade`, `set null` or `restrict`. Other words are not valid there, and Kiln does not guess.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Author, nullable, on delete nullify }
      }
    `,
    fix: [['nullify', 'set null']],
  },

  'expected-name': {
    text: 'A declaration needs a name, because everything else refers to it by that name. Names are written without quotes.',
    source: kiln`
      model {
        field title { type string }
      }
    `,
    fix: [['model {', 'model Post {']],
  },

  'bad-name': {
    text: 'A name becomes a column, a property in JSON and a word in expressions, so it is made of the letters a to z, in lower or upper case, of digits and of `_`. A `-` would be a subtraction, and a digit at the beginning would start a number. `__proto__` is refused as well: JavaScript does not keep a property of that name.',
    source: kiln`
      model Post {
        field published-at { type timestamp }
      }
    `,
    fix: [['published-at', 'published_at']],
  },

  'bad-number': {
    text: 'Numbers are written in plain digits, with a `.` before the fraction: `1000`, `1.5`. Exponents, underscores and other bases are left out, so that numbers are easy to read.',
    source: kiln`
      model Product {
        field price { type integer, default 1_000 }
      }
    `,
    fix: [['1_000', '1000']],
  },

  'reserved-word': {
    text: 'A few words, such as `in`, `is`, `and` or `null`, are part of expressions. A member of that name would look like the word itself, so it needs another name.',
    source: kiln`
      model Stay {
        field in { type date }
        field out { type date }
      }
    `,
    fix: [['field in', 'field arrival']],
  },

  'expected-text': {
    text: 'This property takes a text, and a text is written in double quotes. Without quotes it would be a name.',
    source: declarations(POST_TITLE, api('Post', 'path posts', 'list endpoint {}')),
    fix: [['path posts', 'path "posts"']],
  },

  'expected-number': {
    text: 'This property takes a whole number, written without quotes and without a fraction. Kiln uses it when the sources are compiled, so it must be a number: not a name and not a calculation.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { paginable { pageSize "20" } }')),
    fix: [['"20"', '20']],
  },

  'expected-value': {
    text: 'A property such as `default` needs a value, and the value is missing. Write the value, or leave the property out.',
    source: kiln`
      model Post {
        field views { type integer, default }
      }
    `,
    fix: [['default }', 'default 0 }']],
  },

  'empty-block': {
    text: 'These braces must hold a value or a condition. An empty `filter` could mean “everything” or “nothing”, so write a condition, or leave the filter out.',
    source: declarations(POST_PUBLISHED, api('Post', 'list endpoint { filter {} }')),
    fix: [['filter {}', 'filter { published is true }']],
  },

  'missing-operator': {
    text: 'There is nothing between two values. Join texts with `+`, conditions with `and` or `or`, and separate the values of a list with `,`.',
    source: kiln`
      model Customer {
        field name { type string }
        field surname { type string }
        computed full_name { name surname }
      }
    `,
    fix: [['name surname }', 'name + " " + surname }']],
  },

  'foreign-operator': {
    text: 'This sign is an operator in other languages, not in Kiln. Values are compared with `is`, `is not`, `<`, `<=`, `>` and `>=`, and conditions are joined with `and`, `or` and `not`, so that rules are easy to read.',
    source: declarations(POST_PUBLISHED, api('Post', 'list endpoint { filter { published == true } }')),
    fix: [['==', 'is']],
  },

  'foreign-quotes': {
    text: 'A text is written in double quotes, always. Single quotes and backticks are not valid in Kiln.',
    source: kiln`
      model Post {
        field status { type string, default 'draft' }
      }
    `,
    fix: [["'draft'", '"draft"']],
  },

  'foreign-comment': {
    text: 'A comment begins with `//` and goes to the end of its line, or is written between `/*` and `*/`. A comment that begins with `///` describes what comes after it, and shows in the documentation of the API.',
    source: kiln`
      # The posts of the blog.
      model Post {
        field title { type string }
      }
    `,
    fix: [['#', '//']],
  },

  'foreign-attribute': {
    text: 'Other languages put properties of a field behind it, with an `@`. In Kiln they are words between the braces; the only word with an `@` is `@auth`, the authenticated record.',
    source: kiln`
      model Post {
        field slug { type string } @unique
      }
    `,
    fix: [['string } @unique', 'string, unique }']],
  },

  'unknown-at-word': {
    text: 'The only word with an `@` is `@auth`: the record of whoever sends the request, or null where nobody is authenticated. Other things have names without an `@`, so a word such as `@user` is a mistake.',
    source: declarations(
      USER_EMAIL,
      'auth { model User }',
      api('User', 'list endpoint { authorize { @user is not null } }'),
    ),
    fix: [['@user', '@auth']],
  },

  'foreign-field': {
    text: 'A member of a model says what it is before its name: `field`, `reference`, `relation`, `computed`, `query` or `hook`. Its type and its other properties are written between the braces.',
    source: kiln`
      model Post {
        title: string
      }
    `,
    fix: [['title: string', 'field title { type string }']],
  },

  'foreign-form': {
    text: 'This is how another language writes it. Kiln has a word of its own for it, or does not need it: a field is required unless it is `nullable`, so there is no `not null`. The message says what to write. If it has an edit, `kiln check --fix` applies it.',
    source: kiln`
      model Post {
        field title { type string not null }
      }
    `,
    fix: [[' not null', '']],
  },

  'needless-sign': {
    text: 'Kiln has no `:`, `=` or `;` here: a property is a word and its value, with a blank between them. Remove the sign.',
    source: kiln`
      model Post {
        field title { type: string }
      }
    `,
    fix: [['type:', 'type']],
  },

  'expected-brace': {
    text: 'The content of a declaration is written between `{` and `}`, and this one has no `{`. Without it, Kiln cannot tell what belongs to the declaration.',
    source: kiln`
      model Post
        field title { type string }
      }
    `,
    fix: [['model Post', 'model Post {']],
  },

  'missing-closing-brace': {
    text: 'A `{` is never closed. Kiln points at the block that is open, and at the line before which the `}` seems to be missing, which it knows from the indentation and from what comes next.',
    source: kiln`
      model Author {
        field name { type string }

      ${POST_TITLE}
    `,
    fix: [['field name { type string }\n', 'field name { type string }\n}\n']],
  },

  'unexpected-closing-brace': {
    text: 'There is one `}` more than there are `{`. Remove it, or check whether a `{` is missing before it.',
    source: kiln`
      model Post {
        field title { type string } }
      }
    `,
    fix: [['string } }', 'string }']],
  },

  'missing-closing-bracket': {
    text: 'A `(` or `[` is never closed, so the end of the call or of the list is not known. Write the `)` or `]` where it should end.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        computed post_count { count(posts }
      }

      ${POST_AUTHOR}
    `,
    fix: [['count(posts }', 'count(posts) }']],
  },

  'unexpected-closing-bracket': {
    text: 'There is a `)` or `]` that closes nothing. Leave it out, or write what it should close.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        computed post_count { count(posts)) }
      }

      ${POST_AUTHOR}
    `,
    fix: [['(posts))', '(posts)']],
  },

  'unterminated-string': {
    text: 'A text in `"` ends on the line on which it begins, so that one missing quote does not affect the rest of the file. A text over several lines is written between `"""` and `"""`.',
    source: kiln`
      model Post {
        field status { type string, default "draft }
      }
    `,
    fix: [['"draft', '"draft"']],
  },

  'unterminated-raw-string': {
    text: 'A text that begins with `"""` ends at the next `"""`, and may have several lines. This text has no end.',
    source: kiln`
      model Post {
        field body { type string, default """Once upon a time" }
      }
    `,
    fix: [['time"', 'time"""']],
  },

  'unterminated-comment': {
    text: 'A comment that begins with `/*` ends at `*/`. Without it, the rest of the file would be a comment.',
    source: kiln`
      /* The posts of the blog.
      model Post {
        field title { type string }
      }
    `,
    fix: [['blog.', 'blog. */']],
  },

  'nested-too-deeply': {
    text: 'Blocks and brackets may be nested 500 levels deep, which is far more than anybody writes by hand. The limit protects the compiler from generated or broken sources. Split the expression into several computed members.',
    source: kiln`
      model Counter {
        computed value { ${DEEP} }
      }
    `,
    fix: [[DEEP, '1']],
  },
} satisfies Record<keyof typeof syntaxWords, Explanation>;
