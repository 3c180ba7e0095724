import type { modelWords } from '../catalogue/models.ts';
import { AUTHOR_NAME, POST_AUTHOR, POST_AUTHOR_TITLE, POST_TITLE, TICKET_STATUS } from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

const QUESTIONS = Array.from({ length: 33 }, (_, index) => `q${index + 1}`);
const ANSWERS = QUESTIONS.map((name) => `  field ${name} { type integer }\n`).join('');
const KEY = QUESTIONS.join(', ');
const CHANNELS = Array.from({ length: 1600 }, (_, index) => `  field channel_${index + 1} { type float }\n`).join('');

/** Models, their members, enums, and comments on them. */
export const modelExplanations = {
  'missing-type': {
    text: 'Every field needs a type, because the column, the validation of inputs and the documentation of the API depend on it. Kiln does not assume a type.',
    source: kiln`
      model Post {
        field title { unique }
      }
    `,
    fix: [['{ unique }', '{ type string, unique }']],
  },

  'model-as-type': {
    text: 'A field holds a value. To refer to a record of another model, use a `reference`. It says what happens when that record is deleted, and the database makes sure that it exists.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        field author { type Author }
      }
    `,
    fix: [['field author { type Author }', 'reference author { to Author }']],
  },

  'list-in-key': {
    text: 'An index on a list orders whole lists, so it cannot be used to find one item. So a list has no index, and it is not unique. Lists are for values that are read together with their record, such as labels. Values that are searched for, or must be unique, belong into a model of their own.',
    source: kiln`
      model Post {
        field tags { type [string], index }
      }
    `,
    fix: [[', index', '']],
  },

  'list-argument': {
    text: 'The first argument of a validator is the value that it checks, and that is a single value. A field or an input that is a list calls the validator for each item, and the error names the item: `tags[3]`. `minItems`, `maxItems` and `distinct` are about the list as a whole. The other arguments may be lists.',
    source: kiln`
      validator short {
        arg values { type [string] }
        assert { values is not null }
        error { code "short" }
      }
    `,
    fix: [['type [string]', 'type string']],
  },

  'required-field': {
    text: 'A field is required unless it says `nullable`, so there is nothing to add. `required` has a meaning only in the inputs of an action: there the client must send the field, even if it is nullable or has a default.',
    source: kiln`
      model Post {
        field title { type string, required }
      }
    `,
    fix: [[', required', '']],
  },

  'index-of-unique': {
    text: 'Postgres has an index for every unique column, to check whether a value already exists. A second index over the same column would only make writing slower.',
    source: kiln`
      model Post {
        field slug { type string, unique, index }
      }
    `,
    fix: [[', unique, index', ', unique']],
  },

  'normalise-not-text': {
    text: '`normalise` removes white space around a text (`trim`) or writes it in lower case (`lower`). Values of other types have only one form.',
    source: kiln`
      model Product {
        field price { type decimal, normalise { trim } }
      }
    `,
    fix: [[', normalise { trim }', '']],
  },

  'empty-normalise': {
    text: '`normalise` lists what is done to a text from outside before it is validated, stored or compared. An empty list does nothing.',
    source: kiln`
      model User {
        field email { type string, unique, normalise {} }
      }
    `,
    fix: [['normalise {}', 'normalise { trim, lower }']],
  },

  'id-property': {
    text: 'Kiln generates the `id` of every record. It is always unique and never null. You can choose only its type.',
    source: kiln`
      model Order {
        field id { type uuid, unique }
      }
    `,
    fix: [[', unique', '']],
  },

  'id-type': {
    text: 'An `id` is an `integer`, counted by the database, or a `uuid`, made by Kiln. For a name that people choose, such as a slug, add a unique field, and `identify` records through it.',
    source: kiln`
      model Order {
        field id { type string }
      }
    `,
    fix: [['type string', 'type uuid']],
  },

  'too-many-columns': {
    text: 'A table of Postgres has at most 1600 columns. A model near this limit should often be two models: one record for each value, with a reference to its owner.',
    source: `model Reading {\n  field taken_at { type timestamp }\n${CHANNELS}}\n`,
    fix: [[CHANNELS, '  field channel { type integer }\n  field value { type float }\n']],
  },

  'reference-without-target': {
    text: 'A reference refers to a record of one model, and must name that model: `to Author`. The column, the foreign key and every path through the reference depend on it.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { on delete cascade }
      }
    `,
    fix: [['{ on delete', '{ to Author, on delete']],
  },

  'set-null-needs-nullable': {
    text: '`on delete set null` empties the reference when its record is deleted, so the reference must be allowed to be empty. Make it `nullable`, or choose another rule: `cascade` deletes the record that has the reference as well, and `restrict` refuses the deletion while there is one.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Author, on delete set null }
      }
    `,
    fix: [['to Author, on', 'to Author, nullable, on']],
  },

  'no-first-record': {
    text: 'Each record of the model must name another record of the same model that already exists. While there is none, no `create` and no populator can add one. Make the reference `nullable`: null marks the records at which a chain begins, such as the top of a tree.',
    source: kiln`
      model Folder {
        reference parent { to Folder, on delete cascade }
        field name { type string }
      }
    `,
    fix: [['to Folder, on', 'to Folder, nullable, on']],
  },

  'reference-index': {
    text: 'Every reference has an index already: relations go through it, and so does the deletion of the record that it leads to. A second one would only make writing slower, so leave the word out.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Author, index }
      }
    `,
    fix: [[', index', '']],
  },

  'reference-secret': {
    text: '`secret` keeps the value of a field, such as a hash, out of every answer. A reference cannot be secret, because paths and relations would still reveal it. Leave it out of the `response` instead.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Author, secret }
      }
    `,
    fix: [[', secret', '']],
  },

  'incomplete-relation': {
    text: 'A relation is the reverse side of a reference. `from` names the other model, and `through` names the reference of that model that refers to this one.',
    source: kiln`
      model Author {
        relation posts { from Post }
      }

      ${POST_AUTHOR}
    `,
    fix: [['from Post }', 'from Post, through author }']],
  },

  'relation-by-path': {
    text: 'A relation is one step: the records that refer to this one. For records further away use a query, which can follow a path.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        relation comments { from Post.comments, through author }
      }

      model Post {
        reference author { to Author }
        relation comments { from Comment, through post }
      }

      model Comment {
        reference post { to Post }
      }
    `,
    fix: [['relation comments { from Post.comments, through author }', 'query comments { from posts.comments }']],
  },

  'relation-alias': {
    text: 'An alias is used in conditions, and a relation has no conditions. A `query` over the relation can have both.',
    source: kiln`
      model Author {
        relation posts { from Post as post, through author }
      }

      ${POST_AUTHOR}
    `,
    fix: [[' as post', '']],
  },

  'unknown-through': {
    text: 'A relation goes `through` a reference of the other model, and that model has no reference of this name that leads here. Name the reference, not its key: `author`, not `author_id`.',
    source: kiln`
      model Author {
        relation posts { from Post, through writer }
      }

      ${POST_AUTHOR}
    `,
    fix: [['writer', 'author']],
  },

  'relation-elsewhere': {
    text: 'The relation goes through a reference that leads to another model, so it could never find a record of this one. Name a reference that leads to this model, or take another model.',
    source: kiln`
      model Author {
        relation posts { from Post, through category }
      }

      model Category {
        field name { type string }
      }

      model Post {
        reference author { to Author }
        reference category { to Category }
      }
    `,
    fix: [['through category', 'through author']],
  },

  'unknown-key-part': {
    text: 'A `unique` or an `index` over several columns lists fields and references of its model, and this is none of them. Computed members and relations are not stored, so they cannot be part of it.',
    source: kiln`
      model Membership {
        field team { type string }
        field person { type string }
        unique { team, persn }
      }
    `,
    fix: [['persn', 'person']],
  },

  'key-over-one': {
    text: '`unique { … }` and `index { … }` are for several fields together. For a single field, write the word in the field itself.',
    source: kiln`
      model Post {
        field slug { type string }
        unique { slug }
      }
    `,
    fix: [
      ['type string }', 'type string, unique }'],
      ['  unique { slug }\n', ''],
    ],
  },

  'key-over-many': {
    text: 'Postgres takes at most 32 columns in one index or key. So many columns rarely tell records apart better than a few of them.',
    source: `model Answers {\n${ANSWERS}  unique { ${KEY} }\n}\n`,
    fix: [[KEY, 'q1, q2']],
  },

  'direction-in-unique': {
    text: 'A `unique` has no order, so it has no `asc` or `desc`. Only an `index` can have them.',
    source: kiln`
      model Vote {
        field post { type string }
        field voter { type string }
        unique { post, voter desc }
      }
    `,
    fix: [[' desc', '']],
  },

  'computed-not-a-value': {
    text: 'A computed member is one value that can be shown, filtered and ordered by. Records, lists and a bare `null` are not; a `query` gives records, and functions such as `count` make one value of many.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        computed all_posts { posts }
      }

      ${POST_AUTHOR}
    `,
    fix: [['all_posts { posts }', 'post_count { count(posts) }']],
  },

  'depends-on-itself': {
    text: 'This value is computed from itself. The notes show the members in the cycle. Compute one of them from fields only.',
    source: kiln`
      model Order {
        field net { type float }
        computed gross { net + tax }
        computed tax { gross * 0.19 }
      }
    `,
    fix: [['gross * 0.19', 'net * 0.19']],
  },

  'expands-too-far': {
    text: 'A computed member or a query is written out wherever it is used, so that the database can work it out in one statement. Members that use each other several times make a statement that grows with each line. A member may have 5,000 parts once everything in it is written out, and 500 expressions inside of each other. Use the other member less often, or keep a value in a field.',
    source: kiln`
      model Order {
        field net { type float }
        computed c1 { net + net + net + net + net + net }
        computed c2 { c1 + c1 + c1 + c1 + c1 + c1 }
        computed c3 { c2 + c2 + c2 + c2 + c2 + c2 }
        computed c4 { c3 + c3 + c3 + c3 + c3 + c3 }
        computed c5 { c4 + c4 + c4 + c4 + c4 + c4 }
      }
    `,
    fix: [['c4 + c4 + c4 + c4 + c4 + c4', '6.0 * c4']],
  },

  'missing-from': {
    text: 'A query takes records from somewhere: a relation, a reference, another query or a model. It has to say from where.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        query recent_posts { order by { id desc }, limit 5 }
      }

      ${POST_AUTHOR}
    `,
    fix: [['{ order by', '{ from posts, order by']],
  },

  'not-records': {
    text: 'A query filters, orders and counts records, and its `from` leads to a value. For a single value, use a computed member.',
    source: kiln`
      model Author {
        field name { type string }
        query names { from name }
      }
    `,
    fix: [['query names { from name }', 'computed shown_name { name }']],
  },

  'idle-property': {
    text: 'This property has no effect: a `count` counts all records, whatever their order or a `limit`. Remove it.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        query post_count { from posts, limit 5, count }
      }

      ${POST_AUTHOR}
    `,
    fix: [[', limit 5', '']],
  },

  'negative-limit': {
    text: '`limit` and `offset` are numbers of records: 0 or more. In an action they may also come from an input, which then takes no negative number.',
    source: declarations(
      POST_TITLE,
      api('Post', 'GET many "newest" { action { query as posts { from Post, limit -5 }, respond { body posts } } }'),
    ),
    fix: [['limit -5', 'limit 5']],
  },

  'not-sortable': {
    text: 'Records are ordered by values that have an order: numbers, texts, dates, booleans, enums. A record, a collection or json has none. Add one of its fields to the path.',
    source: declarations(AUTHOR_NAME, POST_AUTHOR_TITLE, api('Post', 'list endpoint { order by { author } }')),
    fix: [['{ author }', '{ author.name }']],
  },

  'empty-enum': {
    text: 'An enum without values allows no value, so no record with such a field could be created. Write its values between the braces, with `,` between them or one on each line.',
    source: declarations('enum Status {}', TICKET_STATUS),
    fix: [['Status {}', 'Status { open, closed }']],
  },

  'long-enum-value': {
    text: 'Postgres keeps values of an enum in at most 63 characters, and would refuse a longer one when the tables are made. Choose a shorter name for the value, and keep the long text for people elsewhere.',
    source: kiln`
      enum Reason {
        other
        the_customer_has_changed_their_mind_after_the_parcel_was_sent_out
      }

      model Return {
        field reason { type Reason }
      }
    `,
    fix: [['the_customer_has_changed_their_mind_after_the_parcel_was_sent_out', 'changed_mind']],
  },

  'still-there': {
    text: '`was` and `drop` name something that was renamed or deleted. But it is still declared under its old name. Remove the old declaration, or the `was` or `drop`.',
    source: kiln`
      model Post {
        field name { type string }
        field title { type string, was name }
      }
    `,
    fix: [['  field name { type string }\n', '']],
  },

  'renamed-to-itself': {
    text: '`was` gives the name in the previous release. If the name is the same, nothing was renamed.',
    source: kiln`
      model Post {
        field title { type string, was title }
      }
    `,
    fix: [[', was title', '']],
  },

  'gone-twice': {
    text: 'Something of the previous release can be renamed once, or be dropped. It cannot get two new names, and it cannot be renamed and dropped at the same time.',
    source: kiln`
      model Post {
        field title { type string, was name }
        field headline { type string, was name }
      }
    `,
    fix: [['field headline { type string, was name }', 'field headline { type string, default "" }']],
  },

  'doc-comment-behind': {
    text: 'A comment with `///` describes what comes after it, and goes into the documentation of the API. At the end of a line it would describe the next member, which is probably a mistake.',
    source: kiln`
      model Book {
        field isbn { type string, unique } /// printed on the back
        field title { type string }
      }
    `,
    fix: [
      [' /// printed on the back', ''],
      ['  field isbn', '  /// Printed on the back.\n  field isbn'],
    ],
  },

  'misplaced-doc-comment': {
    text: 'A comment with `///` describes the declaration that comes after it, but no declaration comes after this one. A note for readers of the source is written with `//`.',
    source: kiln`
      model Post {
        field title { type string }
        /// The posts of an author are shown by date.
      }
    `,
    fix: [['///', '//']],
  },

  'misplaced-flag': {
    text: 'This word is about a column of the database, but an extra input or an argument has no column. Remove the word. To restrict the value, use `validate`.',
    source: declarations(
      POST_TITLE,
      api(
        'Post',
        'list endpoint { extra inputs { field search { type string, unique } }, filter { contains(title, search) } }',
      ),
    ),
    fix: [[', unique', '']],
  },

  'nothing-to-select': {
    text: 'The braces of a response pick members of another record. A plain value has none, so it is just named.',
    source: declarations(POST_TITLE, api('Post', 'response { title { text } }', 'list endpoint {}')),
    fix: [['title { text }', 'title']],
  },
} satisfies Record<keyof typeof modelWords, Explanation>;
