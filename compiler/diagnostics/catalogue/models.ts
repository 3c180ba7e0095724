import type { Span } from '../../source/source-file.ts';
import type { NearName } from '../words/near-name.ts';
import type { Edit, Words } from '../words/words.ts';
import { didYouMean, isMany, itHas, listOf, memberNoun, note, type UnfitMember } from './phrases.ts';

/** Models, enums and how they change. */
export const modelWords = {
  'missing-type': (f: { field: string }): Words => ({
    message: `\`${f.field}\` has no type`,
    label: 'add one, such as `type string`',
  }),

  'model-as-type': (f: {
    owner: string;
    name: string;
    holder: TypeHolder;
    isList: boolean;
    model: string;
    declared: Span;
  }): Words => ({
    message: f.isList
      ? `\`${f.owner}\` is a list of \`${f.model}\`, which is a model`
      : `\`${f.owner}\` is of type \`${f.model}\`, which is a model`,
    label: (f.isList ? RECORDS_INSTEAD : RECORD_INSTEAD)[f.holder](f.name, f.model),
    notes: note(f.declared, `the model \`${f.model}\` is declared here`),
  }),

  'list-in-key': (f: { field: string; kind: 'unique' | 'index' }): Words => ({
    message: `\`${f.field}\` is a list, so it cannot ${f.kind === 'unique' ? 'be unique' : 'have an index'}`,
    label: 'remove this',
    help: 'what is looked up by its values belongs into a model of its own, with a reference to this one',
  }),

  'list-argument': (f: { name: string; type: string }): Words => ({
    message: `\`${f.name}\` is a list, but the first argument of a validator is a single value`,
    label: `write \`${f.type}\``,
    help: 'the validators of a list are called for each of its items',
    instead: f.type,
  }),

  'required-field': (f: { field: string } & Flagged): Words => ({
    message: `\`${f.field}\` needs no \`required\``,
    label: 'what is not `nullable` is required; remove this',
    edits: withoutFlag(f),
  }),

  'index-of-unique': (f: { field: string } & Flagged): Words => ({
    message: `\`${f.field}\` is unique, so it has an index already`,
    label: 'remove this',
    edits: withoutFlag(f),
  }),

  'normalise-not-text': (f: { field: string; type: string }): Words => ({
    message: `\`${f.field}\` is ${f.type}, and only a string can be normalised`,
    label: 'remove the `normalise`',
  }),

  'empty-normalise': (_: object): Words => ({
    message: 'this `normalise` does not say what to do',
    label: 'add `trim`, `lower` or both',
  }),

  'id-property': (f: { property: string }): Words => ({
    message: 'the `id` is made by Kiln, and nothing but its type can be said of it',
    label: `remove the \`${f.property}\``,
    help: 'write `field id { type uuid }`, or nothing at all for an integer',
  }),

  'id-type': (f: { type: string | undefined }): Words => ({
    message: f.type ? `an \`id\` cannot be of type \`${f.type}\`` : 'this `id` has no type',
    label: 'write `type uuid`, or leave the field out for an integer',
  }),

  'too-many-columns': (f: { model: string; count: number; most: number }): Words => ({
    message: `\`${f.model}\` has ${f.count} columns with its \`id\`, and the database takes at most ${f.most}`,
    label: 'move some of its fields to a model of their own',
  }),

  'reference-without-target': (f: { reference: string; near: NearName | undefined }): Words => ({
    message: `\`${f.reference}\` does not say to which model it refers`,
    label: f.near ? `add \`to ${f.near.name}\`` : 'add `to` and the name of a model',
  }),

  'set-null-needs-nullable': (f: { reference: string }): Words => ({
    message: `\`${f.reference}\` is set to null when its record is deleted, but it is not nullable`,
    label: 'add `nullable`, or use `on delete cascade` or `restrict`',
  }),

  'reference-index': (f: { reference: string } & Flagged): Words => ({
    message: `the reference \`${f.reference}\` has an index already`,
    label: 'remove this',
    edits: withoutFlag(f),
  }),

  'reference-secret': (f: { reference: string }): Words => ({
    message: `the reference \`${f.reference}\` cannot be secret`,
    label: 'only fields can; leave it out of the response instead',
  }),

  'incomplete-relation': (f: { relation: string; lacks: readonly string[]; near: NearName | undefined }): Words => ({
    message: `\`${f.relation}\` lacks its ${listOf(f.lacks)}`,
    label: f.near ? `add \`through ${f.near.name}\`` : 'a relation is the reverse side of a reference of another model',
    help: f.near ? undefined : 'a relation is written `relation posts { from Post, through author }`',
  }),

  'relation-by-path': (f: { relation: string }): Words => ({
    message: `\`${f.relation}\` walks a path, and a relation is one step`,
    label: 'name one model in `from` and one of its references in `through`',
    help: 'a longer way is a query: `query users { from memberships.user }`',
  }),

  'relation-alias': (f: { relation: string; alias: string }): Words => ({
    message: `\`${f.relation}\` has an alias, but nothing in a relation could use it`,
    label: `remove \`as ${f.alias}\``,
  }),

  'unknown-through': (f: {
    relation: string;
    source: string;
    model: string;
    name: string;
    found: string | undefined;
    near: NearName | undefined;
  }): Words => ({
    message: f.found
      ? `\`${f.relation}\` goes through \`${f.source}.${f.name}\`, which is ${memberNoun(f.found)} and not a reference to \`${f.model}\``
      : `\`${f.relation}\` goes through \`${f.name}\`, but \`${f.source}\` has no such reference to \`${f.model}\``,
    label:
      didYouMean(f.near) ??
      (f.found
        ? `\`${f.source}\` needs a reference, such as \`reference ${f.name.replace(/_id$/, '')} { to ${f.model} }\``
        : `add \`reference ${f.name} { to ${f.model} }\` to \`${f.source}\``),
    instead: f.near?.name,
  }),

  'relation-elsewhere': (f: {
    relation: string;
    source: string;
    reference: string;
    to: string;
    model: string;
    near: NearName | undefined;
    declared: Span;
  }): Words => ({
    message: `\`${f.relation}\` goes through \`${f.source}.${f.reference}\`, which refers to \`${f.to}\`, not to \`${f.model}\``,
    label: didYouMean(f.near) ?? `name a reference of \`${f.source}\` that refers to \`${f.model}\``,
    notes: note(f.declared, `\`${f.source}.${f.reference}\` is declared here`),
    instead: f.near?.name,
  }),

  'unknown-key-part': (f: UnfitMember & { kind: 'unique' | 'index' }): Words => ({
    message: f.found
      ? `\`${f.model}.${f.name}\` is ${memberNoun(f.found)}, and \`${f.kind}\` takes fields and references`
      : `\`${f.model}\` has no field or reference \`${f.name}\``,
    label: didYouMean(f.near) ?? (f.found ? 'name a field or a reference' : itHas(f.others)),
    instead: f.near?.name,
  }),

  'key-over-one': (f: { kind: 'unique' | 'index'; count: number }): Words => ({
    message: `\`${f.kind} { … }\` is over several fields, and this has ${f.count === 0 ? 'none' : 'one'}`,
    label: f.count === 0 ? 'name two or more' : `write \`${f.kind}\` in the field or the reference itself`,
  }),

  /** Said at the first that is too many. */
  'key-over-many': (f: { kind: 'unique' | 'index'; count: number; most: number }): Words => ({
    message: `this \`${f.kind} { … }\` is over ${f.count} fields, and the database takes at most ${f.most}`,
    label: f.count === f.most + 1 ? 'remove one of them' : `remove ${f.count - f.most} of them`,
  }),

  'direction-in-unique': (_: object): Words => ({
    message: 'a `unique` has no direction',
    label: 'remove this; `index { a, b desc }` may have one',
    instead: '',
  }),

  'computed-not-a-value': (f: {
    member: string;
    type: string;
    is: 'records' | 'values' | 'record' | 'null';
  }): Words => ({
    message: `\`${f.member}\` is ${f.type}, and a computed member is a single value`,
    label: SINGLE_VALUE[f.is],
  }),

  /** A hook is shown where it is declared: it selects itself in an argument, or another hook that does. */
  'depends-on-itself': (f: { member: string; declared: Span | undefined }): Words => ({
    message: `\`${f.member}\` depends on itself`,
    label: f.declared ? 'this leads back to it' : 'what its arguments select leads back to it',
    notes: f.declared && note(f.declared, `\`${f.member}\` is declared here`),
  }),

  /** `chain` has the members that are used, each by the one before it; the extent is not known where it is too long. */
  'expands-too-far': (f: { member: string; extent: Extent | undefined; chain: readonly string[] }): Words => ({
    message: `\`${f.member}\` ${extentWords(f.extent)}`,
    label: `${chainWords(f.chain)}write it with fewer uses of others, such as \`2 * x\` for \`x + x\`, or store a value in between`,
  }),

  'missing-from': (f: { noun: string }): Words => ({
    message: `${f.noun} does not say where its records come from`,
    label: 'add `from`, such as `from posts`',
  }),

  'not-records': (f: { name: string; model?: string; type: string }): Words => ({
    message: `\`${f.model === undefined ? '' : `${f.model}.`}${f.name}\` is ${f.type}, and a query needs records`,
    label: 'name a relation, a reference or a query',
  }),

  'idle-property': (f: { property: string; cardinality: string }): Words => ({
    message: `\`${f.property}\` has no effect in a query that ends in \`${f.cardinality}\``,
    label: `remove the \`${f.property}\``,
  }),

  'negative-limit': (f: { property: string; value: number }): Words => ({
    message: `\`${f.property}\` is ${f.value}, but it must be 0 or more`,
    label: 'use 0 or more',
  }),

  'not-sortable': (f: { type: string }): Words => ({
    message: `records cannot be ordered by ${f.type}`,
    label: sortableInstead(f.type),
  }),

  'empty-enum': (f: { enum: string }): Words => ({
    message: `the enum \`${f.enum}\` has no values`,
    label: 'add at least one',
  }),

  'long-enum-value': (f: { enum: string; length: number; longest: number }): Words => ({
    message: `the enum \`${f.enum}\` has a value of ${f.length} characters, and the database takes at most ${f.longest}`,
    label: 'give it a shorter name',
  }),

  'still-there': (f: { noun: string; name: string; how: 'was' | 'drop'; declared: Span }): Words => ({
    message:
      f.how === 'was'
        ? `\`was ${f.name}\` says that \`${f.name}\` has a new name, but there still is a ${f.noun} called \`${f.name}\``
        : `\`${dropping(f)}\` says that \`${f.name}\` is gone, but there still is a ${f.noun} called \`${f.name}\``,
    label: `remove \`${f.how === 'was' ? `was ${f.name}` : dropping(f)}\`${isId(f) ? '' : `, or the ${f.noun}`}`,
    notes: note(f.declared, isId(f) ? 'every model has an `id`' : `\`${f.name}\` is here`),
  }),

  'renamed-to-itself': (f: { name: string }): Words => ({
    message: `\`was\` names what \`${f.name}\` was called before, and that is another name`,
    label: `remove \`was ${f.name}\``,
  }),

  'gone-twice': (f: {
    noun: string;
    name: string;
    how: 'was' | 'drop';
    firstHow: 'was' | 'drop';
    first: Span;
  }): Words => ({
    message: GONE_TWICE[`${f.firstHow} ${f.how}`](f.name, f.noun),
    label: f.how === f.firstHow ? 'keep one of them' : `keep \`was ${f.name}\` or \`${dropping(f)}\``,
    notes: note(f.first, 'the first is here'),
  }),

  'doc-comment-behind': (_: object): Words => ({
    severity: 'warning',
    message: 'a doc comment describes what comes after it, not what is before it on its line',
    label: 'put it on a line of its own, above what it describes',
  }),

  'misplaced-doc-comment': (_: object): Words => ({
    severity: 'warning',
    message: 'a doc comment has nothing to describe here',
    label: 'put it above a declaration that has a name, or write it with `//`',
  }),

  'misplaced-flag': (f: { flag: string; noun: string } & Partial<Flagged>): Words => ({
    edits: withoutFlag(f),
    message:
      f.flag === 'backfill' || f.flag === 'was' || f.flag === 'on update'
        ? `${f.noun} has no \`${f.flag}\``
        : `${f.noun} cannot be \`${f.flag}\``,
    label: `remove the \`${f.flag}\``,
  }),

  'nothing-to-select': (f: { name: string; type: string | undefined }): Words => ({
    message: f.type
      ? `\`${f.name}\` is ${f.type}, so there is nothing to select from it`
      : `\`${f.name}\` is a hook, so what it gives is up to its code`,
    label: 'remove this',
    instead: '',
  }),
};

