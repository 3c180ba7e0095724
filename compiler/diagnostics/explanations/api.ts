import type { apiWords } from '../catalogue/api.ts';
import {
  AUTHOR_EMAIL,
  AUTHOR_NAME,
  POST_AUTHOR,
  POST_PUBLISHED,
  POST_TITLE,
  POST_TITLE_COMMENTS,
  POST_TITLE_PUBLISHED,
  USER_EMAIL,
  USER_EMAIL_PASSWORD,
} from './example-models.ts';
import { api, declarations, type Explanation, kiln } from './explanation.ts';

/** Entrypoints, endpoints, routes and authentication. */
export const apiExplanations = {
  'not-a-resource': {
    text: 'A nested entrypoint adds a reference or a relation of the outer record to the URL: `/api/post/7/comments`. The model has no reference or relation of this name.',
    source: kiln`
      ${POST_TITLE_COMMENTS}

      model Comment {
        reference post { to Post }
      }

      api {
        entrypoint Post {
          entrypoint coments {
            list endpoint {}
          }
        }
      }
    `,
    fix: [['coments', 'comments']],
  },

  'identify-on-single': {
    text: '`identify` says which field identifies a record in the URL. A reference leads to one record at most, so nothing has to be identified.',
    source: kiln`
      ${AUTHOR_EMAIL}

      ${POST_AUTHOR}

      api {
        entrypoint Post {
          entrypoint author {
            identify { through email }
            get endpoint {}
          }
        }
      }
    `,
    fix: [['      identify { through email }\n', '']],
  },

  'identify-without-path': {
    text: '`identify` says which field identifies a record in the URL. Name that field with `through`. Without an `identify`, records are identified by their `id`.',
    source: kiln`
      model Post {
        field slug { type string, unique }
      }

      ${api('Post', 'identify {}', 'get endpoint {}')}
    `,
    fix: [['identify {}', 'identify { through slug }']],
  },

  'identify-through-field': {
    text: 'The path of an `identify` goes through references and ends with a field. This path continues after a field, but a field has no members.',
    source: kiln`
      model Post {
        field slug { type string, unique }
      }

      ${api('Post', 'identify { through slug.value }', 'get endpoint {}')}
    `,
    fix: [['slug.value', 'slug']],
  },

  'identify-not-a-field': {
    text: 'The URL contains a value, so a record is identified by a field. A reference leads to a record: add one of its unique fields to the path.',
    source: kiln`
      model Author {
        field handle { type string, unique }
      }

      model Profile {
        reference author { to Author, unique }
      }

      ${api('Profile', 'identify { through author }', 'get endpoint {}')}
    `,
    fix: [['through author', 'through author.handle']],
  },

  'identify-not-unique': {
    text: 'If several records had the value in the URL, it would not be clear which one is meant. So the field must be unique, or unique within the outer entrypoint.',
    source: kiln`
      model Post {
        field slug { type string }
      }

      ${api('Post', 'identify { through slug }', 'get endpoint {}')}
    `,
    fix: [['type string }', 'type string, unique }']],
  },

  'path-of-several': {
    text: 'The path of an entrypoint is one segment of the URL, so a `/` in it is encoded as `%2F`. That is probably not what you want. For several segments, nest entrypoints.',
    source: kiln`
      model Book {
        field isbn { type string, unique }
      }

      ${api('Book as book', 'path "library/books"', 'list endpoint {}')}
    `,
    fix: [['library/books', 'books']],
  },

  'empty-path': {
    text: 'A path is a segment of the URL, and this one is empty. Write one segment, such as `publish`.',
    source: declarations(POST_TITLE, api('Post', 'path "/"', 'list endpoint {}')),
    fix: [['"/"', '"posts"']],
  },

  'idle-entrypoint': {
    text: 'An entrypoint without endpoints answers no request. This is a warning: it does no harm, but it is probably a mistake.',
    source: declarations(POST_TITLE, api('Post', 'response { title }')),
    fix: [['response { title }', 'response { title }\n    list endpoint {}']],
  },

  'endpoint-twice': {
    text: 'An entrypoint has one endpoint of each kind, because each kind is one method at one URL. For a second list, write a custom endpoint with its own path, or add an input to the first.',
    source: declarations(
      POST_PUBLISHED,
      api('Post', 'list endpoint { filter { published is true } }', 'list endpoint { filter { published is false } }'),
    ),
    fix: [['    list endpoint { filter { published is false } }\n', '']],
  },

  'same-route': {
    text: 'Two endpoints have the same method and URL, so only one of them could be reached. Give one of the entrypoints another `path`, or join the two.',
    source: kiln`
      ${POST_TITLE_PUBLISHED}

      api {
        entrypoint Post as post {
          list endpoint {}
        }

        entrypoint Post as post {
          list endpoint { filter { published is false } }
        }
      }
    `,
    fix: [['list endpoint { filter', 'path "drafts"\n    list endpoint { filter']],
  },

  'property-not-here': {
    text: 'Each kind of endpoint has its own properties. A `filter` selects among many records. A get is about one record: write in `authorize` who may see it.',
    source: declarations(POST_PUBLISHED, api('Post as post', 'get endpoint { filter { published is true } }')),
    fix: [['filter { published is true }', 'authorize { post.published is true }']],
  },

  'alias-not-here': {
    text: 'A create can name the record that it makes. A get, an update or a delete is about an existing record. Its name is the alias of the entrypoint.',
    source: declarations(POST_TITLE, api('Post', 'get endpoint as post {}')),
    fix: [
      ['entrypoint Post {', 'entrypoint Post as post {'],
      ['endpoint as post', 'endpoint'],
    ],
  },

  'many-on-single': {
    text: 'A reference leads to one record at most, so there is nothing to list. Read it with a `get endpoint`.',
    source: kiln`
      ${AUTHOR_NAME}

      ${POST_AUTHOR}

      api {
        entrypoint Post {
          entrypoint author {
            list endpoint {}
          }
        }
      }
    `,
    fix: [['list endpoint', 'get endpoint']],
  },

  'caller-endpoint': {
    text: '`entrypoint @auth` is about one record: that of the caller. It can be read, changed and deleted. Lists and creates are about all the records of the model, so they are in an entrypoint of the model; accounts with a password are made by `register`.',
    source: declarations(USER_EMAIL, 'auth { model User }', api('@auth as me', 'get endpoint {}', 'list endpoint {}')),
    fix: [['    list endpoint {}\n', '']],
  },

  'nested-caller': {
    text: 'The caller does not depend on another record, so `entrypoint @auth` is at the top level of an api. What belongs to the caller is nested in it, by the relations and references of its model.',
    source: declarations(
      POST_TITLE,
      USER_EMAIL,
      'auth { model User }',
      api('Post as post', 'get endpoint {}', 'entrypoint @auth as me { get endpoint {} }'),
    ),
    fix: [
      ['\n    entrypoint @auth as me { get endpoint {} }\n  }', '\n  }\n  entrypoint @auth as me { get endpoint {} }'],
    ],
  },

  'required-single': {
    text: 'A required reference always has a record. That record cannot be created, because it already exists, and it cannot be deleted, because it is required. With a nullable reference, both are possible.',
    source: kiln`
      ${AUTHOR_NAME}

      ${POST_AUTHOR}

      api {
        entrypoint Post {
          entrypoint author {
            create endpoint {}
          }
        }
      }
    `,
    fix: [['to Author }', 'to Author, nullable }']],
  },

  'update-method': {
    text: 'An update changes an existing record, so its method is `PATCH`, or `PUT` if clients expect that. For another method write a custom endpoint: `POST one "publish"`.',
    source: declarations(POST_TITLE, api('Post', 'update endpoint { method POST }')),
    fix: [['method POST', 'method PUT']],
  },

  'incomplete-custom': {
    text: 'A custom endpoint needs a method, and a cardinality: one record or many. The short form has both and the path: `POST one "publish"`.',
    source: declarations(
      POST_PUBLISHED,
      api('Post as post', 'custom endpoint { path "publish", action { update post { set published true } } }'),
    ),
    fix: [['custom endpoint { path "publish", action', 'POST one "publish" { action']],
  },

  'response-without-record': {
    text: 'A `response` picks members of the record that the endpoint is about. A custom endpoint over many has no such record: it responds with a `respond` in its action. Only a `GET many` without actions has a `response`, because it lists records.',
    source: declarations(POST_TITLE_PUBLISHED, api('Post', 'POST many "drafts" { response { title } }')),
    fix: [
      [
        '{ response { title } }',
        '{\n      action {\n        query as drafts { from Post, filter { published is false }, select { title } }\n        respond { body drafts }\n      }\n    }',
      ],
    ],
  },

  'bad-page-size': {
    text: '`pageSize` is how many records a page has unless the client asks for more or fewer, and `max` is the most that it may ask for. So the first is at least 1 and at most the second.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { paginable { pageSize 200, max 100 } }')),
    fix: [['pageSize 200', 'pageSize 50']],
  },

  'bad-list-limit': {
    text: '`limit` is how many records a list answers at most; an answer that was cut off says so in the header `kiln-list-truncated`. A list is held in memory while it is sent, so it has at most 100,000 records. `paginable` is the way to more.',
    source: kiln`
      model Country {
        field name { type string }
      }

      ${api('Country', 'list endpoint { limit 1000000 }')}
    `,
    fix: [['limit 1000000', 'limit 300']],
  },

  'limit-beside-pages': {
    text: 'A list responds with an array or with pages. `limit` is the longest array, and `max` of `paginable` is the longest page. A list with pages does not use `limit`.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { paginable, limit 50 }')),
    fix: [['paginable, limit 50', 'paginable { max 50 }']],
  },

  'empty-list-fields': {
    text: 'A `sortable` names the fields that clients may sort by, a `filterable` those that they may filter by, and a `searchable` those that are searched. Without fields the property has no effect, so leave it out.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { sortable {} }')),
    fix: [['sortable {}', 'sortable { id }']],
  },

  'list-field-path': {
    text: 'Clients sort and filter by fields that have one value in each record of the list. So a path to a field goes through references, and through relations with one record at most. To sort by a value of many records, use `order by` with a computed member such as `count(comments)`.',
    source: kiln`
      model Post {
        field title { type string, index }
        relation comments { from Comment, through post }
      }

      model Comment {
        reference post { to Post }
        field text { type string }
      }

      ${api('Post', 'list endpoint { sortable { title, comments.text } }')}
    `,
    fix: [['title, comments.text', 'title']],
  },

  'not-a-list-field': {
    text: 'Clients sort and filter by fields: by those of the listed records, and by those of the records that they refer to. Members that are computed for each response have no index. Use them in `order by` and `filter`.',
    source: kiln`
      model Author {
        field name { type string }
      }

      model Post {
        field title { type string, index }
        reference author { to Author }
      }

      ${api('Post', 'list endpoint { sortable { title, author } }')}
    `,
    fix: [['title, author', 'title, author.name']],
  },

  'not-filterable': {
    text: 'A filter compares the value of a field with a text from the URL. Values of type json have no such text.',
    source: kiln`
      model Event {
        field kind { type string, index }
        field data { type json }
      }

      ${api('Event', 'list endpoint { filterable { kind, data } }')}
    `,
    fix: [['kind, data', 'kind']],
  },

  'not-searchable': {
    text: '`searchable` is a full-text search: it looks for words in texts. Numbers, dates and the like are for `filterable`.',
    source: kiln`
      model Post {
        field title { type string }
        field year { type integer }
      }

      ${api('Post', 'list endpoint { searchable { title, year } }')}
    `,
    fix: [['title, year', 'title']],
  },

  'search-of-others': {
    text: 'A search uses one index over all its fields, and an index covers the columns of one table. So all fields must belong to the listed model.',
    source: kiln`
      model Author {
        field name { type string }
      }

      model Post {
        field title { type string }
        reference author { to Author }
      }

      ${api('Post', 'list endpoint { searchable { title, author.name } }')}
    `,
    fix: [['title, author.name', 'title']],
  },

  'filter-name-taken': {
    text: 'A filter is a query parameter with the name of its field. `page`, `pageSize`, `after`, `sort` and `q` are query parameters too, so in a list that has one of them, a field of that name cannot be filterable.',
    source: kiln`
      model Scan {
        field page { type integer, index }
      }

      ${api('Scan', 'list endpoint { filterable { page }, paginable }')}
    `,
    fix: [
      ['field page { type integer, index }', 'field page_number { type integer, index, was page }'],
      ['filterable { page }', 'filterable { page_number }'],
    ],
  },

  'list-field-without-index': {
    text: 'Clients choose the fields of `sortable` and `filterable` in the URL. Without an index, Postgres reads every record for such a request. Fields with `unique` or `index`, references, and the first field of `unique { … }` and `index { … }` have an index.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { sortable { title } }')),
    fix: [['type string', 'type string, index']],
  },

  'filter-without-index': {
    text: 'The filter of this list compares a field with a value or with a list of values, or a date or timestamp with a moment, and none of the compared fields has an index. So Postgres searches all records for each request. Fields with `unique` or `index`, references, and the first field of `unique { … }` and `index { … }` have an index; one of them in the filter is enough. Only certain cases are reported, for example no filters over a boolean, an enum, `null` or a range of numbers alone; `kiln check --plans` asks Postgres about the rest.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { filter { title is "News" } }')),
    fix: [['type string', 'type string, index']],
  },

  'order-without-index': {
    text: 'The pages of this list are parts of all records in one order. Without an index over the first field of the order, Postgres reads and sorts every record for each page. With an index it reads the records in order and stops at the end of the page. Lists with a filter, lists of one parent and orders over a boolean, an enum or a calculated value are not reported here; `kiln check --plans` asks Postgres about them.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { order by { title }, paginable }')),
    fix: [['type string', 'type string, index']],
  },

  'total-beside-cursor': {
    text: 'A page by cursor says only how many records it may have and where the next one begins: `{ pageSize, next, data }`. Nothing is counted, so there is no total to turn off or to estimate.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { paginable { by cursor, total off } }')),
    fix: [['by cursor, total off', 'by cursor']],
  },

  'hidden-order': {
    text: 'The cursor of a page contains the values by which its last record is ordered, and its `id`. It is encoded, not encrypted: a client can read them. So a list that is paged by cursor is ordered only by values that its `response` shows, by what is calculated from them, and by `id`. Pages by number have no cursor and no such rule.',
    source: kiln`
      model Post {
        field title { type string }
        field score { type integer, index }
      }

      ${api('Post', 'list endpoint { response { title }, order by { score desc }, paginable { by cursor } }')}
    `,
    fix: [['response { title }', 'response { title, score }']],
  },

  'input-twice': {
    text: 'The inputs of an endpoint are properties of one body, or parameters of one URL, so each name can be used once. Inputs of the record, extra inputs and `page` all count.',
    source: declarations(
      POST_TITLE,
      api('Post', 'create endpoint { extra inputs { field title { type string, validate { maxLength(80) } } } }'),
    ),
    fix: [['inputs { field title', 'inputs { field teaser']],
  },

  'inputs-without-body': {
    text: 'A GET or DELETE request has no body, but the fields of a record are sent in the body. Use another method, or set the values yourself.',
    source: kiln`
      ${POST_TITLE}

      model Note {
        field text { type string }
      }

      ${api('Post as post', 'GET one "remember" { action { create Note as note {} } }')}
    `,
    fix: [['GET one', 'POST one']],
  },

  'json-in-query': {
    text: 'The inputs of a GET request are plain values in its URL. A json value can have any structure and size, so it cannot be sent in a URL.',
    source: declarations(POST_TITLE, api('Post', 'list endpoint { extra inputs { field options { type json } } }')),
    fix: [['type json', 'type string, validate { minLength(1) }']],
  },

  'auth-without-model': {
    text: '`@auth` is a record, and `auth` must name its model. Members such as `@auth.role` are members of that model.',
    source: declarations(USER_EMAIL_PASSWORD, 'auth { login email, password password_hash }'),
    fix: [['auth { login', 'auth { model User, login']],
  },

  'half-a-login': {
    text: 'To sign in, a user sends a name and a password, so `login` and `password` must be used together. Leave out both if another service issues the tokens.',
    source: declarations(USER_EMAIL_PASSWORD, 'auth { model User, login email }'),
    fix: [['login email }', 'login email, password password_hash }']],
  },

  'wrong-login-type': {
    text: 'What a user types to sign in is a text, and so is the hash of a password. A field of another type could not be compared with it.',
    source: kiln`
      model User {
        field number { type integer, unique }
        field password_hash { type string, secret }
      }

      auth { model User, login number, password password_hash }
    `,
    fix: [['type integer', 'type string']],
  },

  'nullable-login': {
    text: 'A user without a login or a password could never sign in, so neither may be null. Remove `nullable`; users who sign in elsewhere are found by a `subject`.',
    source: kiln`
      model User {
        field email { type string, unique, nullable }
        field password_hash { type string, secret }
      }

      auth { model User, login email, password password_hash }
    `,
    fix: [[', nullable', '']],
  },

  'login-not-unique': {
    text: 'If two users had the same login, it would not be clear who is signing in. So the field must be `unique`.',
    source: kiln`
      model User {
        field email { type string }
        field password_hash { type string, secret }
      }

      auth { model User, login email, password password_hash }
    `,
    fix: [['email { type string }', 'email { type string, unique }']],
  },

  'password-not-secret': {
    text: 'The field that keeps the hashes of passwords must be `secret`, so that no answer can ever contain one. Somebody who has a hash can test many passwords against it.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password_hash { type string }
      }

      auth { model User, login email, password password_hash }
    `,
    fix: [['hash { type string }', 'hash { type string, secret }']],
  },

  'password-as-input': {
    text: 'What a client sends for this field is stored unchanged. So the password itself would be stored instead of its hash, and nobody could sign in with it. Take the password as an extra input, and set the field to `cryptoHash` of it.',
    source: kiln`
      model Member {
        field email { type string, unique }
        field password_hash { type string, secret }
      }

      auth { model Member, login email, password password_hash }

      ${api('Member as member', 'update endpoint { authorize { member is @auth } }')}
    `,
    fix: [['authorize { member is @auth }', 'authorize { member is @auth }, action { update { input { email } } }']],
  },

  'register-without-login': {
    text: '`register` says what `POST /api/auth/register` takes. Only accounts with a login and a password have that route.',
    source: declarations(USER_EMAIL, 'auth { model User, register off }'),
    fix: [[', register off', '']],
  },

  'register-input': {
    text: 'Registering always takes a `password` and keeps its hash; a client that sent the hash itself would choose it. The `subject` is set by whoever checks the token of the provider: a client that could choose it would take over the account behind that token.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password_hash { type string, secret }
        field provider_id { type string, unique, nullable }
      }

      auth {
        model User, login email, password password_hash, subject provider_id
        register { input { provider_id } }
      }
    `,
    fix: [['\n  register { input { provider_id } }', '']],
  },

  'register-lacks-field': {
    text: 'A record of the `auth` model needs a value for this field, and registering may not take it from the client. So no account could be made.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password_hash { type string, secret }
        field role { type string, internal }
      }

      auth { model User, login email, password password_hash }
    `,
    fix: [['type string, internal', 'type string, internal, default "member"']],
  },

  'self-granted': {
    text: 'A rule decides by this field of the caller what they may do, and clients can set the field: by registering, at an endpoint that lets everybody in, or at an endpoint for their own record. So anybody could grant themselves what the rule protects. A rule reads the caller also by another name, such as `user.role` where `user is @auth`, or from the side of a record: `@auth in team.users` decides by the team of a user. Mark the field `internal`: then only a `set` or an `input` that names it can change it. An endpoint whose `authorize` asks for more than who the caller is, such as `@auth.role is "admin"`, may take it.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password_hash { type string, secret }
        field is_admin { type boolean, default false }
      }

      ${POST_TITLE}

      auth {
        model User, login email, password password_hash
        register { input { is_admin } }
      }

      ${api('Post', 'authorize { @auth.is_admin }', 'create endpoint {}')}
    `,
    fix: [['\n  register { input { is_admin } }', '']],
  },

  'unused-input': {
    text: 'The endpoint takes a value from clients and does not use it: no filter, `set`, `respond` or other expression reads it, it has no `validate`, and no hook reads it. Clients that send it expect it to have an effect.',
    source: kiln`
      model Post {
        field title { type string }
      }

      ${api('Post', 'list endpoint { extra inputs { field part { type string }, field words { type string } }, filter { contains(title, part) } }')}
    `,
    fix: [[', field words { type string }', '']],
  },

  'open-write': {
    text: 'The program has `auth`, but this endpoint changes data for everybody, signed in or not. That is rarely meant. Add an `authorize`, or say that it is meant with `authorize { true }`. This is a warning.',
    source: declarations(USER_EMAIL, POST_TITLE, 'auth { model User }', api('Post', 'create endpoint {}')),
    fix: [['create endpoint {}', 'create endpoint { authorize { @auth is not null } }']],
  },

  'foreign-record': {
    text: 'The client says which user it is, by an input or by the path of the request, and nothing checks it: a post could be written in the name of somebody else. Set the reference from `@auth`, check the input with a `validate`, or compare the record of the path in the `authorize`: `user is @auth`. The same holds for a field that an `authorize` compares with the caller, such as `note.team is @auth.team`; an endpoint whose `authorize` asks for more than who the caller is may take it, and the owner of a record may name others below it. A response of a write that shows a record which rules keep from the caller is the same warning: leave it out of the response, or check the input. This is a warning.',
    source: kiln`
      ${USER_EMAIL}

      model Post {
        reference author { to User }
        field title { type string }
      }

      auth { model User }

      ${api('Post', 'authorize { @auth is not null }', 'create endpoint {}')}
    `,
    fix: [['create endpoint {}', 'create endpoint { action { create { set author @auth } } }']],
  },

  'foreign-change': {
    text: 'The `authorize` asks only whether somebody is signed in, and the endpoint changes or deletes the record of any user: whoever has an account could take over those of others. Compare the record with the caller, or ask for more than who the caller is, such as `@auth.role is "admin"`. An update that lists its inputs is the decision of the author, except for passwords, logins and what rules read. `create … or update` changes whatever record has the key: where records have an owner, set a part of the key to `@auth`. This is a warning.',
    source: declarations(
      USER_EMAIL,
      'auth { model User }',
      api('User as user', 'update endpoint { authorize { @auth is not null } }'),
    ),
    fix: [['@auth is not null', 'user is @auth']],
  },

  'whole-caller': {
    text: 'The hook is given the whole record of the caller, so it may decide by any field of it, and clients set some of these fields of their own record. A hook that decides by one of them would let clients grant themselves what it protects. Pass the fields that the hook needs: then Kiln can check them. This is a warning.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password_hash { type string, secret, internal }
        field nickname { type string, nullable }
      }

      ${POST_TITLE}

      auth {
        model User, login email, password password_hash
        register { input { nickname } }
      }

      api {
        entrypoint Post as post {
          delete endpoint {
            authorize { hook { arg caller @auth, source mayDelete from "access" } }
          }
        }
      }
    `,
    files: { 'hooks/access.ts': 'export function mayDelete() {}\n' },
    fix: [['arg caller @auth', 'arg caller @auth.id']],
  },

  'true-when-signed-out': {
    text: 'When nobody is signed in, `@auth` and all that is read from it is null. Null is not true and is not equal to any value, so `not @auth.banned` and `@auth.role is not "guest"` are true; a count over null is 0, so `count(@auth.strikes) < 3` is true too. Write `@auth is not null and` before it. If everybody who is not signed in is meant too, write `@auth is null or`. This is a warning.',
    source: kiln`
      model User {
        field email { type string, unique }
        field banned { type boolean, default false, internal }
      }

      ${POST_TITLE}

      auth { model User }

      ${api('Post', 'authorize { not @auth.banned }', 'create endpoint {}')}
    `,
    fix: [['not @auth.banned', '@auth is not null and not @auth.banned']],
  },

  'null-is-null': {
    text: 'A rule compares a value of a record with one of the caller, both may be null, and `is` treats two nulls as equal. So whoever has no team gets all records that have none. Write that the value of the caller is not null before it. This is a warning.',
    source: kiln`
      model Team {
        field name { type string }
      }

      model User {
        field email { type string, unique }
        reference team { to Team, nullable, internal }
      }

      model Doc {
        reference team { to Team, nullable }
        field text { type string }
      }

      auth { model User }

      ${api('Doc as doc', 'get endpoint { authorize { doc.team is @auth.team } }')}
    `,
    fix: [['doc.team is', '@auth.team is not null and doc.team is']],
  },

  'secret-unique': {
    text: 'A unique value that already exists is rejected. So a client that may send a secret field could try values and find out which of them others have. Generate the value in the server, as with `cryptoToken()`, or remove `unique`.',
    source: kiln`
      model Device {
        field name { type string }
        field key { type string, secret, unique }
      }

      ${api('Device as device', 'create endpoint {}')}
    `,
    fix: [['create endpoint {}', 'create endpoint { action { create { set key cryptoToken() } } }']],
  },

  'password-taken': {
    text: 'A client that registers sends a `password`, and Kiln stores its hash. A member of that name would be a second input called `password`.',
    source: kiln`
      model User {
        field email { type string, unique }
        field password { type string, secret }
        field password_hash { type string, secret }
      }

      auth { model User, login email, password password_hash }
    `,
    fix: [['  field password { type string, secret }\n', '']],
  },

  'generator-property': {
    text: 'Each generator has its own properties: a client has a `target` and an `output`, the documentation of the API a `basePath`. This property belongs to the other kind.',
    source: kiln`
      generator client { target ts, output "client", basePath "/docs" }
    `,
    fix: [[', basePath "/docs"', '']],
  },

  'generator-without-output': {
    text: 'A client is written to a folder of the project, and the generator must name that folder. There is no default, because the folder is overwritten.',
    source: kiln`
      generator client { target ts }
    `,
    fix: [['target ts', 'target ts, output "client"']],
  },

  'unknown-target': {
    text: 'Clients are written in TypeScript (`ts`), or in JavaScript with types beside it (`js`). For other languages, generate one from `openapi.json`.',
    source: kiln`
      generator client { target python, output "client" }
    `,
    fix: [['python', 'ts']],
  },

  'bad-base-path': {
    text: 'The path of the documentation is a path of the server: it begins with `/` and names no host. Where the server is reached under another host or prefix, the path stays the same.',
    source: kiln`
      generator apidocs { basePath "docs" }
    `,
    fix: [['"docs"', '"/docs"']],
  },
} satisfies Record<keyof typeof apiWords, Explanation>;
