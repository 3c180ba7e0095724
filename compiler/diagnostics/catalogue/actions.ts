import type { Span } from '../../source/source-file.ts';
import { plural } from '../words/plural.ts';
import type { Words } from '../words/words.ts';
import { aRecord, listOf, memberNoun, note, type UnfitMember, unfit } from './phrases.ts';

/** Actions, inputs and populators. */
export const actionWords = {
  'no-own-action': (f: { kind: string; model: string }): Words => ({
    message: `this \`${f.kind} endpoint\` never does its own ${f.kind}`,
    label: `add \`${OWN_ACTIONS[f.kind]?.example}\``,
    help: `an \`action\` replaces what the endpoint does by itself; \`${OWN_ACTIONS[f.kind]?.example}\` ${OWN_ACTIONS[f.kind]?.does} the \`${f.model}\` of the request`,
  }),

  'two-own-actions': (f: { kind: string; first: Span }): Words => ({
    message: `this is the second ${f.kind} of the endpoint's own record`,
    label: 'name another target, or remove it',
    notes: note(f.first, 'the first is here'),
  }),

  /** `record` is what the entrypoint calls its record, where there is one. */
  'action-without-target': (f: {
    kind: string;
    model: string;
    record: string | undefined;
    hasRecord: boolean;
  }): Words => ({
    message: `this \`${f.kind}\` does not say of what`,
    label:
      f.kind === 'create'
        ? `name a model, as in \`create ${f.model}\``
        : f.record
          ? `write \`${f.kind} ${f.record}\``
          : f.hasRecord
            ? `name the record with \`as\` in the entrypoint, and then here`
            : `name a record, or ${MANY_DEEDS[f.kind]}`,
  }),

  'create-in-what': (f: { path: string; type: string }): Words => ({
    message: `\`${f.path}\` is ${f.type}, and records are made in a relation`,
    label: 'name a model, or a relation such as `post.comments`',
  }),

  'not-one-record': (f: { path: string; kind: string; type: string }): Words => ({
    message: `\`${f.kind}\` takes a record, but \`${f.path}\` is ${f.type}`,
    label: MANY_TYPES.test(f.type) ? `${MANY_DEEDS[f.kind]}` : 'name a record',
  }),

  'cannot-set': (f: { name: string; model: string; kind: string; declared: Span }): Words => ({
    message:
      f.name === 'id'
        ? 'the `id` is made by Kiln and never set'
        : `\`${f.model}.${f.name}\` is ${memberNoun(f.kind)}, which stores nothing`,
    label: f.name === 'id' ? 'leave this out' : 'set a field or a reference',
    notes: f.name === 'id' ? undefined : note(f.declared, `\`${f.name}\` is declared here`),
  }),

  'parent-is-set': (f: { reference: string }): Words => ({
    message: `\`${f.reference}\` is set already, to the parent`,
    label: 'remove this',
  }),

  'given-twice': (f: { field: string; first: Span }): Words => ({
    message: `\`${f.field}\` is given twice`,
    label: 'remove one of them',
    notes: note(f.first, 'the first is here'),
  }),

  'unset-field': (f: {
    fields: readonly { name: string; declared: Span; internal: boolean }[];
    model: string;
    inputs: boolean;
  }): Words => {
    const sets = listOf(f.fields.map(({ name }) => `set ${name} …`));
    return {
      message: `this makes ${aRecord(f.model)} without ${listOf(f.fields.map(({ name }) => name))}, which it must have`,
      label: f.inputs ? `add ${sets}` : `add ${sets}, or name the action with \`as\`, so that the client can send this`,
      notes: f.fields.map(({ name, declared, internal }) => ({
        span: declared,
        text: internal
          ? `\`${name}\` is internal, so clients do not send it, and it has no default`
          : `\`${name}\` is neither nullable nor has a default`,
      })),
    };
  },

  'sometimes-set': (f: { field: string; model: string; declared: Span }): Words => ({
    message: `\`${f.model}.${f.field}\` is set only where \`when\` holds, but every new record needs it`,
    label: 'write `if(condition, value, other value)` in place of `when`',
    notes: note(f.declared, `\`${f.field}\` is neither nullable nor has a default`),
  }),

  'when-in-populator': (_: object): Words => ({
    message: 'a populator sets a field in every record, so it has no `when`',
    label: 'write `set … if(condition, value, other value)`',
  }),

  'excepted-input': (f: { field: string; excepted: Span }): Words => ({
    message: `\`${f.field}\` is listed in \`input\` and in \`except\``,
    label: 'remove it here, or from `except`',
    notes: note(f.excepted, 'the exception is here'),
  }),

  'input-of-reference': (f: { reference: string }): Words => ({
    message: `\`${f.reference}\` is a reference, and the client sends its key`,
    label: `write \`${f.reference}_id\`, or \`reference ${f.reference} { through … }\` outside of \`input\``,
    instead: `${f.reference}_id`,
  }),

  'inputs-need-alias': (f: { kind: string; alias: string }): Words => ({
    message: `the inputs of this \`${f.kind}\` have no place in the body`,
    label: `name the action: \`${f.kind} … as ${f.alias} { … }\``,
    help: "only the endpoint's own action takes its inputs at the root of the body; the others take them under their names",
  }),

  'required-with-default': (f: { field: string }): Words => ({
    message: `\`${f.field}\` cannot be required and have a default`,
    label: 'keep one of them',
  }),

  'no-unique-key': (f: { does: Conflict; model: string; declared: Span }): Words => ({
    message: `\`or ${f.does}\` finds a record by a unique key, and \`${f.model}\` has none`,
    label: `make a field of \`${f.model}\` \`unique\`, or leave this out`,
    notes: note(f.declared, `\`${f.model}\` is declared here; \`unique { a, b }\` makes a key of several members`),
  }),

  'which-key': (f: { does: Conflict; model: string; keys: readonly (readonly string[])[]; end: Span }): Words => ({
    message: `\`${f.model}\` has ${f.keys.length} unique keys, and this \`or ${f.does}\` does not say which one counts`,
    label: `name it: ${listOf(
      f.keys.map((key) => `or ${f.does} by ${keyText(key)}`),
      'or',
    )}`,
    edits: [{ span: f.end, text: ` by ${keyText(f.keys[0] ?? [])}` }],
  }),

  'not-a-key': (f: { model: string; names: readonly string[]; keys: readonly (readonly string[])[] }): Words => ({
    message: f.names.includes('id')
      ? '`id` cannot be the key: Kiln generates it, so it never matches an existing record'
      : `\`${f.model}\` has no unique key over ${f.names.length === 0 ? 'nothing' : listOf(f.names)}`,
    label: keyRemedy(f),
  }),

  'key-not-given': (f: {
    does: Conflict;
    model: string;
    fields: readonly { name: string; declared: Span }[];
  }): Words => ({
    message: `\`or ${f.does}\` finds the \`${f.model}\` by its key, but this \`create\` has no value for ${listOf(
      f.fields.map(({ name }) => name),
      'or',
    )}`,
    label: `add ${listOf(f.fields.map(({ name }) => `set ${name} …`))}, or take it from the client`,
    notes: f.fields.map(({ name, declared }) => ({ span: declared, text: `\`${name}\` is part of the unique key` })),
  }),

  /** `reference` is that to the parent; without one, it is the parent that refers to the record. */
  'key-without-parent': (f: {
    does: Conflict;
    model: string;
    parent: string;
    reference: string | undefined;
    key: readonly { name: string; declared: Span }[];
    /** A key that does contain the reference. */
    other: readonly string[] | undefined;
    place: { span: Span; isNamed: boolean };
  }): Words => ({
    message: `this \`or ${f.does}\` may find ${aRecord(f.model)} that belongs to another \`${f.parent}\``,
    label: parentRemedy(f),
    notes: f.key.map(({ name, declared }) => ({
      span: declared,
      text: `\`${name}\` is part of the unique key, which does not contain the \`${f.parent}\``,
    })),
    ...(f.other
      ? { edits: [{ span: f.place.span, text: `${f.place.isNamed ? '' : ' by '}${keyText(f.other)}` }] }
      : {}),
  }),

  'nullable-key': (f: {
    field: string;
    key: readonly string[];
    model: string;
    does: Conflict;
    declared: Span;
    end: Span;
  }): Words => ({
    severity: 'warning',
    message: `\`${f.field}\` may be null; without it, a new \`${f.model}\` is always created`,
    label: `make \`${f.field}\` not nullable, or say that this is meant: \`or ${f.does} by ${keyText(f.key)}\``,
    notes: note(f.declared, `\`${f.field}\` is nullable, and two nulls are not equal in a unique key`),
    edits: [{ span: f.end, text: ` by ${keyText(f.key)}` }],
  }),

  'lookup-without-path': (f: { reference: string }): Words => ({
    message: `\`reference ${f.reference}\` does not say by what the record is found`,
    label: 'add `through`, such as `through email`',
  }),

  'create-through-path': (f: { model: string; path: string; isId: boolean }): Words => ({
    message: f.isId
      ? '`or create` cannot use the `id`, because Kiln generates it'
      : `\`or create\` needs a unique field of \`${f.model}\`, but \`${f.path}\` is a field of another model`,
    label: `leave this out, or go through a unique field of \`${f.model}\` itself`,
  }),

  'create-lacks-field': (f: {
    model: string;
    by: string;
    fields: readonly { name: string; declared: Span }[];
  }): Words => ({
    message: `${aRecord(f.model)} cannot be made with \`${f.by}\` alone: it must have ${listOf(f.fields.map(({ name }) => name))}, too`,
    label: 'leave this out, or make it with a `create … or keep` before',
    notes: f.fields.map(({ name, declared }) => ({
      span: declared,
      text: `\`${name}\` is neither nullable nor has a default`,
    })),
  }),

  'not-a-list-input': (f: { path: string; type: string }): Words => ({
    message: `\`for\` goes over a list that the client sends, but \`${f.path}\` is ${f.type}`,
    label: 'name an extra input of a list type, such as `field tags { type [string] }`',
  }),

  'not-in-for': (f: { what: string; instead?: string }): Words => ({
    message: `${f.what} is not allowed in a \`for\``,
    label: f.instead ?? 'move it before or after the `for`',
    help: 'each `create` is one statement for all items, so a `for` can contain only `create` with `set`, and `or keep` or `or update`',
  }),

  'empty-for': (_: object): Words => ({
    message: 'this `for` does nothing',
    label: 'add a `create`, or remove it',
  }),

  'two-deeds': (f: { first: Span }): Words => ({
    message: 'a query does one thing: it counts, selects, updates or deletes',
    label: 'remove this, or make it a query of its own',
    notes: note(f.first, 'this is the other'),
  }),

  'not-grouped': (f: { name: string; written: string }): Words => ({
    message: `\`${f.written}\` is not in \`group by\` and not in an aggregate, so it has many values in each group`,
    label: `add it to the \`group by\`, or take one of them: \`max(${f.written})\``,
  }),

  'not-groupable': (f: { type: string }): Words => ({
    message: `records cannot be grouped by ${f.type}`,
    label: 'group by a string, a number, a boolean, a date, a timestamp, a uuid, an enum or a reference',
  }),

  'query-without-alias': (_: object): Words => ({
    message: 'nothing can use what this query finds',
    label: 'name it: `query as name { … }`',
  }),

  'execute-without-hook': (_: object): Words => ({
    message: 'this `execute` has no code',
    label: 'add `hook { source name from "file" }`',
  }),

  'responds-twice': (f: { first: Span }): Words => ({
    message: 'a request is answered once',
    label: 'remove this, or the other',
    notes: note(f.first, 'it is answered here already'),
  }),

  'bad-status': (f: { status: string }): Words => ({
    message: `${f.status} is not a status that a response can have`,
    label: 'use a number from 200 to 599',
  }),

  'header-twice': (f: { name: string; first: Span }): Words => ({
    message: `the header \`${f.name}\` is given twice`,
    label: 'give it a list of values, such as `["a", "b"]`, or remove one of them',
    notes: note(f.first, 'the first is here'),
  }),

  'bad-header-name': (f: { name: string }): Words => ({
    message: `\`"${f.name}"\` is not the name of a header`,
    label: 'use letters, digits and `-`',
  }),

  'not-a-relation': (f: UnfitMember): Words =>
    unfit(f, 'relation', 'a nested `populate` goes through a relation', 'no relations'),

  'populator-path': (f: { name: string; kind: string }): Words => ({
    message:
      f.kind === 'path'
        ? `a populator sees the fields of the records it makes, and \`.${f.name}\` is a step further`
        : `a populator sees the fields of the records it makes, and \`${f.name}\` is ${memberNoun(f.kind)}`,
    label: 'use a field, a reference, or the record itself',
  }),

  'repeat-without-end': (_: object): Words => ({
    message: 'this `repeat` does not say how often',
    label: 'add `end`, or write `repeat 20`',
  }),

  'backward-repeat': (f: { start: number; end: number }): Words => ({
    message: `this \`repeat\` starts at ${f.start} and ends at ${f.end}`,
    label: 'the end comes after the start',
  }),

  'repeat-of-single': (f: { relation: string; count: number; declared: Span }): Words => ({
    message: `\`${f.relation}\` is one record at most, but this makes ${plural(f.count, 'record')}`,
    label: 'remove the `repeat`',
    notes: note(f.declared, 'the reference is unique'),
  }),
};

