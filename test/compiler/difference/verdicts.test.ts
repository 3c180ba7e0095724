/**
 * What is said of a change to those who call the API, keep the data, answer for access and pay for the database: a row each.
 * `api/corpus.ts` has more of the API.
 */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { DataStep } from '../../../compiler/difference/difference.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { differenceBetween } from '../../../pipeline/difference/difference-between.ts';
import { NOWHERE } from '../../../pipeline/difference/subject-place.ts';
import { definitionOf } from '../emit-sql-database.ts';

const BASE = `
enum Mood { calm, loud }
validator slugLike { arg value { type string } assert { length(value) > 2 } error { code "not-a-slug", message "longer" } }
model User {
  field email { type string, unique }
  field hash { type string, secret }
  field role { type string, default "user", internal }
  relation posts { from Post, through owner }
}
auth { model User, login email, password hash, register off }
model Post {
  reference owner { to User, nullable, on delete set null }
  field slug { type string, unique, validate { slugLike() } }
  field title { type string, normalise { trim }, validate { minLength(3) and maxLength(80) } }
  field net { type integer, default 0, validate { min(0) } }
  field size { type integer, nullable, index }
  field mood { type Mood, default "calm" }
  field code { type string, nullable, unique }
  field note { type string, nullable }
  relation comments { from Comment, through post }
  computed total { net * 2 }
  computed double { total * 2 }
  computed spare { net + 1 }
  computed mine { owner is @auth }
  query recent { from comments as c, filter { c.shown is true }, order by { c.at desc }, limit 3 }
  query kin { from comments.post }
  hook mark { arg text title, inline "text.length", returns integer }
}
model Comment {
  reference post { to Post, on delete cascade }
  field body { type string }
  field shown { type boolean, default true }
  field at { type timestamp, default now() }
}
shape Card of Post { id, title, double }
setting LINK { default "/" }
setting SPARE {}
setting SHARE { type decimal(9, 2) }
rule own(written of Post) { written.owner is @auth }
api {
  entrypoint Post as entry {
    identify { through slug }
    only { entry.slug is not "hidden" }
    response Card
    list endpoint {
      filter { net >= 0 }
      order by { title }
      filterable { size }
      sortable { size }
      searchable { title }
      paginable { pageSize 10, max 50 }
    }
    get endpoint { response { link: setting(LINK), ...Card, mood, mark, comments { body }, recent { body }, kin { slug } } }
    create endpoint { authorize { @auth is not null } action { create { set owner @auth } } }
    update endpoint { authorize { entry.mine } }
    delete endpoint { authorize { entry.owner is @auth } }
    GET many "best" { filter { size > 5 }, order by { total desc }, limit 9 }
    POST one "rate" {
      headers { "x-slug" entry.slug }
      authorize { @auth is not null }
      extra inputs { field stars { type integer, validate { min(1) } }, field why { type string, default "" } }
      action { refuse "rated" when entry.net > 0 { status 423 } update entry { set net stars, set note why } }
    }
    PUT one "weigh" {
      authorize { @auth is not null }
      extra inputs {
        reference whom { to User }
        list parts { minItems 1, maxItems 9, reference of { to Post }, field weight { type integer, nullable, validate { max(5) } } }
      }
    }
    entrypoint comments as comment {
      list endpoint {}
      create endpoint { authorize { @auth is not null } }
    }
  }
}
populator Dev { populate Post { repeat 3, set slug "post", set title "A title" } }
`;

/** What takes the place of what, and all that is said, each once: nothing where nobody notices anything. */
type Row = readonly [change: string, from: string, to: string, ...said: readonly string[]];

const NEW_INPUT = 'compatible input-added-optional';
const INPUT_GONE = 'breaking input-removed';
const VALUE = 'breaking property-meaning-changed';
const ORDER = 'breaking list-order-changed';

