import type { Span } from '../../source/source-file.ts';
import { type Edit, said, type Words } from '../words/words.ts';
import {
  didYouMean,
  itHas,
  listOf,
  note,
  SETTING_TYPES,
  twice,
  type Unknown,
  unknown,
  withArticle,
} from './phrases.ts';

/** Names that lead nowhere, and names given twice. */
export const nameWords = {
  'unknown-model': (f: Unknown & { user: string }): Words =>
    unknown(
      f,
      `\`${f.user}\` refers to \`${f.name}\`, but no model has that name`,
      `declare it: \`model ${f.name} { … }\``,
    ),

  'unknown-type': (f: Unknown & { owner: string; isSetting: boolean }): Words =>
    unknown(
      f,
      `\`${f.owner}\` is of type \`${f.name}\`, which is neither a type nor an enum`,
      'no such type',
      f.isSetting
        ? SETTING_TYPES
        : 'the types are `string`, `integer`, `float`, `boolean`, `decimal`, `timestamp`, `date`, `uuid`, `json`, `file`, your enums, and lists of them, such as `[string]`',
    ),

  'bad-digits': (f: { type: string; digits: number; places: number }): Words =>
    f.type === 'decimal'
      ? {
          message: `a decimal cannot have ${f.digits} digits with ${f.places} of them after the point`,
          label: 'use 1 to 1000 digits, and no more after the point than in all',
        }
      : {
          message: `\`${f.type}\` has no number of digits`,
          label: 'only a decimal has one',
          help:
            f.type === 'string'
              ? 'for a longest text, use `validate { maxLength(80) }`'
              : 'use `min` and `max` in `validate`',
        },

  'unknown-member': (f: Unknown & { model: string }): Words =>
    unknown(f, `\`${f.model}\` has no member \`${f.name}\``, 'no such member'),

  'unknown-field': (f: Unknown & { model: string }): Words =>
    unknown(f, `\`${f.model}\` has no field or reference \`${f.name}\``, 'no such field'),

  'unknown-reference': (f: Unknown & { model: string }): Words =>
    unknown(f, `\`${f.model}\` has no reference \`${f.name}\``, `\`${f.model}\` has no references`),

  /**
   * `isDropped` where a backfill wants the values of what is dropped, `maybeText` where a text fits, so that the quotes
   * may have been forgotten.
   */
  'unknown-name': (
    f: Unknown & Unseen & { holder?: string | undefined; isDropped?: boolean; maybeText?: boolean },
  ): Words => ({
    message: f.holder
      ? `\`${f.name}\` is neither a member of \`${f.holder}\` nor another name that ${f.noun} can use`
      : `there is no \`${f.name}\` that ${f.noun} can use`,
    ...(f.isDropped
      ? { label: `\`drop ${f.name}\` deletes it; to use its values in a \`backfill\`, drop it in a later release` }
      : {
          label: didYouMean(f.near) ?? (f.maybeText ? `for a text, write \`"${f.name}"\`` : whatIsSeen(f)),
          instead: f.near?.name,
        }),
  }),

  /** `call` is the name as it would be called. */
  'not-called': (f: { call: string }): Words => ({
    message: `\`${f.call.replace(/\(.*$/, '')}\` is a function and must be called`,
    label: `call it: \`${f.call}\``,
    instead: f.call.endsWith('()') ? f.call : undefined,
  }),

  /** `by` is the action that takes the input; undefined in an `authorize`. */
  'input-too-early': (f: { input: string; by?: string | undefined }): Words => {
    const action = f.by === 'custom' ? 'action' : `\`${f.by}\``;
    return f.by
      ? said(
          `\`${f.input}\` is an input of the ${action} below, and not known before it`,
          `move this behind the ${action}`,
        )
      : said(
          `\`${f.input}\` is an input, and \`authorize\` runs before the body is read, so it cannot use inputs`,
          'check the input with a `validate` in the action',
        );
  },

  'unknown-input': (f: Unknown & { noun: string; others: readonly string[] }): Words => ({
    message: f.others.length === 0 ? `${f.noun} has no inputs here` : `there is no input \`${f.name}\` here`,
    label: didYouMean(f.near) ?? (f.others.length === 0 ? 'no such input' : `the inputs are ${listOf(f.others)}`),
    instead: f.near?.name,
  }),

  'input-without-name': (f: { others: readonly string[] }) =>
    said('`@input` needs the name of an input', `write \`@input.${f.others[0] ?? 'name'}\``),

  'input-as-record': (f: { word: string }): Words => ({
    message: `\`${f.word}\` is not a record, so it cannot be updated or deleted`,
    label: 'name a record: an alias, a path or `@auth`',
  }),

  'incomplete-request-value': (f: { word: '@request' | '@claims' }): Words => ({
    message:
      f.word === '@claims' ? '`@claims` needs the name of a claim' : '`@request` gives headers, and nothing else',
    label: `write \`${f.word === '@claims' ? '@claims.tenant' : '@request.header("x-tenant")'}\``,
  }),

  'claims-without-subject': (_: object): Words => ({
    message: '`@claims` is used, but `auth` takes no tokens of an outside provider',
    label: 'name the field that holds their `sub`: `auth { subject … }`',
  }),

  /** `isField` is for an input that has its name from a field, `isQueried` for a row that can have an alias. */
  'ambiguous-name': (f: {
    name: string;
    model: string;
    isInput: boolean;
    isField: boolean;
    isQueried: boolean;
    other: Span;
  }): Words => {
    const noun = f.isInput ? 'input' : 'alias';
    const row = f.model.charAt(0).toLowerCase();
    const wayOut = `name the row, as in \`from … as ${row}\`: then \`${row}.${f.name}\` is the member, and \`${f.name}\` the ${noun}`;
    const asInput = `write \`@input.${f.name}\` for the input, then \`${f.name}\` beside it is the member; or give the input another name`;
    return {
      message: `\`${f.name}\` could be the member of \`${f.model}\` or the ${noun} of that name`,
      label: f.isInput ? asInput : `give the ${noun} another name`,
      notes: note(f.other, `the ${noun} is here`),
      help: f.isQueried || f.isField ? `or ${wayOut}` : undefined,
    };
  },

  'model-or-alias': (f: { name: string; alias: Span }): Words => ({
    message: `\`from ${f.name}\` could be the model or the alias of that name`,
    label: 'give the alias another name',
    notes: note(f.alias, 'the alias is here'),
  }),

  /** `detour` is the part of a path that can be left out, for the record's fields are names of their own. */
  'name-out-of-reach': (f: { name: string; model: string; endpoint: string; detour: Span | undefined }): Words => ({
    message: `\`${f.name}\` is one \`${f.model}\`, and ${NO_RECORD[f.endpoint]}`,
    label: f.detour
      ? `leave out \`${f.name}.\`: the fields of each \`${f.model}\` are names here`
      : 'use it in get, update, delete and custom `one` endpoints',
    edits: f.detour && [{ span: f.detour, text: '' }],
  }),

  'result-not-here': (f: { name: string; noun: string; declared: Span }): Words => ({
    message: `\`${f.name}\` is the result of an action, and ${f.noun} of a list cannot use it`,
    label: 'use members, inputs or `@auth`',
    help: 'a `GET many` endpoint can use it in another query, and `respond` with what that finds',
    notes: note(f.declared, 'the action is here'),
  }),

  'unknown-source': (f: Unknown): Words =>
    unknown(
      f,
      `\`from ${f.name}\` is unknown: no relation, reference, query, alias or model has that name`,
      'name a relation, such as `posts`, or a model, such as `Post`',
    ),

  /** `edits` where it takes more than another name. */
  'unknown-function': (
    f: Unknown & { functions: readonly string[]; edits?: readonly Edit[]; isValidator?: boolean },
  ): Words => {
    if (f.isValidator)
      return {
        message: `\`${f.name}\` is a validator, and not a function`,
        label: `use it in \`validate { ${f.name}(…) }\` of a field, an input or an action`,
      };
    const help = `the functions are ${listOf(f.functions)}`;
    const words = unknown(f, `there is no function \`${f.name}\``, 'no such function', help);
    return f.edits ? { ...words, instead: undefined, edits: f.edits } : words;
  },

  'unknown-validator': (f: Unknown & { builtIn: readonly string[] }): Words =>
    unknown(
      f,
      `there is no validator \`${f.name}\``,
      `declare it: \`validator ${f.name} { … }\``,
      `built in are ${listOf(f.builtIn)}`,
    ),

  'unknown-runtime': (f: Unknown): Words =>
    unknown(f, `there is no runtime \`${f.name}\``, `declare it: \`runtime ${f.name} { source path "folder" }\``),

  /** `top` is the beginning of the file, where it must be secret. */
  'unknown-setting': (f: Unknown & { top?: Span | undefined }): Words => {
    const declaration = `setting ${f.name} ${f.top ? '{ secret }' : '{}'}`;
    return {
      ...unknown(f, `there is no setting \`${f.name}\``, `declare it: \`${declaration}\``),
      edits: f.top && !f.near ? [{ span: f.top, text: `${declaration}\n\n` }] : undefined,
    };
  },

  'unknown-job': (f: Unknown & { isMail: boolean }): Words =>
    f.isMail
      ? unknown(f, `there is no mail \`${f.name}\``, `declare it: \`mail ${f.name} { to … subject … body … }\``)
      : unknown(f, `there is no job \`${f.name}\``, `declare it: \`job ${f.name} { action { … } }\``),

  'unknown-job-input': (f: Unknown & { job: string; isMail: boolean }): Words =>
    unknown(
      f,
      `the ${f.isMail ? 'mail' : 'job'} \`${f.job}\` has no input \`${f.name}\``,
      `\`${f.job}\` has no inputs`,
    ),

  'unknown-enum-value': (f: {
    value: string;
    enum: string;
    values: readonly string[];
    near: string | undefined;
    declared: Span;
  }): Words => ({
    message: `\`"${f.value}"\` is not a value of the enum \`${f.enum}\``,
    label: f.near ? `did you mean \`"${f.near}"\`?` : itHas(f.values.map((value) => `"${value}"`)),
    notes: note(f.declared, `\`${f.enum}\` is declared here`),
    instead: f.near && `"${f.near}"`,
  }),

  'unknown-faker-module': (f: Unknown & { modules: readonly string[] }): Words =>
    unknown(f, `faker has no module \`${f.name}\``, 'no such module', `its modules are ${listOf(f.modules)}`),

  'unknown-faker-method': (f: Unknown & { module: string; methods: readonly string[] }): Words =>
    unknown(
      f,
      `\`faker.${f.module}\` has no method \`${f.name}\``,
      'no such method',
      `its methods are ${listOf(f.methods)}`,
    ),

  'bad-faker-path': (_: object) =>
    said('faker is called with a module and a method', 'write it like `faker.person.fullName()`'),

  'declared-twice': (f: { noun: string; name: string | undefined; first: Span }): Words => ({
    message: f.name ? `there is already ${withArticle(f.noun)} called \`${f.name}\`` : `\`${f.noun}\` is written twice`,
    label: f.name ? 'give one of them another name' : 'remove one of them',
    notes: note(f.first, 'the first is here'),
  }),

  'same-output': (f: { output: string; first: Span }): Words =>
    twice(f, `two clients would be written to \`${f.output}\``, 'give one of them another `output`'),

  'same-table': (f: { name: string; other: string; table: string; first: Span }): Words => ({
    message: `\`${f.name}\` and \`${f.other}\` would share one name in the database, \`${f.table}\``,
    label: 'give one of them another name',
    notes: note(f.first, `\`${f.other}\` is here`),
  }),

  'reserved-table': (f: { name: string; isEnum: boolean; table: string; prefix: 'kiln_' | 'pg_' }): Words => {
    const noun = f.isEnum ? 'type' : 'table';
    return {
      message: `\`${f.name}\` would be the ${noun} \`${f.table}\`, and names with \`${f.prefix}\` are for ${OWNERS[f.prefix]} own ${noun}s`,
      label: 'choose another name',
    };
  },

  'reserved-column': (f: { field: string; column: string }): Words => ({
    message: `\`${f.field}\` would be the column \`${f.column}\`, which Postgres reserves in every table`,
    label: 'choose another name',
  }),

  'same-column': (f: {
    name: string;
    other: string;
    column: string;
    reference: string | undefined;
    first: Span;
  }): Words => ({
    message: `\`${f.name}\` and \`${f.other}\` would share one column, \`${f.column}\``,
    label: 'give one of them another name',
    notes: note(
      f.first,
      f.reference ? `the reference \`${f.reference}\` has the key \`${f.other}\`` : `\`${f.other}\` is here`,
    ),
  }),

  /** `reference` is the one to which the first of the two belongs as its key, `keyOf` the one to which the second does. */
  'duplicate-member': (f: {
    name: string;
    model: string;
    origin: 'written' | 'id' | 'reference';
    reference?: string | undefined;
    keyOf?: string | undefined;
    first: Span;
  }): Words => ({
    message: f.keyOf
      ? `the reference \`${f.keyOf}\` has the key \`${f.name}\`, and \`${f.model}\` already has a member of that name`
      : `\`${f.model}\` already has a member called \`${f.name}\``,
    label: DUPLICATE_LABEL[f.keyOf ? 'key' : f.origin],
    notes: note(f.first, DUPLICATE_ORIGIN[f.origin](f.reference)),
  }),

  'duplicate-property': (f: { property: string; before?: string; first: Span }): Words => ({
    message:
      f.before !== undefined && f.before !== f.property
        ? `\`${f.property}\` cannot be combined with \`${f.before}\``
        : `\`${f.property}\` is written twice`,
    label: 'remove one of them',
    notes: note(f.first, 'the first is here'),
  }),

  'duplicate-argument': (f: { name: string; first: Span }): Words =>
    twice(f, `there are two arguments called \`${f.name}\``, 'give one of them another name'),

  'duplicate-enum-value': (f: { value: string; enum: string; first: Span }): Words =>
    twice(f, `the enum \`${f.enum}\` has the value \`${f.value}\` twice`, 'remove one of them'),

  'alias-hides-name': (f: { alias: string; hidden: Span }): Words => ({
    message: `\`${f.alias}\` is already the name of something else here`,
    label: 'choose another name',
    notes: note(f.hidden, `this is \`${f.alias}\` too`),
  }),

  /** `other` is the first, where that is another name of the same column. */
  'selected-twice': (f: { name: string; first: Span; isKey: boolean; other: string | undefined }): Words => ({
    message: f.other ? `\`${f.other}\` and \`${f.name}\` are the same column` : `\`${f.name}\` is listed twice`,
    label: f.isKey ? 'remove one of them' : `remove one of them, or rename it, as in \`other: ${f.name}\``,
    notes: note(f.first, 'the first is here'),
  }),
};

