import type { nameWords } from '../catalogue/names.ts';
import {
  AUTHOR_EMAIL,
  AUTHOR_NAME,
  COMMENT_POST_BODY,
  POST_AUTHOR,
  POST_AUTHOR_TITLE,
  POST_PUBLISHED,
  POST_TITLE,
  POST_TITLE_COMMENTS,
  POST_TITLE_PUBLISHED,
  TICKET_STATUS,
  USER_EMAIL,
} from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

/** Names that mean nothing, or two things. */
export const nameExplanations = {
  'unknown-model': {
    text: 'Something refers to a model that is declared nowhere. All `.kiln` files of a project are one program, so the model may stand in any of them, in any order; but names are case-sensitive and must be spelt alike.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Autor }
      }
    `,
    fix: [['Autor', 'Author']],
  },

  'unknown-type': {
    text: 'The type of a field is one of the built-in ones, such as `string`, `integer`, `decimal`, `boolean`, `date`, `timestamp`, `uuid` or `json`, or an enum of your own. Names of types that other languages use are not known, and the message says which one is meant.',
    source: kiln`
      model Order {
        field placed_at { type datetime }
      }
    `,
    fix: [['datetime', 'timestamp']],
  },

  'unknown-member': {
    text: 'A path such as `author.name` walks from record to record, and each step must be a member of the model that the path has reached. This step is not one.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      api('Post', 'response { title, author { fullname } }', 'list endpoint {}'),
    ),
    fix: [['fullname', 'name']],
  },

  'unknown-field': {
    text: 'Only fields and references of a model can be given a value, and this model has none of that name. Computed members, relations and hooks follow from something else, and are never set.',
    source: declarations(
      POST_TITLE_PUBLISHED,
      api('Post as post', 'POST one "publish" { action { update post { set publised true } } }'),
    ),
    fix: [['publised', 'published']],
  },

  'unknown-reference': {
    text: 'The action finds a record by one of its fields and puts it into a reference, but the model has no reference of that name. Check its spelling, or declare the reference in the model.',
    source: declarations(
      AUTHOR_EMAIL,
      POST_AUTHOR_TITLE,
      api('Post', 'create endpoint { action { create { reference autor { through email } } } }'),
    ),
    fix: [['autor', 'author']],
  },

  'unknown-name': {
    text: 'An expression can use the members of its record, aliases such as `as post`, the inputs of the endpoint and `@auth`. Which of them depends on where it is written. This name is none of them. A text needs quotes: `status is "open"`.',
    source: declarations(POST_TITLE_PUBLISHED, api('Post', 'list endpoint { filter { publishd is true } }')),
    fix: [['publishd', 'published']],
  },

  'not-called': {
    text: 'This is the name of a function. Call it with parentheses, even if it takes no arguments.',
    source: kiln`
      model Post {
        field created_at { type timestamp, default now }
      }
    `,
    fix: [['default now', 'default now()']],
  },

  'input-too-early': {
    text: '`authorize` runs before the body of the request is read, so that callers without access cannot make the server read one. It can use the record, the caller and the URL, but no inputs. A condition on an input belongs in a `validate` of the action.',
    source: kiln`
      ${POST_TITLE}

      api {
        entrypoint Post {
          create endpoint {
            extra inputs { field terms_accepted { type boolean } }
            authorize { terms_accepted is true }
          }
        }
      }
    `,
    fix: [
      [
        'authorize { terms_accepted is true }',
        'action {\n        validate with key "terms_accepted" { isEqualBool(terms_accepted, true) }\n        create {}\n      }',
      ],
    ],
  },

  'unknown-input': {
    text: "`@input.n` is the input `n`: a field that the endpoint's own action takes, or an extra input. Other places of a program, such as the members of a model, have no inputs.",
    source: kiln`
      model Post {
        field title { type string }
      }

      ${api('Post', 'list endpoint { extra inputs { field part { type string } }, filter { contains(title, @input.prat) } }')}
    `,
    fix: [['@input.prat', '@input.part']],
  },

  'input-without-name': {
    text: '`@input` is not a value itself. Write a dot and the name of an input after it.',
    source: kiln`
      model Post {
        field title { type string, index }
      }

      ${api('Post', 'list endpoint { extra inputs { field part { type string } }, filter { title is @input } }')}
    `,
    fix: [['title is @input', 'title is @input.part']],
  },

  'input-as-record': {
    text: 'An `update` and a `delete` name a record that is there. What the client sends are values. To change the record that an input names, find it with a `query` first.',
    source: kiln`
      model Post {
        field title { type string }
      }

      ${api('Post as post', 'POST one "rename" { extra inputs { field title { type string } }, action { update @input { set title "a" } } }')}
    `,
    fix: [['update @input { set title "a" }', 'update post { set title @input.title }']],
  },

  'ambiguous-name': {
    text: 'A member of the record has the same name as an input or an alias, and either could be meant here: `filter { id is id }` would compare each record with itself. Kiln does not guess. `@input.n` is the input: in an expression that uses it, a bare `n` is the member. An alias needs another name. In a query you can also name the row, as in `from Post as p`: then `p.published` is the member, and a bare name is never one.',
    source: kiln`
      ${POST_PUBLISHED}

      api {
        entrypoint Post {
          list endpoint {
            extra inputs { field published { type boolean } }
            filter { published is true }
          }
        }
      }
    `,
    fix: [['filter { published is true }', 'filter { published is @input.published }']],
  },

  'model-or-alias': {
    text: 'In `from`, a name is a member, an alias or a model. Here an alias is called like a model, and either could be meant: the records of the alias, or all records of the model. Give the alias another name.',
    source: kiln`
      model post {
        field title { type string }
      }

      api {
        entrypoint post as post {
          GET one "others" {
            action {
              query as others { from post, limit 10 }
              respond { body others }
            }
          }
        }
      }
    `,
    fix: [['entrypoint post as post', 'entrypoint post as current']],
  },

  'name-out-of-reach': {
    text: 'The name exists, but not in this place: the alias of an entrypoint is one record, and a list is about all of them, a create about none yet. In a list, use a `filter` over the members; or say what holds for each endpoint in the endpoint itself.',
    source: kiln`
      ${USER_EMAIL}

      model Ticket {
        reference owner { to User }
        field subject { type string }
      }

      auth { model User }

      api {
        entrypoint Ticket as ticket {
          authorize { ticket.owner is @auth }
          list endpoint {}
          get endpoint {}
        }
      }
    `,
    fix: [
      ['    authorize { ticket.owner is @auth }\n', ''],
      ['list endpoint {}', 'list endpoint { authorize { @auth is not null }, filter { owner is @auth } }'],
      ['get endpoint {}', 'get endpoint { authorize { ticket.owner is @auth } }'],
    ],
  },

  'unknown-source': {
    text: 'A query takes its records `from` a relation, a reference, another query, an alias or a model. None of them has this name.',
    source: kiln`
      model Author {
        relation posts { from Post, through author }
        query recent_posts { from pots, order by { id desc }, limit 5 }
      }

      ${POST_AUTHOR}
    `,
    fix: [['from pots', 'from posts']],
  },

  'unknown-function': {
    text: 'Kiln has a small set of functions, which are listed in the reference, and there are no others. For anything else, write a hook.',
    source: kiln`
      model Author {
        field name { type string }
        computed shouted { uper(name) }
      }
    `,
    fix: [['uper', 'upper']],
  },

  'unknown-validator': {
    text: 'This is neither a validator of Kiln, such as `minLength` or `isEmail`, nor one that you have declared with `validator`. Validators have names because each has an error code for clients. The message lists the built-in ones.',
    source: kiln`
      model Author {
        field email { type string, validate { isMail() } }
      }
    `,
    fix: [['isMail', 'isEmail']],
  },

  'unknown-runtime': {
    text: 'A hook names the runtime that its code belongs to, and there is no runtime of that name. A runtime is declared with `runtime`, and says in which folder the code is.',
    source: kiln`
      model Order {
        field total { type decimal }
        hook receipt { arg total total, source receipt from "receipts", runtime Billng }
      }

      runtime Billing { source path "billing" }
    `,
    files: { 'billing/receipts.ts': 'export function receipt() {}\n' },
    fix: [['Billng', 'Billing']],
  },

  'unknown-enum-value': {
    text: 'A value of an enum is compared with, or set to, something that the enum does not have. Such a comparison is never true, and the database cannot store such a value.',
    source: kiln`
      enum Status { draft, published }

      model Post {
        field status { type Status, default "publishd" }
      }
    `,
    fix: [['publishd', 'published']],
  },

  'unknown-faker-module': {
    text: 'Populators make up values with faker, whose methods are sorted into modules: `faker.person`, `faker.internet`, `faker.lorem` and others. There is no module of this name.',
    source: kiln`
      ${AUTHOR_NAME}

      populator Dev {
        populate Author { set name faker.persn.fullName() }
      }
    `,
    fix: [['persn', 'person']],
  },

  'unknown-faker-method': {
    text: 'The module of faker is right, but it has no method of this name. Kiln knows the methods of the faker that it runs with, so a mistake is found here and not while a database is filled.',
    source: kiln`
      ${AUTHOR_NAME}

      populator Dev {
        populate Author { set name faker.person.fulName() }
      }
    `,
    fix: [['fulName', 'fullName']],
  },

  'bad-faker-path': {
    text: 'A call of faker has three parts: `faker`, the module, and the method, as in `faker.person.fullName()`. There are no short forms, so that the documentation of faker can be used as it is.',
    source: kiln`
      ${AUTHOR_NAME}

      populator Dev {
        populate Author { set name faker.name() }
      }
    `,
    fix: [['faker.name()', 'faker.person.fullName()']],
  },

  'declared-twice': {
    text: 'Two declarations have the same name, so a use of it could mean either. All `.kiln` files of a project share their names, so the other one may be in another file.',
    source: kiln`
      ${AUTHOR_NAME}

      model Author {
        field email { type string }
      }
    `,
    fix: [['}\n\nmodel Author {\n', '']],
  },

  'same-output': {
    text: 'Two generators write their client to the same folder, and one would overwrite the other. Give each of them a folder of its own.',
    source: kiln`
      generator client { target ts, output "client" }
      generator client { target js, output "client" }
    `,
    fix: [['target js, output "client"', 'target js, output "client-js"']],
  },

  'same-table': {
    text: 'In the database, names are in lower case with `_` between the words. These two names become the same there, and Postgres can have only one table or type of that name.',
    source: kiln`
      model BlogPost {
        field title { type string }
      }

      model Blog_Post {
        field title { type string }
      }
    `,
    fix: [['model Blog_Post', 'model ForumPost']],
  },

  'reserved-table': {
    text: 'Names that begin with `kiln_` or `pg_` in the database are kept for the tables of Kiln and of Postgres. A model with such a name could collide with them, today or in a later version.',
    source: kiln`
      model KilnSession {
        field token { type string }
      }
    `,
    fix: [['KilnSession', 'OvenSession']],
  },

  'reserved-column': {
    text: 'Postgres has a few hidden columns in every table, such as `xmin` and `ctid`, for its own bookkeeping. A field cannot have one of these names.',
    source: kiln`
      model Sensor {
        field xmin { type float }
      }
    `,
    fix: [['xmin', 'min_x']],
  },

  'same-column': {
    text: 'Two members of a model would become the same column, because columns are in lower case with `_` between the words. Give one of them another name.',
    source: kiln`
      model Author {
        field firstName { type string }
        field first_name { type string }
      }
    `,
    fix: [['field first_name', 'field given_name']],
  },

  'duplicate-member': {
    text: 'A model has two members of one name. The `id` counts, and so does the key of a reference: `reference author` brings `author_id` along.',
    source: kiln`
      model Post {
        field title { type string }
        field body { type string }
        field title { type string, unique }
      }
    `,
    fix: [['field title { type string, unique }', 'field slug { type string, unique }']],
  },

  'duplicate-property': {
    text: 'The same property is written twice. If the two differ, it is not clear which one applies. Remove one of them, even if they are the same.',
    source: kiln`
      model Post {
        field title { type string, unique, type string }
      }
    `,
    fix: [[', unique, type string', ', unique']],
  },

  'duplicate-argument': {
    text: 'The code of a hook or a validator receives its arguments by name, so each name can be there once. Of two values under one name, the code could see only one.',
    source: kiln`
      model Order {
        field net { type decimal }
        field gross { type decimal }
        hook label {
          arg amount net
          arg amount gross
          inline "amount"
        }
      }
    `,
    fix: [['arg amount gross', 'arg total gross']],
  },

  'duplicate-enum-value': {
    text: 'An enum is a set of values, and each of them is in it once. Remove the second one; the order of the others is the order in which records are sorted.',
    source: declarations('enum Status { open, waiting, closed, open }', TICKET_STATUS),
    fix: [[', closed, open', ', closed']],
  },

  'alias-hides-name': {
    text: 'An alias has the name of something that could be meant in the same place. The alias would hide it, and readers could not tell which of the two is meant.',
    source: kiln`
      ${POST_TITLE_COMMENTS}

      ${COMMENT_POST_BODY}

      api {
        entrypoint Post as entry {
          entrypoint comments as entry {
            list endpoint {}
          }
        }
      }
    `,
    fix: [['comments as entry', 'comments as comment']],
  },

  'selected-twice': {
    text: 'A response is an object, and a property can be in it once. Leave one of them out, or give it another name, as in `headline: title`.',
    source: kiln`
      model Post {
        field title { type string }
        field slug { type string, unique }
      }

      ${api('Post', 'response { title, slug, title }', 'list endpoint {}')}
    `,
    fix: [['slug, title', 'slug']],
  },
} satisfies Record<keyof typeof nameWords, Explanation>;
