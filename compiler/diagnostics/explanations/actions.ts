import type { actionWords } from '../catalogue/actions.ts';
import {
  AUTHOR_EMAIL,
  AUTHOR_NAME,
  AUTHOR_NAME_POSTS,
  COMMENT_POST_BODY,
  POST_AUTHOR,
  POST_AUTHOR_TITLE,
  POST_PUBLISHED,
  POST_TITLE,
  POST_TITLE_COMMENTS,
} from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

/** Actions of endpoints, and populators. */
export const actionExplanations = {
  'no-own-action': {
    text: 'A create, update or delete endpoint must create, update or delete its record. Its `action` may do more before and after that, but it must contain this action too.',
    source: kiln`
      ${POST_TITLE}

      model Entry {
        field text { type string }
      }

      ${api('Post as post', 'delete endpoint { action { create Entry { set text "deleted" } } }')}
    `,
    fix: [['"deleted" } }', '"deleted" }, delete {} }']],
  },

  'two-own-actions': {
    text: 'An endpoint creates, updates or deletes its own record once, and answers with it. To make, change or delete a second record of the same model, write a custom endpoint.',
    source: kiln`
      ${POST_TITLE}

      api {
        entrypoint Post {
          create endpoint {
            action {
              create {}
              create Post { set title "copy" }
            }
          }
        }
      }
    `,
    fix: [['        create Post { set title "copy" }\n', '']],
  },

  'action-without-target': {
    text: 'In a custom endpoint, `create`, `update` and `delete` need a target: a model, or the alias of a record. In a create, update or delete endpoint the record is known, and the target may be left out.',
    source: declarations(
      POST_PUBLISHED,
      api('Post as post', 'POST one "publish" { action { update { set published true } } }'),
    ),
    fix: [['update {', 'update post {']],
  },

  'create-in-what': {
    text: 'A `create` makes a record of a model, or one in a relation of another record, to which the new record then refers. Records cannot be created in a field or a reference.',
    source: declarations(
      POST_TITLE_COMMENTS,
      COMMENT_POST_BODY,
      api('Post as post', 'POST one "greet" { action { create post.title { set body "Hello" } } }'),
    ),
    fix: [['create post.title', 'create post.comments']],
  },

  'not-one-record': {
    text: '`update` and `delete` change one record. To change many records at once, write a query with `update` or `delete` in it.',
    source: kiln`
      ${AUTHOR_NAME_POSTS}

      model Post {
        reference author { to Author }
        field published { type boolean, default false }
      }

      ${api('Author as author', 'POST one "publish-all" { action { update author.posts { set published true } } }')}
    `,
    fix: [['update author.posts { set published true }', 'query { from author.posts, update { set published true } }']],
  },

  'cannot-set': {
    text: 'Only stored values can be set. Kiln generates the `id`, computed members are calculated from others, and a relation is set through the reference of the other model.',
    source: declarations(POST_TITLE, api('Post', 'create endpoint { action { create { set id 1 } } }')),
    fix: [['set id 1', 'set title "Untitled"']],
  },

  'parent-is-set': {
    text: 'A record that is created in a nested endpoint belongs to the outer record: Kiln sets the reference from the URL. So it cannot be set again.',
    source: kiln`
      ${POST_TITLE_COMMENTS}

      ${COMMENT_POST_BODY}

      api {
        entrypoint Post as post {
          entrypoint comments {
            create endpoint { action { create { set post post } } }
          }
        }
      }
    `,
    fix: [['create { set post post }', 'create {}']],
  },

  'given-twice': {
    text: 'A member gets its value in one place: from the client, by a `set`, or through a reference that is looked up. With two of them, it is not clear which one applies.',
    source: declarations(
      POST_TITLE,
      api('Post', 'create endpoint { action { create { set title "Hello", input { title } } } }'),
    ),
    fix: [['set title "Hello", ', '']],
  },

  'unset-field': {
    text: 'A record is created without a value for a required member: it is not nullable, has no default, and is not sent by the client. Every such request would fail.',
    source: kiln`
      ${POST_TITLE}

      model Revision {
        field title { type string }
        field body { type string }
      }

      ${api('Post as post', 'POST one "save" { action { create Revision { set title post.title } } }')}
    `,
    fix: [['set title post.title', 'set title post.title, set body ""']],
  },

  'sometimes-set': {
    text: 'A `set` with `when` does not set the field if its condition is false. A new record then has the default of the field, or null. A field that is neither nullable nor has a default would have no value at all: choose between two values with `if`, or give the field a default.',
    source: kiln`
      model Post {
        field title { type string }
        field kind { type string }
      }

      ${api('Post', 'create endpoint { action { create { set kind "note" when length(title) < 20 } } }')}
    `,
    fix: [['set kind "note" when length(title) < 20', 'set kind if(length(title) < 20, "note", "article")']],
  },

  'when-in-populator': {
    text: 'A populator generates a value for every field that is not set. With `when`, some records would have your value and others a generated one. `if` says what the other records have.',
    source: kiln`
      model Post {
        field rank { type integer }
      }

      populator Dev { populate Post { repeat as i 10, set rank 1 when i.current < 4 } }
    `,
    fix: [['set rank 1 when i.current < 4', 'set rank if(i.current < 4, 1, 2)']],
  },

  'excepted-input': {
    text: '`input * except { … }` takes all fields but those that it names, and `input { … }` takes the fields that it names. A field cannot be in both lists.',
    source: kiln`
      model Post {
        field title { type string }
        field slug { type string, default "" }
      }

      ${api('Post', 'create endpoint { action { create { input * except { slug }, input { slug } } } }')}
    `,
    fix: [['input * except { slug }, input { slug }', 'input * except { slug }']],
  },

  'input-of-reference': {
    text: 'A client cannot send a record, only something that identifies it. The input is the key of the reference, `author_id`; or the record is looked up by another field with `reference author { through email }`.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      api('Post', 'create endpoint { action { create { input { title, author } } } }'),
    ),
    fix: [['title, author }', 'title, author_id }']],
  },

  'inputs-need-alias': {
    text: 'The body of a request holds the inputs of the endpoint’s own record. The inputs of another record are in an object of their own, and the alias is the name of that object.',
    source: kiln`
      ${POST_TITLE}

      model Note {
        field text { type string, default "" }
      }

      ${api('Post as post', 'POST one "note" { action { create Note { input { text } } } }')}
    `,
    fix: [['create Note {', 'create Note as note {']],
  },

  'required-with-default': {
    text: 'An input that is required is always sent, so its default would never be used. Keep one of the two.',
    source: declarations(
      POST_TITLE,
      api('Post', 'create endpoint { action { create { input { title { required, default "Untitled" } } } } }'),
    ),
    fix: [['required, ', '']],
  },

  'no-unique-key': {
    text: '`or keep` and `or update` look for a record that has the same unique key as the new one would have. Without such a key no record can be found.',
    source: kiln`
      model Tag {
        field name { type string }
      }

      ${api('Tag', 'create endpoint { action { create or keep {} } }')}
    `,
    fix: [['type string }', 'type string, unique }']],
  },

  'which-key': {
    text: 'A new record may have the same value as another one in each of several unique keys. `by` says which of them identifies the record. The values of the other keys must not exist yet.',
    source: kiln`
      model User {
        field email { type string, unique }
        field nickname { type string, unique }
      }

      ${api('User', 'create endpoint { action { create or update {} } }')}
    `,
    fix: [['or update {}', 'or update by { email } {}']],
  },

  'not-a-key': {
    text: '`by` names a unique key: a field or a reference that is `unique`, or all the members of a `unique { a, b }`. Other members do not identify a record.',
    source: kiln`
      model User {
        field email { type string, unique }
        field nickname { type string }
      }

      ${api('User', 'create endpoint { action { create or keep by { nickname } {} } }')}
    `,
    fix: [['by { nickname }', 'by { email }']],
  },

  'key-not-given': {
    text: 'To find the existing record, the create must give every part of the unique key: by `set`, from the client, or by a default. A missing value is null, and two nulls are not equal in a unique key.',
    source: kiln`
      model Counter {
        field name { type string, unique, nullable }
        field value { type integer, default 0 }
      }

      ${api('Counter', 'POST many "reset" { action { create Counter or update { set value 0 } } }')}
    `,
    fix: [['set value 0', 'set name "visits", set value 0']],
  },

  'key-without-parent': {
    text: 'A create below a parent, such as a nested `create endpoint` or `create team.docs`, makes a record of that parent. A key that is unique in the whole model may belong to a record of another parent: `or keep` would show it, and `or update` would change it and move it. The key must contain the reference to the parent. Where the parent refers to the record, no key can: use a custom endpoint that says what it does, as in `create Category or keep as found { … }` and `update post { set category found }`.',
    source: kiln`
      model Team {
        field name { type string }
        relation docs { from Doc, through team }
      }

      model Doc {
        reference team { to Team }
        field slug { type string }
        field number { type integer, unique }
        unique { team, slug }
      }

      ${api('Team as team', 'entrypoint docs { create endpoint { action { create or update by { number } {} } } }')}
    `,
    fix: [['by { number }', 'by { team, slug }']],
  },

  'nullable-key': {
    text: 'In a unique key, null is not equal to any value, not even to another null. If a part of the key is null, `or keep` and `or update` find nothing and create a new record each time. If you want that, name the key: `or keep by { serial }`.',
    source: kiln`
      model Device {
        field serial { type string, unique, nullable }
      }

      ${api('Device', 'create endpoint { action { create or keep {} } }')}
    `,
    fix: [[', nullable', '']],
  },

  'lookup-without-path': {
    text: 'The client sends something by which the record is found, such as an email. The action must name that unique field with `through`.',
    source: declarations(
      AUTHOR_EMAIL,
      POST_AUTHOR,
      api('Post', 'create endpoint { action { create { reference author {} } } }'),
    ),
    fix: [['author {} }', 'author { through email } }']],
  },

  'create-through-path': {
    text: '`or create` makes the record that is missing with the value that the client sends, so the path is one unique field of its model. A longer path ends in another model, and an `id` is generated by Kiln.',
    source: kiln`
      model Author {
        field email { type string, unique }
      }

      model Post {
        reference author { to Author }
      }

      ${api('Post', 'create endpoint { action { create { reference author { through id or create } } } }')}
    `,
    fix: [['through id', 'through email']],
  },

  'create-lacks-field': {
    text: 'A record that `or create` makes has the value that it was looked for by, and defaults. A model that must have more cannot be made this way: give the other fields a default, or make the record with `create … or keep` in an action before.',
    source: kiln`
      model Author {
        field email { type string, unique }
        field name { type string }
      }

      model Post {
        reference author { to Author }
      }

      ${api('Post', 'create endpoint { action { create { reference author { through email or create } } } }')}
    `,
    fix: [['name { type string }', 'name { type string, default "" }']],
  },

  'not-a-list-input': {
    text: 'A `for` makes records from a list that a client sends: an extra input whose type is in brackets. Records of the database are changed all at once by a `query` with `update` or `delete`.',
    source: kiln`
      model Tag {
        field name { type string, unique }
      }

      api {
        entrypoint Tag {
          POST many "add" {
            extra inputs { field names { type string } }
            action { for name in names { create Tag or keep { set name name } } }
          }
        }
      }
    `,
    fix: [['names { type string }', 'names { type [string] }']],
  },

  'not-in-for': {
    text: 'Each action in a `for` is one statement for the whole list, however long it is. So it is a `create` whose values are `set` from the item, from records that were made for the same item, and from what is known before.',
    source: kiln`
      model Tag {
        field name { type string, unique }
      }

      api {
        entrypoint Tag {
          POST many "add" {
            extra inputs { field names { type [string] } }
            action {
              for each in names {
                create Tag or keep { set name each }
                respond { httpStatus 202 }
              }
            }
          }
        }
      }
    `,
    fix: [['          respond { httpStatus 202 }\n', '']],
  },

  'empty-for': {
    text: 'A `for` without actions goes over a list and does nothing with it. Add a `create`, or remove the `for`.',
    source: kiln`
      model Tag {
        field name { type string, unique }
      }

      api {
        entrypoint Tag {
          POST many "add" {
            extra inputs { field names { type [string] } }
            action { for each in names {} }
          }
        }
      }
    `,
    fix: [['for each in names {}', 'for each in names { create Tag or keep { set name each } }']],
  },

  'two-deeds': {
    text: 'A query does one thing with what it finds: it counts, selects, updates or deletes. For two things, write two queries, in the order in which they happen.',
    source: kiln`
      ${POST_PUBLISHED}

      api {
        entrypoint Post {
          POST many "publish" {
            action {
              query as posts { from Post, count, update { set published true } }
            }
          }
        }
      }
    `,
    fix: [['from Post, count, update', 'from Post, update']],
  },

  'not-grouped': {
    text: 'A query with `group by` gives one row for each group. All records of a group have the same values in the fields of `group by`. Other fields have many values in a group, so use an aggregate: `count()`, `sum(…)`, `avg(…)`, `min(…)`, `max(…)`.',
    source: declarations(
      'model Order { field status { type string }, field total { type decimal } }',
      api(
        'Order',
        'GET many "report" { action { query as rows { from Order, group by { status }, select { status, total } }, respond { body rows } } }',
      ),
    ),
    fix: [['select { status, total }', 'select { status, total: sum(total) }']],
  },

  'not-groupable': {
    text: 'Records with the same value are in one group. Collections and json values cannot be compared. A reference is compared by the id of its record.',
    source: declarations(
      'model Order { field status { type string }, field tags { type json } }',
      api(
        'Order',
        'GET many "report" { action { query as rows { from Order, group by { tags } }, respond { body rows } } }',
      ),
    ),
    fix: [['group by { tags }', 'group by { status }']],
  },

  'query-without-alias': {
    text: 'A query that only reads needs a name, or nothing can use its result. A query that updates or deletes needs none.',
    source: kiln`
      ${POST_PUBLISHED}

      api {
        entrypoint Post {
          GET many "drafts" {
            action {
              query { from Post, filter { published is false }, count }
              respond { body 0 }
            }
          }
        }
      }
    `,
    fix: [
      ['query {', 'query as drafts {'],
      ['body 0', 'body drafts'],
    ],
  },

  'execute-without-hook': {
    text: '`execute` runs your own code, and must name it: a hook with `source` or `inline`. Without code there is nothing to run.',
    source: declarations(POST_TITLE, api('Post', 'POST many "import" { action { execute { responds } } }')),
    files: { 'hooks/imports.ts': 'export function importPosts() {}\n' },
    fix: [['{ responds }', '{ responds, hook { source importPosts from "imports" } }']],
  },

  'responds-twice': {
    text: 'A request gets one response. The second `respond` could never be sent.',
    source: kiln`
      ${POST_TITLE}

      api {
        entrypoint Post as post {
          GET one "preview" {
            action {
              respond { body post.title }
              respond { httpStatus 204 }
            }
          }
        }
      }
    `,
    fix: [['        respond { httpStatus 204 }\n', '']],
  },

  'bad-status': {
    text: 'A response has a status from 200 to 599. The server sends those from 100 to 199 itself.',
    source: declarations(
      POST_TITLE,
      api('Post as post', 'GET one "preview" { action { respond { httpStatus 42, body post.title } } }'),
    ),
    fix: [['42', '200']],
  },

  'header-twice': {
    text: 'The names of headers are the same in capital and small letters, and a header is given once. Two values for one header are joined in one text, with a comma between them, where the header allows that.',
    source: kiln`
      model Order {
        field total { type decimal }
      }

      api {
        entrypoint Order as order {
          POST one "pay" {
            action {
              respond { httpStatus 202, httpHeaders { "Cache-Control" "no-store", "cache-control" "private" } }
            }
          }
        }
      }
    `,
    fix: [['"no-store", "cache-control" "private"', '"private, no-store"']],
  },

  'bad-header-name': {
    text: 'The name of a header has no blanks, colons or other signs in it; HTTP does not allow them. Most names are words joined by `-`.',
    source: declarations(
      POST_TITLE,
      api(
        'Post as post',
        'GET one "preview" { action { respond { body post.title, httpHeaders { "Cache Control" "no-store" } } } }',
      ),
    ),
    fix: [['Cache Control', 'Cache-Control']],
  },

  'not-a-relation': {
    text: 'A nested `populate` creates records in a relation, so that each one belongs to its parent. The model has no relation of this name.',
    source: kiln`
      ${AUTHOR_NAME_POSTS}

      ${POST_AUTHOR_TITLE}

      populator Dev {
        populate Author { populate post { repeat 5 } }
      }
    `,
    fix: [['populate post {', 'populate posts {']],
  },

  'populator-path': {
    text: 'A populator can use the fields of the records that it creates, before they are stored. It cannot read other records through them.',
    source: kiln`
      ${AUTHOR_NAME_POSTS}

      model Post {
        reference author { to Author }
        field title { type string }
        relation comments { from Comment, through post }
      }

      ${COMMENT_POST_BODY}

      populator Dev {
        populate Author {
          populate posts as post {
            populate comments { set body post.author.name }
          }
        }
      }
    `,
    fix: [['post.author.name', 'post.title']],
  },

  'repeat-without-end': {
    text: 'A `repeat` says how often: a number, or `start` and `end`. Without an end, a populator would never stop.',
    source: kiln`
      ${AUTHOR_NAME}

      populator Dev {
        populate Author { repeat { start 1 } }
      }
    `,
    fix: [['start 1', 'start 1, end 20']],
  },

  'backward-repeat': {
    text: 'A `repeat` counts upwards, so its `end` is not before its `start`. Swap the two, or count down in the value that you set.',
    source: kiln`
      ${AUTHOR_NAME}

      populator Dev {
        populate Author { repeat { start 20, end 1 } }
      }
    `,
    fix: [['start 20, end 1', 'start 1, end 20']],
  },

  'repeat-of-single': {
    text: 'The reference of this relation is unique, so each record has at most one related record. A second one could not be stored.',
    source: kiln`
      model Author {
        field name { type string }
        relation profile { from Profile, through author }
      }

      model Profile {
        reference author { to Author, unique }
        field text { type string }
      }

      populator Dev {
        populate Author { populate profile { repeat 5 } }
      }
    `,
    fix: [['{ repeat 5 }', '{}']],
  },
} satisfies Record<keyof typeof actionWords, Explanation>;