const OWNERS = { kiln_: "Kiln's", pg_: "Postgres'" };

const DUPLICATE_ORIGIN = {
  written: () => 'the first is here',
  id: () => 'every model has an `id` of its own',
  reference: (reference: string | undefined) => `it is the key of the reference \`${reference}\``,
};

const DUPLICATE_LABEL = {
  written: 'give one of them another name',
  id: 'choose another name',
  reference: 'remove this, or choose another name',
  key: 'remove the other, or choose another name',
};

/** The reasons why there is no record, by the kind of endpoint. */
const NO_RECORD: Readonly<Record<string, string>> = {
  list: 'a `list endpoint` is about all of them',
  create: 'a `create endpoint` has no record yet',
  custom: 'a custom endpoint over many is about all of them',
};

export interface Unseen {
  readonly name: string;
  readonly noun: string;
  readonly others?: readonly string[];
  /** The record of an entrypoint without an alias, and a name that it could have. */
  readonly unnamed: { readonly resource: string; readonly alias: string } | undefined;
}

function whatIsSeen({ name, noun, others = [], unnamed }: Unseen): string {
  if (unnamed)
    return `name the record with \`entrypoint ${unnamed.resource} as ${unnamed.alias}\`, and write \`${unnamed.alias}.${name}\``;
  if (noun === 'a default') return 'a default cannot read other members; use a `set` where the record is created';
  if (noun === 'an `on update`')
    return 'an `on update` cannot read other members; use a `set` where the record is updated';
  if (noun === 'a populator' && others.length === 0) return `if this counts, name it: \`repeat as ${name} 20\``;
  return itHas(others)?.replace(/^it has/, 'it can use') ?? 'no such name';
}