type Conflict = 'keep' | 'update';

function keyText(names: readonly string[]): string {
  return `{ ${names.join(', ')} }`;
}

function parentRemedy(f: {
  does: Conflict;
  model: string;
  parent: string;
  reference: string | undefined;
  key: readonly { name: string }[];
  other: readonly string[] | undefined;
}): string {
  if (!f.reference) return `leave this out: no key of \`${f.model}\` can say to which \`${f.parent}\` it belongs`;
  if (f.other) return `name the key that says which \`${f.parent}\`: \`or ${f.does} by ${keyText(f.other)}\``;
  return `make it part of the key: \`unique ${keyText([f.reference, ...f.key.map(({ name }) => name)])}\``;
}

function keyRemedy({
  model,
  names,
  keys,
}: {
  model: string;
  names: readonly string[];
  keys: readonly (readonly string[])[];
}): string {
  if (keys.length > 0) return `${keys.length === 1 ? 'its key is' : 'its keys are'} ${listOf(keys.map(keyText))}`;
  if (names.length === 0 || names.includes('id')) return `make a field of \`${model}\` \`unique\`, and name it here`;
  return `make a key of it in \`${model}\`: ${names.length > 1 ? `\`unique ${keyText(names)}\`` : '`unique`'}`;
}

const OWN_ACTIONS: Readonly<Record<string, { readonly example: string; readonly does: string }>> = {
  create: { example: 'create {}', does: 'makes' },
  update: { example: 'update { … }', does: 'changes' },
  delete: { example: 'delete {}', does: 'deletes' },
};

const MANY_TYPES = /^a (collection|list) |^a model$/;

const MANY_DEEDS: Readonly<Record<string, string>> = {
  update: 'change many with `query { from …, update { … } }`',
  delete: 'delete many with `query { from …, delete }`',
};