const WORDS_ONLY: readonly Row[] = [
  ['nothing', 'model Post', 'model Post'],
  ['a comment', 'model Post {', '// About posts.\nmodel Post {'],
  ['a documentation', 'model Post {', '/// What somebody wrote.\nmodel Post {'],
  ['a condition the other way round', 'entry.owner is @auth', '@auth is entry.owner'],
  ['a condition with two negations', 'entry.owner is @auth', 'not (entry.owner is not @auth)'],
  ['a condition with a name', 'entry.owner is @auth', 'entry.mine'],
  ['a condition as a rule', 'entry.owner is @auth', 'own(entry)'],
  ['a condition without its name', 'entry.mine', 'entry.owner is @auth'],
  ['a formula in parentheses', 'net * 2', '(net * 2)'],
  ['a formula the other way round', 'net * 2', '2 * net'],
  ['a formula without its name', '{ total * 2 }', '{ net * 2 * 2 }'],
  ['an order that says its direction', 'order by { title }', 'order by { title asc }'],
  ['an order that says the id, which breaks ties anyway', 'order by { title }', 'order by { title, id }'],
  ['a rule that lets anyone in', 'filterable {', 'authorize { true } filterable {'],
  ['a shape that is written out', '...Card, mood', 'id, title, double, mood'],
  ['populated records', 'repeat 3', 'repeat 9'],
  ['a generator', 'populator Dev', 'generator client { target ts, output "client" } populator Dev'],
  ['another alias', 'comments as comment {', 'comments as remark {'],
];

const UNUSED: readonly Row[] = [
  ['a computed member that no response has', 'net + 1', 'net + 2'],
  ['a new computed member', 'computed spare', 'computed more { net + 3 } computed spare'],
  ['a new query', 'query recent', 'query all { from comments as c } query recent'],
  ['a new hook', 'hook mark', 'hook other { inline "1" } hook mark'],
  ['a new relation', 'relation comments', 'relation replies { from Comment, through post } relation comments'],
  [
    'a new validator',
    'validator slugLike',
    'validator odd { arg v { type integer } assert { v > 1 } error { code "odd" } } validator slugLike',
  ],
  ['a new shape', 'shape Card', 'shape Tile of Post { id } shape Card'],
  ['a new model', 'model Comment {', 'model Tag { field name { type string } } model Comment {', 'now'],
  ['a new internal field', 'field note', 'field rank { type integer, default 0, internal } field note', 'now'],
  ['a field that updates set', 'default now() }', 'default now(), on update now() }'],
  ['a new index', 'nullable }\n  relation', 'nullable, index }\n  relation', 'now'],
];

const FIELDS: readonly Row[] = [
  ['a new nullable field', 'field note', 'field rank { type integer, nullable } field note', NEW_INPUT, 'now'],
  ['a new field with a default', 'field note', 'field rank { type integer, default 1 } field note', NEW_INPUT, 'now'],
  [
    'a new required field',
    'field note',
    'field rank { type integer, backfill 1 } field note',
    'breaking input-added-required',
    NEW_INPUT,
    'now',
    'later',
  ],
  ['a field that is gone', '  field code { type string, nullable, unique }\n', '', INPUT_GONE, 'undecided'],
  [
    'a dropped field',
    'field code { type string, nullable, unique }',
    'drop code',
    INPUT_GONE,
    'now',
    'later',
    'later, loss',
  ],
  ['a renamed field', 'field code { type', 'field number { was code, type', INPUT_GONE, NEW_INPUT, 'now', 'later'],
  ['another default', 'default "calm"', 'default "loud"', 'compatible input-default-changed', 'now', 'later'],
  ['no default', 'type Mood, default "calm"', 'type Mood', 'breaking input-became-required', 'now', 'later'],
  [
    'a new default',
    'field body { type string }',
    'field body { type string, default "" }',
    'compatible input-became-optional',
    'now',
    'later',
  ],
  [
    'a field that is null no more',
    'field note { type string, nullable }',
    'field note { type string, default "", backfill "" }',
    'breaking input-not-nullable',
    'compatible input-default-changed',
    'now',
    'later',
  ],
  [
    'a field that may be null',
    'field title { type string,',
    'field title { type string, nullable,',
    'breaking property-nullable',
    'compatible input-nullable',
    'compatible input-became-optional',
    'now',
  ],
  [
    'a unique field',
    'nullable }\n  relation',
    'nullable, unique }\n  relation',
    'breaking input-unique',
    'compatible error-status-added',
    'now',
  ],
  ['unique fields', 'model Comment {', 'model Comment { unique { post, body }', 'breaking input-unique', 'now'],
  ['a field that is not unique', 'nullable, unique }', 'nullable }', 'compatible input-not-unique', 'now'],
  ['a wider type', 'size { type integer', 'size { type float', 'compatible input-type-wider', 'now', 'later'],
  ['another type', 'code { type string', 'code { type boolean', 'breaking input-type-changed', 'undecided'],
  ['an internal field', 'field note {', 'field note { internal,', INPUT_GONE],
  ['a secret field', 'field note {', 'field note { secret,', 'compatible input-secret'],
  ['a stricter validator', 'minLength(3)', 'minLength(5)', 'breaking input-stricter'],
  ['a laxer validator', 'minLength(3)', 'minLength(1)', 'compatible input-laxer'],
  ['a validator in another order', 'minLength(3) and maxLength(80)', 'maxLength(80) and minLength(3)'],
  ['a validator twice', 'min(0)', 'min(0) and min(-1)'],
  ['another condition of a validator', 'length(value) > 2', 'length(value) > 3', 'breaking input-check-changed'],
  ['another message of a validator', 'message "longer"', 'message "use more letters"'],
  ['another code of a validator', '"not-a-slug"', '"no-slug"', 'breaking error-code-changed'],
  ['values that are normalised no more', 'normalise { trim }, ', '', 'breaking input-not-normalised'],
  ['values that are normalised more', '{ trim }', '{ trim, lower }', 'compatible input-normalised', 'now', 'later'],
  [
    'a value of an enum is new',
    'calm, loud',
    'calm, loud, shy',
    'breaking property-value-added',
    'compatible input-value-added',
    'now',
  ],
];