/** Where a flag stands, and where it ends together with the comma behind it. */
export interface Flagged extends Span {
  readonly withComma: number;
}

/** What has a value behind it is no flag, and takes more than this to remove. */
function withoutFlag({ file, start, withComma }: Partial<Flagged>): readonly Edit[] | undefined {
  if (file === undefined || start === undefined || withComma === undefined) return undefined;
  return [{ span: { file, start, end: withComma }, text: '' }];
}

/** Where a type can be said. */
type TypeHolder = 'field' | 'extra input' | 'argument' | 'result';

const RECORD_INSTEAD: Readonly<Record<TypeHolder, (name: string, model: string) => string>> = {
  field: (name, model) => `write \`reference ${name} { to ${model} }\``,
  'extra input': (name) => `take its key: \`field ${name.replace(/_id$/, '')}_id { type integer }\``,
  argument: () => 'a validator looks at a value, not at a record',
  result: () => 'a hook gives values: name its fields, as in `{ id: integer, name: string }`',
};

const RECORDS_INSTEAD: typeof RECORD_INSTEAD = {
  ...RECORD_INSTEAD,
  field: (name, model) => `write \`relation ${name} { from ${model}, through … }\``,
  'extra input': (name) => `take their keys: \`field ${name} { type [integer] }\``,
  result: () => 'a hook gives values: write `[integer]` for their keys, or `json`',
};

