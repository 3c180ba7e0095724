import type { expressionWords } from '../catalogue/expressions.ts';
import { AUTHOR_EMAIL, AUTHOR_NAME, POST_TITLE, USER_EMAIL, USER_EMAIL_PASSWORD } from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

const HUGE = `1${'0'.repeat(309)}.0`;

/** Expressions, types and literals. */
export const expressionExplanations = {
  'wrong-type': {
    text: 'A value has another type than the one that is needed. Kiln converts a value only if nothing can be lost, such as an integer into a decimal. Everything else you convert yourself. `true` and `5` are written without quotes.',
    source: kiln`
      model Post {
        field published { type boolean, default "no" }
      }
    `,
    fix: [['"no"', 'false']],
  },

  'may-be-null': {
    text: 'This value can be null, but it is used where null is not allowed, so some requests would fail. Allow null there, or give another value with `coalesce`.',
    source: kiln`
      model Post {
        field subtitle { type string, default null }
      }
    `,
    fix: [['type string,', 'type string, nullable,']],
  },

  'list-of-lists': {
    text: 'The items of a list are single values: `["a", "b"]`. A list of lists has no type in Kiln and no column in the database. What has such a form goes into a field of type `json`.',
    source: kiln`
      model Post {
        field tags { type [string], default [["new"]] }
      }
    `,
    fix: [['[["new"]]', '["new"]']],
  },

  'null-item': {
    text: 'A list can be `nullable` as a whole, but its items are never null. An item that is missing is left out of the list.',
    source: kiln`
      model Post {
        field tags { type [string], default ["new", null] }
      }
    `,
    fix: [[', null', '']],
  },

  'not-a-condition': {
    text: 'A filter, an `authorize` and the operands of `and`, `or` and `not` must be true or false. There is no “truthy” in Kiln: compare a text or a number with another value.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { filter { title } }')),
    fix: [['{ title }', '{ title is not "" }']],
  },

  'cannot-compare': {
    text: 'Values of these two types are never equal, or have no common order, so the result would always be the same. Most often a number is in quotes, or a record is compared with an id.',
    source: kiln`
      model Product {
        field price { type integer, index }
      }

      ${api('Product', 'list endpoint { filter { price is "10" } }')}
    `,
    fix: [['"10"', '10']],
  },

  'not-a-collection': {
    text: '`in` tests whether a value is one of several: those of a list in `[ ]`, or the records of a relation. A text is one value: put it into a list, or compare with `is`.',
    source: kiln`
      model Post {
        field topic { type string, index }
      }

      ${api('Post', 'list endpoint { filter { topic in "news" } }')}
    `,
    fix: [['"news"', '["news", "sports"]']],
  },

  'bad-operands': {
    text: 'This operator has no meaning for these two types. Arithmetic is for numbers of one kind; a decimal and a float are not mixed, because the result would be exact in appearance only.',
    source: kiln`
      model Post {
        field published { type boolean }
        field views { type integer }
        computed score { views * published }
      }
    `,
    fix: [['views * published', 'views * 2']],
  },

  'stray-duration': {
    text: 'A duration such as `days(3)` is not a value itself. Use it only with `+` or `-`, with a date or a timestamp on the other side. It cannot be stored, returned or compared. Durations cannot be added to each other: add them to the date or the timestamp one after the other.',
    source: kiln`
      model Loan {
        field made_at { type timestamp }
        computed due_at { made_at + (weeks(2) + days(3)) }
      }
    `,
    fix: [['(weeks(2) + days(3))', 'weeks(2) + days(3)']],
  },

  'moved-value': {
    text: 'A duration moves a date or a timestamp. Nothing else can be on the other side of it.',
    source: kiln`
      model Loan {
        field made_at { type timestamp }
        field pages { type integer }
        computed due_at { pages + days(3) }
      }
    `,
    fix: [['pages + days(3)', 'made_at + days(3)']],
  },

  'time-on-date': {
    text: 'A date is a day without a time. It is moved by days, weeks, months and years; hours, minutes and seconds move a timestamp.',
    source: kiln`
      model Loan {
        field made_on { type date }
        computed due_on { made_on + hours(48) }
      }
    `,
    fix: [['hours(48)', 'days(2)']],
  },

  'unknown-period': {
    text: '`startOf` gives the beginning of a day, a week, a month or a year, in UTC. The period is a text in quotes, so that the compiler knows it.',
    source: kiln`
      model Loan {
        field made_at { type timestamp }
        computed month { startOf("months", made_at) }
      }
    `,
    fix: [['"months"', '"month"']],
  },

  'bad-operand': {
    text: 'A sign before a value takes a number, and `not` takes a condition. This is something else.',
    source: kiln`
      model Invoice {
        field number { type string }
        field amount { type decimal }
        computed refund { -number }
      }
    `,
    fix: [['-number', '-amount']],
  },

  'cannot-join': {
    text: '`+` joins texts, and turns numbers, dates and the like into text on the way. A record, a collection or json has no obvious text, so name the part of it that you mean.',
    source: kiln`
      ${AUTHOR_NAME}

      model Post {
        reference author { to Author }
        computed byline { "by " + author }
      }
    `,
    fix: [['+ author', '+ author.name']],
  },

  'mixed-list': {
    text: 'The values of a list are of one type, because they are compared with one value. Here a number and a text are mixed.',
    source: kiln`
      model Post {
        field views { type integer, index }
      }

      ${api('Post', 'list endpoint { filter { views in [1, "2", 3] } }')}
    `,
    fix: [['"2"', '2']],
  },

  'mixed-arguments': {
    text: 'The result of this function is one of its arguments, so all of them must have the same type; otherwise the type of the result is not known. `coalesce(views, 0)` gives a number; to get a text, turn the number into one first.',
    source: kiln`
      model Post {
        field views { type integer, nullable }
        computed shown_views { coalesce(views, "none") }
      }
    `,
    fix: [['"none"', '0']],
  },

  'no-members': {
    text: 'A `.` leads from a record to its members, and from an object or a `json` value to what is in it. Other values, such as texts and numbers, have no members: use a function, as in `length(title)`.',
    source: kiln`
      model Post {
        field title { type string }
        computed size { title.length }
      }
    `,
    fix: [['title.length', 'length(title)']],
  },

  'unknown-key': {
    text: 'The members of this object are known, because it is the result of a grouped query or of a hook with `returns`. This name is none of them.',
    source: declarations(
      POST_TITLE,
      api(
        'Post',
        'GET many "titles" { action { query as rows { from Post, group by { title } }, respond { body rows.titel } } }',
      ),
    ),
    fix: [['rows.titel', 'rows.title']],
  },

  'duplicate-key': {
    text: 'An object has one value for each name. JSON would keep only the last of the two.',
    source: declarations(
      POST_TITLE,
      api('Post as post', 'GET one "short" { action { respond { body { title: post.title, title: post.id } } } }'),
    ),
    fix: [['title: post.id', 'id: post.id']],
  },

  'object-not-here': {
    text: 'An object `{ name: value }` is made by the server: in `respond`, `set`, the arguments of actions’ hooks and other code positions. A response or a filter runs in the database. There, select members of a record with `name { … }`, and write each value under a name of its own.',
    source: declarations(
      POST_TITLE,
      api('Post as post', 'response { of: { id: id, title: title } }', 'get endpoint {}'),
    ),
    fix: [['of: { id: id, title: title }', 'id, title']],
  },

  'wrong-argument': {
    text: 'The function exists, but takes a value of another type in this place. Functions do not convert what they are given: the length of a number, say, could mean its digits or its size. The message names the type that is wanted.',
    source: kiln`
      model Post {
        field title { type string }
        field views { type integer }
        computed size { length(views) }
      }
    `,
    fix: [['length(views)', 'length(title)']],
  },

  'wrong-argument-count': {
    text: 'The function is given more or fewer values than it takes. The message says how many it wants.',
    source: kiln`
      model Post {
        field title { type string }
        computed slug { lower(title, "en") }
      }
    `,
    fix: [[', "en"', '']],
  },

  'code-only-function': {
    text: 'Computed members, filters and orders are computed by the database, for many records at once. This function runs in the server and cannot be used there. Use it where a value is set.',
    source: kiln`
      model User {
        field email { type string, unique }
        computed avatar { cryptoHash(email) }
      }
    `,
    fix: [['cryptoHash(email)', 'lower(email)']],
  },

  'hook-not-here': {
    text: 'A hook is code of yours that runs in the server for one record at a time. What the database computes for all records, such as a filter, cannot use it.',
    source: declarations(
      POST_TITLE,
      api('Post', 'list endpoint { filter { hook { arg title title, inline "title.length > 3" } } }'),
    ),
    fix: [['hook { arg title title, inline "title.length > 3" }', 'length(title) > 3']],
  },

  'hook-in-expression': {
    text: 'The value of a hook is known only after its code has run, which happens last, for the records that are shown. An expression that decides which records these are cannot use it.',
    source: kiln`
      model Product {
        field price { type integer }
        hook discount { arg price price, inline "price / 10" }
      }

      ${api('Product', 'list endpoint { filter { discount > 5 } }')}
    `,
    fix: [['discount > 5', 'price > 50']],
  },

  'faker-not-here': {
    text: 'faker makes up values for a populator, which fills a database for development and tests. Real records get their values from clients and defaults.',
    source: kiln`
      model Author {
        field name { type string, default faker.person.fullName() }
      }
    `,
    fix: [['faker.person.fullName()', '"Anonymous"']],
  },

  'secret-read': {
    text: 'A field that is `secret` can be written, and compared where a password is checked, but it is never read: not in a response, and not in a filter or an order, because clients could guess its value from them. Kiln rejects it in the sources, so that no endpoint reveals it by mistake.',
    source: declarations(USER_EMAIL_PASSWORD, api('User', 'response { email, password_hash }', 'list endpoint {}')),
    fix: [['email, password_hash }', 'email }']],
  },

  'bad-iterator': {
    text: 'The name of a `repeat` is not a number itself: it has `current`, the count so far, and `total`, how many there will be. Write `i.current` where you want to count.',
    source: kiln`
      ${AUTHOR_EMAIL}

      populator Dev {
        populate Author {
          repeat as i 20
          set email "author" + i + "@example.com"
        }
      }
    `,
    fix: [['+ i +', '+ i.current +']],
  },

  'bad-literal': {
    text: 'A date, a timestamp or a uuid is written as a text of one form: `"2026-03-29"`, `"2026-03-29T12:00:00Z"`. Other formats are read differently in different countries, so Kiln accepts none of them.',
    source: kiln`
      model Event {
        field day { type date, default "29.03.2026" }
      }
    `,
    fix: [['29.03.2026', '2026-03-29']],
  },

  'unstorable-text': {
    text: 'Postgres cannot store a text that has the character U+0000 or one half of a surrogate pair, such as `\\uD83D` alone, in it. Kiln says so here, before a request fails.',
    source: kiln`
      model Post {
        field title { type string, default "a\u0000b" }
      }
    `,
    fix: [['a\\u0000b', 'ab']],
  },

  'number-too-large': {
    text: 'A `float` holds numbers up to about 10 to the power of 308, and a `decimal` has a limit too. This number is larger.',
    source: kiln`
      model Star {
        field mass { type float, default ${HUGE} }
      }
    `,
    fix: [[HUGE, '1000.0']],
  },

  'integer-too-large': {
    text: 'JSON has one kind of number, and beyond 9007199254740991 it is no longer exact in JavaScript. An `integer` of Kiln stays within that, so that clients read the number that was stored.',
    source: kiln`
      model Counter {
        field value { type integer, default 9223372036854775807 }
      }
    `,
    fix: [['9223372036854775807', '9007199254740991']],
  },

  'bad-escape': {
    text: 'In a text, `\\` begins an escape such as `\\n` or `\\"`, and there is no escape of this letter. In a pattern, write the backslash twice, or the whole pattern between `"""`.',
    source: kiln`
      model Post {
        field slug { type string, validate { pattern("^[a-z]+\d*$") } }
      }
    `,
    fix: [['\\d', '\\\\d']],
  },

  'division-by-zero': {
    text: 'A division by zero is an error, so every request that reads this value would fail. If the divisor is a field, it may be zero in some records, which the compiler cannot know. Prevent that with a validator such as `min(1)` on the field.',
    source: kiln`
      model Order {
        field total { type decimal }
        computed share { total / 0 }
      }
    `,
    fix: [['/ 0', '/ 2']],
  },

  'auth-not-declared': {
    text: '`@auth` is the record of the caller. Declare `auth` to say which model these records belong to, and how callers sign in.',
    source: kiln`
      ${USER_EMAIL}

      model Post {
        reference author { to User }
      }

      ${api('Post as post', 'delete endpoint { authorize { post.author is @auth } }')}
    `,
    fix: [['api {', 'auth { model User }\n\napi {']],
  },
} satisfies Record<keyof typeof expressionWords, Explanation>;