const REFUSALS: readonly Row[] = [
  [
    'a new refusal',
    'update entry { set net',
    'refuse "too-many" when stars > 5 { key stars } update entry { set net',
    'breaking refusal-added',
    'breaking error-body-changed',
  ],
  [
    'a refusal with another status',
    'status 423',
    'status 410',
    'breaking refusal-status-changed',
    'compatible error-status-added',
    'compatible error-status-removed',
  ],
  ['a refusal under another condition', 'entry.net > 0', 'entry.net > 1', 'breaking refusal-changed'],
  ['a refusal with a message', '{ status 423 }', '{ status 423, message "Once only" }'],
  ['a refusal at an input', '{ status 423 }', '{ status 423, key stars }', 'breaking refusal-changed'],
  [
    'a refusal that is gone',
    'refuse "rated" when entry.net > 0 { status 423 }',
    '',
    'compatible refusal-removed',
    'compatible error-status-removed',
  ],
  [
    'a call between two transactions',
    'update entry { set net',
    'call { hook { inline "1" } } update entry { set net',
    'compatible transactions-changed',
    'compatible error-status-added',
    'breaking error-body-changed',
    'cost more',
  ],
  ['another code of a refusal', '"rated"', '"already-rated"', 'compatible refusal-removed', 'breaking refusal-added'],
];

const RELATIONS: readonly Row[] = [
  ['records that are deleted with another', 'on delete set null', 'on delete cascade', 'now, loss', 'now'],
  ['records that keep another from deletion', 'on delete set null', 'on delete restrict', 'now'],
  [
    'records that keep the one of an endpoint',
    'on delete cascade',
    'on delete restrict',
    'breaking delete-restricted',
    'compatible error-status-added',
    'now',
  ],
  ['a renamed relation', 'relation posts', 'relation entries'],
  ['a model with another name', 'Comment', 'Remark', VALUE, 'undecided', 'other'],
  ['a new reference', 'field note', 'reference editor { to User, nullable } field note', NEW_INPUT, 'now'],
];

const RESPONSES: readonly Row[] = [
  ['a formula with another number', 'net * 2', 'net * 3', ORDER, VALUE],
  ['a formula that reads another field', '{ total * 2 }', '{ id * 4 }', VALUE],
  ['a formula behind another', '{ total * 2 }', '{ total + 2 }', VALUE],
  ['another filter of a nested query', 'c.shown is true', 'c.shown is false', VALUE],
  ['another order of a nested query', 'c.at desc', 'c.at', VALUE],
  ['fewer records of a nested query', 'limit 3', 'limit 2', VALUE],
  ['a nested query that is recursive', 'from comments.post', 'from comments.post, recursive', VALUE],
  ['other code of a hook', '"text.length"', '"text.length + 1"', VALUE],
  ['another argument of a hook', 'arg text title', 'arg text slug', VALUE],
  ['one more property', 'comments { body }', 'comments { body, at }', 'compatible property-added'],
  [
    'a list that calculates',
    'list endpoint {}',
    'list endpoint { response { id, post_id, body, shown, at, n: id + 1 } }',
    'compatible property-added',
  ],
  ['a property that is gone', 'id, title, double }', 'id, double }', 'breaking property-removed'],
  ['a renamed shape', 'Card', 'Tile', 'compatible schema-renamed'],
];