const SINGLE_VALUE = {
  records: 'count them with `count(…)`, or make this a query',
  values: 'take one with `min(…)` or `max(…)`, or count them with `count(…)`',
  record: 'name one of its fields',
  null: 'compute something',
};

function sortableInstead(type: string): string {
  if (isMany(type)) return 'order by a single value, such as `count(…)`';
  if (/^an? `/.test(type)) return 'order by one of its fields';
  return 'order by a number, a string, a boolean, a date, a timestamp, an enum or a uuid';
}

function isId({ noun, name }: { noun: string; name: string }): boolean {
  return noun === 'member' && name === 'id';
}

function dropping({ noun, name }: { noun: string; name: string }): string {
  return noun === 'model' ? `drop model ${name}` : `drop ${name}`;
}

const GONE_TWICE: Readonly<Record<`${'was' | 'drop'} ${'was' | 'drop'}`, (name: string, noun: string) => string>> = {
  'was was': (name, noun) => `two ${noun}s say that they were called \`${name}\` before`,
  'was drop': (name) => `\`${name}\` is renamed, and dropped as well`,
  'drop was': (name) => `\`${name}\` is dropped, and renamed as well`,
  'drop drop': (name) => `\`${name}\` is dropped twice`,
};

export interface Extent {
  readonly size: number;
  readonly depth: number;
  readonly limits: { readonly size: number; readonly depth: number };
}

const MOST_OF_CHAIN = 3;

function extentWords(extent: Extent | undefined): string {
  if (extent === undefined) return 'is part of too long a chain of members that use each other';
  const { size, depth, limits } = extent;
  const [count, most] =
    size > limits.size
      ? [`${size.toLocaleString('en')} parts`, limits.size]
      : [`${depth} expressions inside of each other`, limits.depth];
  return `has ${count} once the members that it uses are written out, and at most ${most.toLocaleString('en')} are allowed`;
}

/** It uses `b`, which uses `c`, …: the first few. */
function chainWords(chain: readonly string[]): string {
  if (chain.length === 0) return '';
  const names = chain.slice(0, MOST_OF_CHAIN).map((name) => `\`${name}\``);
  const more = chain.length > MOST_OF_CHAIN ? ', and so on' : '';
  return `it uses ${names.join(', which uses ')}${more}: `;
}
