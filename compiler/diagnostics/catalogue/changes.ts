import type { Words } from '../words/words.ts';
import { listOf } from './phrases.ts';

/**
 * How a program differs from what was before: the last release, or what a development database was brought to. That has
 * no place in these sources, so facts are names alone, and the way out is always in the help.
 */
export const changeWords = {
  'model-disappeared': (f: { model: string; candidates: readonly string[] }): Words => ({
    message: `the model \`${f.model}\` is gone, and nothing says what becomes of its records`,
    help: waysOut(
      `to rename it and keep its records, write \`model ${f.candidates[0] ?? 'NewName'} was ${f.model} { … }\``,
      `to delete it with all its records, write \`drop model ${f.model}\` at the top level`,
    ),
  }),

  'member-disappeared': (f: {
    model: string;
    noun: 'field' | 'reference';
    member: string;
    candidates: readonly string[];
  }): Words => ({
    message: `the ${f.noun} \`${f.model}.${f.member}\` is gone, and nothing says what becomes of its values`,
    label: 'in this model',
    help: waysOut(
      f.candidates.length > 0
        ? `to rename it and keep its values, write \`was ${f.member}\` in ${listOf(f.candidates, 'or')}`
        : `to rename it and keep its values, write \`was ${f.member}\` in the ${f.noun} that takes its place`,
      `to delete it with its values, write \`drop ${f.member}\` in \`${f.model}\``,
    ),
  }),

  'value-disappeared': (f: { enum: string; value: string; candidates: readonly string[] }): Words => ({
    message: `the value \`${f.value}\` of the enum \`${f.enum}\` is gone, and nothing says what becomes of records that have it`,
    label: 'in this enum',
    help: waysOut(
      `to rename it, write \`${f.candidates[0] ?? 'new_name'} was ${f.value}\``,
      `to do without it, write \`drop ${f.value}\`; the migration refuses to run while a record has it`,
    ),
  }),

  'ambiguous-rename': (f: { noun: string; name: string; was: string; within: string | null }): Words => ({
    message: `${inside(f)} says that it was \`${f.was}\`, but there were both \`${f.was}\` and \`${f.name}\` before`,
    help: waysOut(
      `to keep \`${f.name}\` and delete \`${f.was}\`, ${deleting(f)}`,
      `to give \`${f.was}\` this name, do without \`${f.name}\` in a change of its own first`,
    ),
  }),

  'lossy-type-change': (f: { model: string; field: string; from: string; to: string }): Words => ({
    message: `\`${f.model}.${f.field}\` was ${f.from} and is ${f.to} now, which could lose some of its values`,
    help: waysOut(
      `to keep the values, leave the type as it is, and add a field of another name with the new type and a \`backfill\``,
      `to do without them, write \`drop ${f.field}\` and add a field of another name`,
    ),
  }),

  'id-type-changed': (f: { model: string; from: string; to: string }): Words => ({
    message: `the \`id\` of \`${f.model}\` was ${f.from} and is ${f.to} now, so that nothing could find its records any more`,
    help: waysOut(
      `to keep the records, leave the \`id\` as it was`,
      `to start anew without them, write \`drop model ${f.model}\` and give the model another name`,
    ),
  }),

  'reference-target-changed': (f: { model: string; reference: string; from: string; to: string }): Words => ({
    message: `\`${f.model}.${f.reference}\` referred to \`${f.from}\` and refers to \`${f.to}\` now, where its values mean other records`,
    help: waysOut(
      `if \`${f.from}\` has a new name, write \`model ${f.to} was ${f.from} { … }\``,
      `to do without the values, write \`drop ${f.reference}\` and add a reference of another name`,
    ),
  }),

  'new-required-field': (f: { model: string; field: string; why: NoValue }): Words => ({
    message: `\`${f.model}.${f.field}\` is new and required, but ${WITHOUT_VALUE[f.why]}`,
    help: waysOut(...fillings(f)),
  }),

  'newly-required-field': (f: { model: string; field: string; why: NoValue }): Words => ({
    message: `\`${f.model}.${f.field}\` was nullable and is required now, but ${WITHOUT_VALUE[f.why]}`,
    help: waysOut(...fillings(f)),
  }),
};

/** Why the records that exist would have none. */
export type NoValue = 'nothing' | 'server-default' | 'reference';

const WITHOUT_VALUE: Readonly<Record<NoValue, string>> = {
  nothing: 'nothing says what the records that exist have in it',
  'server-default': 'its default is made by the server, and the records that exist are in the database',
  reference: 'nothing says to what the records that exist refer',
};

function fillings({ field, why }: { field: string; why: NoValue }): readonly string[] {
  if (why === 'reference') {
    return [
      'write a `backfill`, an expression over the record, for what the records that exist refer to',
      `make it \`nullable\`, give every record its \`${field}\`, and make it required later`,
      'if it is an older member under a new name, write `was` and that name in it',
    ];
  }
  return [
    ...(why === 'nothing' ? ['write a `default`, for the records that exist and for new ones'] : []),
    'write a `backfill`, an expression over the record, for the records that exist',
    'make it `nullable`',
  ];
}

function waysOut(...ways: readonly string[]): string {
  return ways.join('\n');
}

function inside({ noun, name, within }: { noun: string; name: string; within: string | null }): string {
  return `the ${noun} \`${within === null ? name : `${within}.${name}`}\``;
}

/** An enum has no records, so it is enough not to mention it. */
function deleting({ noun, was }: { noun: string; was: string }): string {
  if (noun === 'enum') return `remove \`was ${was}\``;
  return `write \`drop ${noun === 'model' ? 'model ' : ''}${was}\` in place of \`was ${was}\``;
}