const LISTS: readonly Row[] = [
  ['a list that is reversed', 'order by { title }', 'order by { title desc }', ORDER],
  [
    'a list that is ordered by another field',
    'order by { title }',
    'order by { net }',
    ORDER,
    'cost more',
    'cost less',
  ],
  [
    'a list that is ordered by one more field',
    'order by { title }',
    'order by { title, net }',
    ORDER,
    'cost more',
    'cost less',
  ],
  ['a list that is not ordered', 'order by { title }', '', ORDER, 'cost less'],
  ['fewer records', 'limit 9', 'limit 5', 'breaking list-limit-lowered'],
  ['more records', 'limit 9', 'limit 12', 'compatible list-limit-raised'],
  ['smaller pages', 'pageSize 10', 'pageSize 5', 'breaking parameter-default-changed'],
  ['pages that may be larger', 'max 50', 'max 80', 'compatible input-laxer'],
  ['pages that may not be as large', 'max 50', 'max 30', 'breaking input-stricter'],
  ['one more filter', 'filterable { size }', 'filterable { size, code }', NEW_INPUT],
  ['a filter that is gone', 'filterable { size }', '', INPUT_GONE],
  ['one more key to sort by', 'sortable { size }', 'sortable { size, code }', 'compatible input-value-added'],
  [
    'a key to sort by that is gone',
    'sortable { size }',
    'sortable { code }',
    'breaking input-value-removed',
    'compatible input-value-added',
  ],
  ['a search in more', 'searchable { title }', 'searchable { title, note }', 'compatible search-changed', 'now'],
  [
    'a search by stems',
    'searchable { title }',
    'searchable { title, language "english" }',
    'compatible search-changed',
    'now',
  ],
  ['a search by beginnings', 'searchable { title }', 'searchable { title, prefix }', 'compatible search-changed'],
  ['an index that is gone', 'nullable, index }', 'nullable }', 'now', 'cost more'],
  [
    'other names in a page',
    'max 50',
    'max 50, response { data: data, total: totalCount, pages: totalPages, page: page, pageSize: pageSize }',
    'breaking property-removed',
    'compatible property-added',
  ],
  [
    'a parameter of pages under another name',
    'max 50',
    'max 50, page as "p"',
    'breaking input-removed',
    'compatible input-added-optional',
  ],
  ['a page that is not counted', 'max 50', 'max 50, total off', 'breaking property-removed'],
];

const ENDPOINTS: readonly Row[] = [
  ['a new endpoint', 'get endpoint {', 'GET one "mark" {} get endpoint {', 'compatible endpoint-added', 'new'],
  [
    'an endpoint that is gone',
    'delete endpoint { authorize { entry.owner is @auth } }',
    '',
    'breaking endpoint-removed',
    'removed',
  ],
  ['another path', '"rate"', '"grade"', 'breaking endpoint-removed', 'compatible endpoint-added', 'removed', 'new'],
  ['another method', 'POST one', 'PUT one', 'breaking endpoint-moved'],
  [
    'inputs under a key',
    'extra inputs { field stars',
    'inputs under "rating" extra inputs { field stars',
    'breaking input-moved',
  ],
  [
    'a path with a parameter',
    '"best"',
    '"best/:a"',
    'breaking endpoint-removed',
    'compatible endpoint-added',
    'removed',
    'new',
  ],
  [
    'versions',
    'identify { through slug }',
    'identify { through slug } versioned',
    'compatible header-added',
    'compatible status-added',
    'compatible error-status-added',
    'cost more',
  ],
  ['a second method', 'update endpoint {', 'update endpoint { method PATCH, PUT', 'compatible endpoint-added', 'new'],
  ['a path with another field', 'identify { through slug }', '', 'breaking path-field-changed'],
  ['accounts that callers may make', ', register off', '', 'compatible endpoint-added', 'new'],
  ['another status', '"x-slug" entry.slug }', '"x-slug" entry.slug } status 202', 'breaking status-changed'],
  ['another header', '"x-slug" entry.slug', '"x-slug" entry.slug, "x-net" entry.net', 'compatible header-added'],
  ['a header that is gone', 'headers { "x-slug" entry.slug }', '', 'breaking header-removed'],
  ['a new required input', 'field stars', 'field due { type date } field stars', 'breaking input-added-required'],
  ['a new optional input', 'field stars', 'field due { type date, nullable } field stars', NEW_INPUT],
  ['an action that stores another value', 'set net stars', 'set net stars * 2', 'compatible stored-value-changed'],
  ['another default of an input', 'default "" }', 'default "none" }', 'compatible input-default-changed'],
  ['a stricter input', 'min(1)', 'min(2)', 'breaking input-stricter'],
  ['a shorter list', 'maxItems 9', 'maxItems 8', 'breaking input-stricter'],
  ['a longer list', 'maxItems 9', 'maxItems 10', 'compatible input-laxer'],
  ['a list that may be empty', 'minItems 1', 'minItems 0', 'compatible input-laxer'],
  [
    'a list that may be left out',
    'maxItems 9',
    'nullable, maxItems 9',
    'compatible input-became-optional',
    'compatible input-nullable',
  ],
  [
    'a new required key in a list',
    'field weight {',
    'field height { type integer } field weight {',
    'breaking input-added-required',
  ],
  [
    'a new optional key in a list',
    'field weight {',
    'field height { type integer, nullable } field weight {',
    NEW_INPUT,
  ],
  [
    'a stricter key in a list',
    'type integer, nullable, validate { max(5) }',
    'type integer, nullable, validate { max(4) }',
    'breaking input-stricter',
  ],
  ['a key of a list that is gone', 'field weight { type integer, nullable, validate { max(5) } }', '', INPUT_GONE],
  [
    'a list that is gone',
    'list parts { minItems 1, maxItems 9, reference of { to Post }, field weight { type integer, nullable, validate { max(5) } } }',
    '',
    INPUT_GONE,
  ],
  ['a new list', 'list parts', 'list others { field a { type integer } } list parts', 'breaking input-added-required'],
  [
    'a record of a list that is named by another field',
    'reference of { to Post }',
    'reference of { to Post, through slug }',
    'breaking input-added-required',
    INPUT_GONE,
  ],
  [
    'an input that names another record',
    'reference whom { to User }',
    'reference whom { to Post }',
    'breaking input-finds-changed',
  ],
  ['an input that is set', 'set owner @auth }', 'set owner @auth, set note "new" }', INPUT_GONE],
];

