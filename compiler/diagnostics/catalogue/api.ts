import type { Span } from '../../source/source-file.ts';
import type { NearName } from '../words/near-name.ts';
import { said, type Words } from '../words/words.ts';
import {
  behind,
  listOf,
  memberNoun,
  note,
  type UnfitMember,
  type Unknown,
  unfit,
  unknown,
  withArticle,
  wordsFor,
} from './phrases.ts';

/** Entrypoints, endpoints and routes. */
type PageNameMistake = 'no parameter' | 'bad name' | 'taken' | 'no member' | 'twice' | 'missing';

export const apiWords = {
  'file-without-get': (f: { field: string; model: string }): Words => ({
    message: `\`${f.field}\` is in a response, but nothing gives it an address`,
    label: 'no `get endpoint` shows it',
    help: `add a \`get endpoint\` that shows it to an entrypoint of \`${f.model}\`, not below \`@auth\`: the file is read below its path, by those who may read it there. Or leave the file out of the response, or mark it \`secret\``,
  }),

  'not-a-resource': (f: UnfitMember): Words =>
    unfit(f, 'reference or relation', 'a nested entrypoint needs a reference or a relation', 'none'),

  'identify-on-single': (f: { resource: string }) =>
    said(`\`${f.resource}\` is one record, so there is nothing to identify`, 'remove this'),

  'identify-without-path': (_: object) =>
    said('this `identify` has no `through`', 'add `through`, such as `through slug`'),

  'identify-through-field': (f: { name: string; model: string }): Words => ({
    message: `\`${f.model}.${f.name}\` is not a record, so the path cannot continue after it`,
    label: 'end the path here, or go through a reference',
  }),

  'identify-not-a-field': (f: { name: string; model: string; kind: string }): Words => ({
    message: `\`${f.model}.${f.name}\` is ${memberNoun(f.kind)}, but \`identify\` needs a unique field`,
    label:
      f.kind === 'reference' || f.kind === 'relation'
        ? 'add one of its unique fields to the path'
        : 'name a unique field',
  }),

  /** `parent` is the reference to the outer entrypoint, within which a field may be unique. */
  'identify-not-unique': (f: {
    name: string;
    model: string;
    kind: string;
    parent: string | undefined;
    declared: Span;
    type?: Span | undefined;
  }): Words => ({
    message:
      f.kind === 'relation'
        ? `one \`${f.model}\` may have several \`${f.name}\`, so they cannot identify it`
        : `several records of \`${f.model}\` may have the same \`${f.name}\`, so it cannot identify one of them`,
    label:
      f.kind === 'field'
        ? 'make it `unique`, or name another field'
        : 'make the reference `unique`, or name another field',
    help:
      f.parent && `or say in \`${f.model}\` that it is unique within its parent: \`unique { ${f.parent}, ${f.name} }\``,
    notes: note(
      f.declared,
      f.kind === 'relation'
        ? 'the reference is declared here, without `unique`'
        : 'it is declared here, without `unique`',
    ),
    edits: f.parent ? undefined : behind(f.type, ', unique'),
  }),

  'path-of-several': (f: { path: string }): Words => ({
    message: `the path of an entrypoint is one segment, so \`"${f.path}"\` cannot have \`/\` or \`:\``,
    label: 'use nested entrypoints for longer paths; identifiers are added automatically',
  }),

  'path-parameter': (f: { name: string; mistake: 'no name' | 'twice' | 'optional' | 'structured' }): Words =>
    wordsFor(f.mistake, {
      'no name': [
        `\`:${f.name}\` is not a parameter of a path`,
        'use letters, digits and `_` behind the colon, such as `:owner`',
      ],
      twice: [
        `this path has two parameters called \`${f.name}\``,
        'choose another name; the identifiers of records are parameters too',
      ],
      optional: [`\`${f.name}\` is in the path, so it always has a value`, 'remove `nullable` and `default`'],
      structured: [
        `\`${f.name}\` is in the path, which has no place for lists and JSON`,
        'use another type, or another name for the input',
      ],
    }),

  'empty-path': (f: { path: string }): Words => ({
    message: `\`"${f.path}"\` ${/^\/*$/.test(f.path) ? 'is an empty path' : 'has a segment that is empty, `.` or `..`'}`,
    label: /^\/*$/.test(f.path) ? 'write one segment, such as `"publish"`' : 'write a name between the slashes',
  }),

  'idle-entrypoint': (f: { resource: string }): Words => ({
    message: `the entrypoint \`${f.resource}\` has no endpoints`,
    label: 'add one, such as `list endpoint {}`',
    severity: 'warning',
  }),

  'endpoint-twice': (f: { endpoint: string; first: Span }): Words => ({
    message: `this entrypoint has two \`${f.endpoint} endpoint\`s`,
    label: 'keep one of them, or make this one a custom endpoint',
    notes: note(f.first, 'the first is here'),
  }),

  'same-route': (f: { route: string; first: Span; use?: string | undefined; file?: string }): Words => ({
    message: `\`${f.route}\` is already the route ${f.use ? `by which clients reach all ${f.use}` : 'of another endpoint'}`,
    label: f.file ? `take the file in one of them, or rename it: \`${f.file} as …\`` : 'choose another path',
    notes: note(f.first, f.use ? 'it is there because of this' : 'the other is here'),
  }),

  'property-not-here': (f: {
    property: string;
    endpoint: string;
    kinds: readonly string[];
    isOfLists: boolean;
  }): Words => ({
    message: `${withArticle(f.endpoint).replace(' ', ' `')} endpoint\` has no \`${f.property}\``,
    label:
      f.endpoint === 'delete' && f.property === 'response'
        ? 'a delete responds with 204 and no body'
        : `remove the \`${f.property}\``,
    help: `\`${f.property}\` belongs to ${listOf(f.kinds)} endpoints${f.property === 'path' ? ', and to entrypoints' : ''}${f.isOfLists ? ', and to `GET many` endpoints without actions' : ''}`,
  }),

  'unknown-signature': (f: Unknown): Words =>
    unknown({ near: f.near }, `there is no signature \`${f.name}\``, `write ${listOf(f.others ?? [], 'or')}`),

  'signing-setting': (f: { name: string; type: string | undefined; declared: Span }): Words => ({
    message: `\`${f.name}\` ${f.type ? `is ${f.type}, but a secret for signatures is a text` : 'is not secret, so the log may show what requests are signed with'}`,
    label: f.type ? 'name a setting of the type `string`' : `write \`setting ${f.name} { secret }\``,
    notes: note(f.declared, 'it is declared here'),
    edits: f.type ? undefined : [{ span: f.declared, text: `setting ${f.name} { secret }` }],
  }),

  'signed-endpoint': (f: { why: 'method' | 'caller' | 'secret' | 'call' }): Words =>
    wordsFor(f.why, {
      method: ['services send signed requests as POST', 'write `POST`'],
      caller: ['a service is not signed in, so it reaches no record of the caller', 'put it into another entrypoint'],
      secret: ['`signed by` needs the secret that the service signs with', 'add `secret NAME`, the name of a setting'],
      call: [
        'a signed endpoint makes no `call`: the service would not wait for it',
        'put it into a job, and `run` that',
      ],
    }),

  'nothing-versioned': (f: { isCaller: boolean }): Words => ({
    message: f.isCaller
      ? 'the record of the caller has no versions'
      : '`versioned` has no effect: no endpoint here is about a single record',
    label: f.isCaller ? 'use an entrypoint of the model' : 'remove it, or add a get, create, update or delete endpoint',
  }),

  'no-body-inputs': (f: { key: string }): Words => ({
    message: `nothing is sent under \`${f.key}\`: no input comes in a body here`,
    label: 'remove it, or add inputs to a `POST`, `PUT` or `PATCH`',
  }),

  'several-methods': (f: { method: string; first: Span }): Words => ({
    message: `this endpoint cannot answer \`${f.method}\` too`,
    label: 'only an update endpoint has two methods: `method PUT, PATCH`',
    notes: note(f.first, 'the first method is here'),
  }),

  'update-method': (f: { method: string }): Words => ({
    message: `an \`update endpoint\` uses \`PATCH\` or \`PUT\`, not \`${f.method}\``,
    label: 'use `PUT`, or leave `method` out for `PATCH`',
  }),

  'alias-not-here': (f: { endpoint: string; alias: string; resource: string; isMany: boolean }): Words => ({
    message: `a \`${f.endpoint} endpoint\` creates no record, so it has no alias`,
    label: `remove \`as ${f.alias}\`${f.isMany ? '' : `; the record is named in the entrypoint: \`entrypoint ${f.resource} as ${f.alias}\``}`,
  }),

  'only-on-caller': (_: object) =>
    said('an `only` chooses among records, and `@auth` is one record', 'use `authorize`'),

  'many-on-single': (f: { resource: string }): Words => ({
    message: `\`${f.resource}\` is one record at most, so there is nothing to list`,
    label: 'a single entrypoint has get, update and custom `one`',
  }),

  'caller-endpoint': (f: { endpoint: 'list' | 'create' | 'many'; model: string }): Words => ({
    message: `\`@auth\` is the caller's own record, ${NOT_OF_CALLER[f.endpoint]}`,
    label: `\`entrypoint @auth\` has get, update, delete and custom \`one\`; for others write \`entrypoint ${f.model}\``,
  }),

  'nested-caller': (_: object): Words => ({
    message: '`entrypoint @auth` is at the top level of an api, not inside of another entrypoint',
    label: 'move it out of the entrypoint around it, or name a reference or relation',
  }),

  'required-single': (f: { resource: string; endpoint: string; declared: Span }): Words => ({
    message:
      f.endpoint === 'create'
        ? `\`${f.resource}\` always exists, so it cannot be created`
        : `\`${f.resource}\` must always exist, so it cannot be deleted`,
    label: 'remove this, or make the reference `nullable`',
    notes: note(f.declared, `\`${f.resource}\` is not nullable`),
  }),

  'incomplete-custom': (f: { lacks: readonly string[] }): Words => ({
    message: `this custom endpoint lacks ${listOf(f.lacks)}`,
    label: `add ${listOf(f.lacks.map((property) => CUSTOM_EXAMPLES[property] ?? property))}`,
  }),

  'response-without-record': (_: object) =>
    said('a custom endpoint over many has no record to respond with', 'use `respond { body … }` in its action'),

  'page-names': (f: { name: string; mistake: PageNameMistake; known: readonly string[] }): Words =>
    wordsFor(f.mistake, {
      'no parameter': [`this list has no parameter \`${f.name}\``, `it has ${listOf(f.known)}`],
      'bad name': [`\`"${f.name}"\` cannot be the name of a parameter`, 'use letters, digits, `_`, `-` and `.`'],
      taken: [`this list already has a parameter \`${f.name}\``, 'choose another name'],
      'no member': [`a page of this list has no \`${f.name}\``, `use ${listOf(f.known, 'or')}`],
      twice: [`\`${f.name}\` is in the page twice`, 'remove one of them'],
      missing: [`the page lacks its \`${f.name}\``, `add \`${f.name}: ${f.name}\``],
    }),

  'bad-page-size': (f: { property: 'pageSize' | 'max'; value: number; max: number }): Words => ({
    message:
      f.value < 1
        ? `\`${f.property}\` is ${f.value}, but a page has at least one record`
        : `\`pageSize\` is ${f.value}, but \`max\` allows no more than ${f.max}`,
    label: f.value < 1 ? 'use 1 or more' : `use ${f.max} or less, or raise \`max\``,
  }),

  'bad-list-limit': (f: { value: number; most: number }): Words => ({
    message:
      f.value < 1
        ? `\`limit\` is ${f.value}, but a list has at least one record`
        : `\`limit\` is ${f.value}, but a list has at most ${f.most} records`,
    label: f.value < 1 ? 'use 1 or more' : `use ${f.most} or less, or \`paginable\` in its place`,
  }),

  'limit-beside-pages': (f: { paginable: Span }): Words => ({
    message: '`limit` has no effect in a list that is `paginable`',
    label: 'remove this: `max` of `paginable` says how long a page may be',
    notes: note(f.paginable, 'this list has pages'),
  }),

  'not-live': (f: { because: string }): Words => ({
    message: `a list that uses ${f.because} cannot be \`live\``,
    label: `remove this, or ${f.because}`,
    help: 'clients are told when a record changes, and this may give another result without that',
  }),

  'live-fan-out': (f: { model: string }): Words => ({
    severity: 'warning',
    message: `every change of a \`${f.model}\` reads this list again for every caller who follows it`,
    label: 'add a `filter` that compares a field of the record with a value of the caller, such as `owner is @auth`',
    help: 'an equality like this, or a list below its parent record, tells which callers a change concerns',
  }),

  'bad-staleness': (f: { most: number }): Words => ({
    message: 'the time of `stale` is fixed, from 1 second to 10 minutes',
    label: `write \`seconds(1)\` to \`seconds(${f.most})\`, or \`minutes(n)\``,
  }),

  'not-stale': (f: { because: string }): Words => ({
    message: `a replica cannot answer an endpoint with ${f.because}`,
    label: `remove this, or ${f.because}`,
    help: 'changes, code, versions and rules about a record always use the primary database',
  }),

  'empty-list-fields': (f: { property: string }) =>
    said(`this \`${f.property}\` names no field`, 'name fields in it, or remove it'),

  'list-field-path': (f: { property: string; name: string; model: string; kind: string }): Words => ({
    message:
      f.kind === 'relation'
        ? `one \`${f.model}\` may have several \`${f.name}\`, but a path in \`${f.property}\` must lead to one record`
        : f.kind === 'query'
          ? `\`${f.model}.${f.name}\` is a query, and a path in \`${f.property}\` cannot go through one`
          : `\`${f.model}.${f.name}\` is not a record, so the path cannot continue after it`,
    label: 'use references, or relations over a `unique` reference',
  }),

  /** `key` is the field of a reference. */
  'not-a-list-field': (f: {
    property: string;
    name: string;
    model: string;
    kind: string;
    key: string | undefined;
  }): Words => ({
    message: `\`${f.model}.${f.name}\` is ${memberNoun(f.kind)}, and \`${f.property}\` names fields`,
    label: f.key ? `name its id, \`${f.key}\`, or one of its fields` : 'name a field',
    instead: f.key,
  }),

  'not-filterable': (f: { type: string }) =>
    said(`clients cannot filter by ${f.type}`, 'name a field whose values can be compared'),

  'not-searchable': (f: { type: string }) =>
    said(`a search looks for words in strings, not in ${f.type}`, 'name a field of type string'),

  'search-of-others': (f: { path: string; model: string }): Words => ({
    message: `\`${f.path}\` is not a field of \`${f.model}\` itself, so the search index cannot contain it`,
    label: `name fields of \`${f.model}\``,
  }),

  'unknown-language': (f: { language: string; known: readonly string[]; near: string | undefined }): Words => ({
    message: `\`${f.language}\` is not a language of full-text search`,
    label: f.near ? `did you mean \`${f.near}\`?` : 'choose one of these',
    help: `The languages are ${f.known.join(', ')}.`,
  }),

  'prefix-or-field': (f: { model: string; declared: Span }): Words => ({
    message: `\`prefix\` could be the field of \`${f.model}\`, or complete the last word of a search`,
    label: 'give the field another name',
    notes: note(f.declared, 'the field'),
  }),

  'filter-name-taken': (f: { name: string; by: string }) =>
    said(`\`${f.by}\` already uses the query parameter \`${f.name}\``, 'remove it, or give the field another name'),

  'list-field-without-index': (f: Unindexed & { isComputed: boolean }): Words => {
    const words = withoutIndex(f, 'a request that uses it reads every record');
    if (!f.isComputed) return { ...words, label: 'add `index` to the field, or remove it here' };
    return {
      ...words,
      label: 'give the list a `filter` of its own, or name a field with `index`',
      notes: note(f.declared, 'it is declared here, and computed for each request'),
    };
  },

  'filter-without-index': (f: Unindexed): Words => withoutIndex(f, 'each request to this list reads every record'),

  'order-without-index': (f: Unindexed): Words =>
    withoutIndex(f, 'every page of this list reads and sorts every record'),

  'total-beside-cursor': (f: { total: string; cursor: Span }): Words => ({
    message: `\`total ${f.total}\` has no effect in a list that is paged by cursor`,
    label: 'remove this: such a page never has a total',
    notes: note(f.cursor, 'this list is paged by cursor'),
  }),

  'hidden-order': (f: { cursor: Span }): Words => ({
    message: 'the response does not show this value, but the cursor would',
    label: 'select it in `response`, or order by what is selected',
    notes: note(f.cursor, 'a cursor contains the values that its list is ordered by'),
  }),

  'input-twice': (f: { input: string; by: 'name' | 'alias' | 'parameter'; brought: string | undefined }): Words => ({
    message: f.brought
      ? `\`${f.brought}\` already adds an input called \`${f.input}\``
      : `two inputs of this endpoint are called \`${f.input}\``,
    label:
      f.by === 'name' || f.brought
        ? 'choose another name'
        : f.by === 'alias'
          ? 'give an action another alias'
          : `rename this parameter of the path, or the other: \`input { ${f.input} as … }\``,
  }),

  'inputs-without-body': (f: { method: string; isCustom: boolean; inputs: readonly string[] }): Words => ({
    message: `a ${f.method} request has no body, but ${listOf(f.inputs)} would have to be in it`,
    label: f.isCustom
      ? 'use POST, PUT or PATCH, or `set` the values'
      : '`set` the values; `extra inputs` can be part of the URL',
  }),

  'empty-list-input': (f: { list: string }) =>
    said(`the items of \`${f.list}\` have no inputs`, 'add a `field` or a `reference`'),

  'bad-item-count': (f: { min: number; max: number }): Words => ({
    message: `no list has at least ${f.min} and at most ${f.max} items`,
    label: '`maxItems` must be at least 1, and not less than `minItems`',
  }),

  'json-in-query': (f: { name: string; method: string; type: string }): Words => ({
    message: `the inputs of a ${f.method} request are in its URL, and \`${f.name}\` is ${f.type}`,
    label: 'use another type, or a custom endpoint with POST',
  }),

  'unused-input': (f: { name: string; removal: Span | undefined }): Words => ({
    severity: 'warning',
    message: `nothing reads the input \`${f.name}\``,
    label: 'remove it, or use it',
    edits: f.removal && [{ span: f.removal, text: '' }],
  }),

  'generator-property': (f: { property: string; generator: string }) =>
    said(`\`generator ${f.generator}\` has no \`${f.property}\``, `remove the \`${f.property}\``),

  'generator-without-output': (_: object) => said('this generator has no `output` folder', 'add `output "folder"`'),

  'unknown-target': (f: { target: string; near: NearName | undefined }): Words =>
    unknown(f, `a client cannot be written in \`${f.target}\``, 'the targets are `ts` and `js`'),

  'bad-base-path': (f: { path: string }) =>
    said(`\`"${f.path}"\` is not a path of the server`, 'write a path such as `"/docs"`'),
};

/** A field that a list goes by, and the place of its type. */
export interface Unindexed {
  readonly field: string;
  readonly type: Span | undefined;
  readonly declared: Span;
}

function withoutIndex({ field, type, declared }: Unindexed, effect: string): Words {
  return {
    severity: 'warning',
    message: `\`${field}\` has no index, so ${effect}`,
    label: 'add `index` to the field',
    notes: note(declared, 'it is declared here, without `index`'),
    edits: behind(type, ', index'),
  };
}

const NOT_OF_CALLER = {
  list: 'so there is nothing to list',
  create: 'which already exists, so it cannot be created',
  many: 'so its custom endpoints are `one`',
};

const CUSTOM_EXAMPLES: Readonly<Record<string, string>> = { method: 'method POST', cardinality: 'cardinality one' };