const ACCESS: readonly Row[] = [
  ['a narrower scope', 'entry.slug is not "hidden"', 'entry.slug is not "hidden" and entry.net > 0', 'stricter'],
  ['a scope that is gone', 'only { entry.slug is not "hidden" }', '', 'weaker'],
  ['another scope', 'entry.slug is not "hidden"', 'entry.net > 0', 'other'],
  [
    'a scope of the caller',
    'entry.slug is not "hidden"',
    'entry.slug is not "hidden" and entry.owner is @auth',
    'compatible token-read',
    'stricter',
  ],
  ['an owner that callers choose', 'create { set owner @auth }', 'create {}', NEW_INPUT, 'weaker'],
  [
    'an owner who is always nobody',
    'create { set owner @auth }',
    'create { set owner null }',
    'compatible stored-value-changed',
  ],
  [
    'anyone may delete',
    ' authorize { entry.owner is @auth }',
    '',
    'compatible token-not-required',
    'compatible error-status-removed',
    'weaker',
    'cost less',
  ],
  ['others may delete', 'entry.owner is @auth', 'entry.owner is not @auth', 'compatible token-not-required', 'other'],
  ['some owners may delete', 'entry.owner is @auth', 'entry.owner is @auth and entry.net is 0', 'stricter'],
  [
    'whoever is signed in may delete',
    'entry.owner is @auth',
    '@auth is not null',
    'compatible error-status-removed',
    'weaker',
  ],
  ['one more may delete', 'entry.owner is @auth', 'entry.owner is @auth or @auth.role is "admin"', 'weaker'],
  ['a condition behind its name', '{ owner is @auth }', '{ owner is @auth and net is 0 }', 'stricter'],
  [
    'a list that needs a token',
    'filterable {',
    'authorize { @auth is not null } filterable {',
    'breaking token-required',
    'stricter',
  ],
  ['a list that gives more', 'filter { net >= 0 }', '', 'weaker', 'cost less'],
  ['a list that gives less', 'filter { net >= 0 }', 'filter { net >= 0 and size is null }', 'stricter', 'cost less'],
  ['a list that gives others', 'filter { net >= 0 }', 'filter { net < 9 }', 'other'],
];

const SETTINGS: readonly Row[] = [
  ['a new setting', 'setting LINK', 'setting TOP { type integer } setting LINK', 'setting required'],
  ['a new setting with a default', 'setting LINK', 'setting TOP { default "a" } setting LINK', 'setting optional'],
  ['a setting that is gone', 'setting SPARE {}', '', 'setting optional'],
  ['a setting without its default', 'default "/"', '', 'setting required'],
  ['a setting with another default', 'default "/"', 'default "/a"', 'setting optional'],
  ['a setting that gets a default', 'setting SPARE {}', 'setting SPARE { default "a" }', 'setting optional'],
  ['a setting of another type', 'setting SPARE {}', 'setting SPARE { type integer }', 'setting required'],
  ['a setting with more digits', 'decimal(9, 2)', 'decimal(11, 3)', 'setting optional'],
  ['a setting with any digits', 'decimal(9, 2)', 'decimal', 'setting optional'],
  ['a setting with fewer digits', 'decimal(9, 2)', 'decimal(4, 2)', 'setting required'],
  ['a setting that is secret', 'setting SPARE {}', 'setting SPARE { secret }', 'setting optional'],
  ['a documentation of a setting', 'setting SPARE', '/// Spare.\nsetting SPARE'],
  ['a value that reads another setting', 'link: setting(LINK)', 'link: setting(SPARE)', VALUE],
];

describe('the verdict on a change', () => {
  before(() => loadGrammar());

  const tables = [WORDS_ONLY, UNUSED, FIELDS, REFUSALS, RELATIONS, RESPONSES, LISTS, ENDPOINTS, ACCESS, SETTINGS];
  for (const [change, from, to, ...said] of tables.flat()) {
    it(`is right: ${change}`, () => {
      expect(BASE).to.include(from);
      expect(verdictOn(baseOf(BASE), programOf(BASE.replaceAll(from, to)))).to.have.members(said);
    });
  }

  it('does not count a field that has another name', () => {
    const renamed = BASE.replaceAll('net', 'gross').replace(
      'field gross { type integer',
      'field gross { was net, type integer',
    );
    expect(verdictOn(baseOf(BASE), programOf(renamed))).to.not.include.members([VALUE, ORDER, 'other']);
  });
});

describe('the verdict on a signature', () => {
  before(() => loadGrammar());

  const SIGNED = `
setting HUSH { secret }
setting HUSHED { secret }
model User { field name { type string } }
auth { model User }
model Note { field shown { type boolean, default false, internal } }
api {
  entrypoint Note as note {
    POST one "read" { signed by stripe { secret HUSH } action { update note { set shown true } } }
    POST one "sold" { signed by stripe { secret HUSH } action { update note { set shown true } } }
    POST one "hide" { authorize { @auth is not null } action { update note { set shown false } } }
  }
}
`;
  const rows: readonly Row[] = [
    [
      'of another service',
      '"sold" { signed by stripe',
      '"sold" { signed by github',
      'breaking signature-required',
      'other',
    ],
    ['with another secret', '"sold" { signed by stripe { secret HUSH', '"sold" { signed by stripe { secret HUSHED'],
    [
      'that is gone',
      '"sold" { signed by stripe { secret HUSH }',
      '"sold" {',
      'compatible signature-not-required',
      'breaking status-removed',
      'compatible error-status-removed',
      'weaker',
      'cost less',
    ],
    [
      'in place of a token',
      '"hide" { authorize { @auth is not null }',
      '"hide" { signed by github { secret HUSH }',
      'compatible token-not-required',
      'breaking signature-required',
      'compatible status-added',
      'compatible error-status-added',
      'other',
    ],
  ];

  for (const [name, from, to, ...says] of rows)
    it(`is right: ${name}`, () => {
      expect(SIGNED).to.contain(from);
      expect(verdictOn(baseOf(SIGNED), programOf(SIGNED.replace(from, to)))).to.have.members(says);
    });
});

describe('the verdict on an action', () => {
  before(() => loadGrammar());

  const ACTED = `
setting MOST { type integer, default 3 }
setting HOOK {}
setting SIGNING { secret }
validator odd { arg value { type integer } assert { value > 1 } error { code "odd" } }
model Event {
  field capacity { type integer }
  field net { type integer, default 0, internal }
  field fee { type float, default 0, internal }
  field note { type string, nullable, internal }
  relation tickets { from Ticket, through event }
  computed left { capacity - count(tickets) }
  computed rank { capacity * 2 }
  computed worth { capacity * 3 }
  computed label { "left" }
  computed double { capacity + capacity }
}
model Ticket {
  reference event { to Event, on delete cascade }
  field seat { type integer }
  computed place { seat * 2 }
}
webhook "full" {
  on update of Event as event when event.capacity is 0
  to { url setting(HOOK), secret setting(SIGNING) }
  body { id, double }
}
api {
  entrypoint Event as event {
    list endpoint {
      order by { id }
      response { id }
      filterable { rank }
      sortable { worth }
      paginable { pageSize 10, response { items: data, total: totalCount, size: pageSize } }
    }
    update endpoint { method PUT, PATCH, response { id } }
    POST one "buy/:most" {
      headers { "x-label" event.label }
      extra inputs {
        field most { type integer }
        field n { type integer }
        list parcels { minItems 1, maxItems 9, field seat { type integer } }
      }
      action {
        refuse "sold-out" when event.left <= 0 or event.capacity < 1
        validate with key "n" { odd(n) }
        query as taken { from event.tickets as ticket, filter { ticket.seat > 3 }, count }
        refuse "full" when taken > setting(MOST)
        query as best { from event.tickets as ticket, filter { ticket.seat > 5 }, first }
        refuse "found" when best is not null
        refuse "above" when n > most
        for line in parcels {
          refuse "bad" when line.seat > 4 { key parcels }
          create Ticket as made { set event event, set seat line.seat + 1 }
          refuse "far" when made.place > 90
        }
        for guest in event.tickets {
          refuse "seated" when guest.place > 8
          update guest { set seat guest.seat + 1 when guest.seat > 7 }
        }
        update event as later { set net n when event.left > 1, set fee event.capacity * 2, set note "bought" }
        refuse "late" when later.left > 6
      }
    }
    POST one "close" {
      extra inputs { field cut { type integer } }
      action {
        query { from event.tickets as ticket, filter { ticket.seat > 1 }, update { set seat ticket.seat - cut } }
      }
    }
    GET many "p/:a/q/:b" {
      extra inputs { field b { type integer }, field a { type string } }
      filter { capacity > b and length(a) > 1 }
      response { id }
    }
  }
}
`;
  const REFUSED = 'breaking refusal-changed';
  const STORED = 'compatible stored-value-changed';
  const rows: readonly Row[] = [
    ['with another name of an item', 'line', 'part'],
    ['with another name of a record of a loop', 'guest', 'visitor'],
    ['with another alias of a count', 'taken', 'sold'],
    ['with another alias of a query', 'best', 'finest'],
    ['with another alias of a create', 'made', 'created'],
    ['with another alias of an update', 'later', 'afterwards'],
    ['with a setting of a wider type', 'MOST { type integer', 'MOST { type float', 'setting optional'],
    [
      'with a list that may be null',
      'list parcels { minItems 1',
      'list parcels { nullable, minItems 1',
      'compatible input-became-optional',
      'compatible input-nullable',
    ],
    [
      'with a path parameter of a wider type',
      'field most { type integer }',
      'field most { type float }',
      'compatible input-type-wider',
    ],
    ['with another formula behind the condition', 'count(tickets) }', 'count(tickets) - 10 }', REFUSED, STORED],
    ['that counts other records', 'ticket.seat > 3', 'ticket.seat > 2', REFUSED],
    ['that finds other records', 'ticket.seat > 5', 'ticket.seat > 6', REFUSED],
    ['that checks items in another way', 'line.seat > 4', 'line.seat > 5', REFUSED],
    ['with another formula of a record of a loop', 'seat * 2', 'seat * 3', REFUSED],
    ['with another named validator', 'value > 1 }', 'value > 2 }', 'breaking input-check-changed'],
    ['with another condition of a set', 'event.left > 1', 'event.left > 2', STORED],
    ['with another condition of a set in a loop', 'guest.seat > 7', 'guest.seat > 9', STORED],
    ['with a set that has no condition any more', ' when event.left > 1', '', STORED],
    ['with a set that has a condition', '"bought"', '"bought" when event.left > 1', STORED],
    ['without a set', ', set note "bought"', '', STORED],
    ['without a set of an input', 'set net n when event.left > 1, ', ''],
    ['with another value in a loop', 'line.seat + 1', 'line.seat + 2', STORED],
    ['with another value for all records of a query', 'ticket.seat - cut', 'cut - ticket.seat', STORED],
    [
      'of a path with its parameters the other way round',
      'p/:a/q/:b',
      'p/:b/q/:a',
      'breaking input-type-changed',
      'compatible operation-renamed',
      'cost more',
    ],
    ['of a path with another name of a parameter', 'most', 'largest', 'compatible operation-renamed', 'cost more'],
    [
      'of pages whose members are swapped',
      'total: totalCount, size: pageSize',
      'total: pageSize, size: totalCount',
      VALUE,
    ],
    ['of a list with another filter', 'rank { capacity * 2', 'rank { capacity * 4', 'breaking input-finds-changed'],
    ['of a list with another key to sort by', 'capacity * 3', 'capacity * 4', ORDER],
    ['of a webhook with another value in its body', 'capacity + capacity', 'capacity + 2', VALUE],
    ['with another value of a header', '{ "left" }', '{ "right" }', VALUE],
    ['by one method', 'method PUT, PATCH', 'method PATCH', 'breaking endpoint-removed', 'removed'],
    [
      'by the other method',
      'method PUT, PATCH',
      'method PUT',
      'breaking endpoint-removed',
      'compatible operation-renamed',
      'removed',
    ],
  ];

  for (const [name, from, to, ...said] of rows)
    it(`is right: ${name}`, () => {
      expect(ACTED).to.include(from);
      expect(verdictOn(baseOf(ACTED), programOf(ACTED.replaceAll(from, to)))).to.have.members(said);
    });

  it('does not count another alias of the entrypoint', () => {
    const [models, api = ''] = ACTED.split('\napi ');
    const renamed = api.replaceAll(/event(?=\.|,| as| \{\n {4}list)/g, 'it').replace('set it it', 'set event it');
    expect(renamed).to.include('Event as it {').and.include('set event it');
    expect(verdictOn(baseOf(ACTED), programOf(`${models}\napi ${renamed}`))).to.deep.equal([]);
  });

  it('does not count a field that has another name', () => {
    const text = ACTED.replaceAll('capacity', 'size').replace('field size {', 'field size { was capacity,');
    expect(verdictOn(baseOf(ACTED), programOf(text))).to.not.include.oneOf([REFUSED, STORED, VALUE, ORDER]);
  });
});

describe('what kiln diff says of a create that may find its record', () => {
  const FOUND = `
model Shelf { field name { type string, unique }  relation books { from Book, through shelf } }
model Book {
  reference shelf { to Shelf }
  field code { type string, unique }
  field isbn { type string, unique }
  field title { type string }
  field gone { type boolean, default false, internal }
}
api {
  entrypoint Book as book {
    only { book.gone is not true }
    create endpoint { authorize { true } action { create or update by { code } { input * } } }
  }
}
`;
  const FINDS = 'breaking input-finds-changed';
  const STORED = 'compatible stored-value-changed';
  const rows: readonly Row[] = [
    ['with the same condition in other words', 'book.gone is not true', 'not (book.gone is true)'],
    ['with another alias', 'book.', 'volume.'],
    ['with another scope', 'book.gone is not true', 'book.gone is false and book.title is not ""', FINDS],
    ['without a scope', 'only { book.gone is not true }', '', FINDS],
    ['by another key', 'by { code }', 'by { isbn }', FINDS, 'breaking input-unique', 'compatible input-not-unique'],
    ['with a reference that is unique now', 'to Shelf }', 'to Shelf, unique }', 'breaking input-unique', 'now'],
    ['that is kept now', 'or update by', 'or keep by', STORED],
    [
      'that is kept now, behind one of another model',
      'create or update by',
      'create Shelf or keep as s { set name "New" } create or keep by',
      STORED,
      'cost more',
    ],
    [
      'with a key of another name',
      'code',
      'mark',
      'breaking input-added-required',
      INPUT_GONE,
      'breaking property-removed',
      'compatible property-added',
      'now',
      'later',
    ],
  ];

  for (const [name, from, to, ...said] of rows)
    it(`is right: ${name}`, () => {
      expect(FOUND).to.include(from);
      const text = FOUND.replaceAll(from, to).replace(
        'Book as book',
        to === 'volume.' ? 'Book as volume' : 'Book as book',
      );
      expect(
        verdictOn(baseOf(FOUND), programOf(text.replace('field mark {', 'field mark { was code,'))),
      ).to.have.members(said);
    });
});

const bases = new Map<string, Definition>();

/** Compiled once: every change begins with it. */
function baseOf(text: string): Definition {
  const base = bases.get(text) ?? programOf(text);
  bases.set(text, base);
  return base;
}

function programOf(text: string): Definition {
  return definitionOf([{ path: 'main.kiln', text }]);
}

function verdictOn(before: Definition, after: Definition): readonly string[] {
  const { api, data, access, cost, settings = [] } = differenceBetween(before, after, NOWHERE);
  const isLoss = ({ hazards }: DataStep) => hazards.some(({ kind }) => kind === 'data-loss');
  const said = [
    ...api.map(({ level, rule }) => `${level} ${rule}`),
    ...(data.undecided ?? []).map(() => 'undecided'),
    ...data.steps.map((step) => (isLoss(step) ? 'now, loss' : 'now')),
    ...data.later.map((step) => (isLoss(step) ? 'later, loss' : 'later')),
    ...access.map(({ direction }) => direction),
    ...cost.map(({ direction }) => `cost ${direction}`),
    ...settings.map(({ level }) => `setting ${level}`),
  ];
  return [...new Set(said)];
}
