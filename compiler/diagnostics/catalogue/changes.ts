import type { Words } from '../words/words.ts';
import { listOf } from './phrases.ts';

/**
 * Differences between a program and what was before: the last release, or the state of a development database. The
 * former state has no place in these sources, so facts are names alone, and the fix is always in the help.
 */
export const changeWords = {
  'model-disappeared': (f: { model: string; candidates: readonly string[] }): Words => ({
    message: `the model \`${f.model}\` is no longer declared, and the sources do not say whether it was renamed or deleted`,
    help: remedies(
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
    message: `the ${f.noun} \`${f.model}.${f.member}\` is no longer declared, and the sources do not say whether it was renamed or deleted`,
    label: 'in this model',
    help: remedies(
      f.candidates.length > 0
        ? `to rename it and keep its values, write \`was ${f.member}\` in ${listOf(f.candidates, 'or')}`
        : `to rename it and keep its values, write \`was ${f.member}\` in the ${f.noun} that replaces it`,
      `to delete it with its values, write \`drop ${f.member}\` in \`${f.model}\``,
    ),
  }),

  'value-disappeared': (f: { enum: string; value: string; candidates: readonly string[] }): Words => ({
    message: `the value \`${f.value}\` of the enum \`${f.enum}\` is no longer declared, and the sources do not say whether it was renamed or deleted`,
    label: 'in this enum',
    help: remedies(
      `to rename it, write \`${f.candidates[0] ?? 'new_name'} was ${f.value}\``,
      `to delete it, write \`drop ${f.value}\`; the migration does not run while a record still has it`,
    ),
  }),

  'ambiguous-rename': (f: { noun: string; name: string; was: string; within: string | null }): Words => ({
    message: `${inside(f)} has \`was ${f.was}\`, but both \`${f.was}\` and \`${f.name}\` existed before`,
    help: remedies(
      `to keep \`${f.name}\` and delete \`${f.was}\`, ${deleting(f)}`,
      `to rename \`${f.was}\` to \`${f.name}\`, delete the old \`${f.name}\` in an earlier change first`,
    ),
  }),

  'lossy-type-change': (f: { model: string; field: string; from: string; to: string }): Words => ({
    message: `\`${f.model}.${f.field}\` changed from ${f.from} to ${f.to}, which could lose values`,
    help: remedies(
      `to keep the values, restore the old type, and add a second field with the new type and a \`backfill\``,
      `to delete the values, write \`drop ${f.field}\` and add a field with another name`,
    ),
  }),

  'id-type-changed': (f: { model: string; from: string; to: string }): Words => ({
    message: `the \`id\` of \`${f.model}\` changed from ${f.from} to ${f.to}, so URLs and references would no longer find its records`,
    help: remedies(
      `to keep the records, restore the old type of the \`id\``,
      `to delete the records, write \`drop model ${f.model}\` and give the model another name`,
    ),
  }),

  'reference-target-changed': (f: { model: string; reference: string; from: string; to: string }): Words => ({
    message: `\`${f.model}.${f.reference}\` changed its target from \`${f.from}\` to \`${f.to}\`, so its stored ids would mean other records`,
    help: remedies(
      `if \`${f.from}\` was renamed to \`${f.to}\`, write \`model ${f.to} was ${f.from} { … }\``,
      `to delete the stored ids, write \`drop ${f.reference}\` and add a reference with another name`,
    ),
  }),

  'new-required-field': (f: { model: string; field: string; why: NoValue }): Words => ({
    message: `\`${f.model}.${f.field}\` is new and required, but ${WITHOUT_VALUE[f.why]}`,
    help: remedies(...fillings(f)),
  }),

  'job-disappeared': (f: { job: string; noun: 'job' | 'mail'; candidates: readonly string[] }): Words => ({
    message: `the ${f.noun} \`${f.job}\` is no longer declared, and the sources do not say what becomes of those that wait`,
    help: remedies(
      `to rename it, write \`${f.noun} ${f.candidates[0] ?? 'NewName'} was ${f.job} { … }\``,
      `to let the previous release finish those that wait, write \`drop job ${f.job}\` at the top level`,
      `to remove those that wait, write \`drop job ${f.job} { discard }\``,
    ),
  }),

  'job-input-changed': (f: {
    job: string;
    webhook: string | undefined;
    input: string;
    how: JobInputChange;
  }): Words => ({
    message: f.webhook
      ? `the webhook \`${f.webhook}\` reads other records now, so deliveries that wait could not be done`
      : `${JOB_INPUTS[f.how](`\`${f.job}.${f.input}\``)}, so jobs that wait could not be done`,
    help: f.webhook
      ? remedies('restore it', 'give the event another name')
      : remedies(
          ...(f.how === 'added' ? [`give \`${f.input}\` a \`default\`, or make it \`nullable\``] : ['restore it']),
          `give the job another name, and write \`drop job ${f.job}\` at the top level`,
        ),
  }),

  'newly-required-field': (f: { model: string; field: string; why: NoValue }): Words => ({
    message: `\`${f.model}.${f.field}\` was nullable and is required now, but ${WITHOUT_VALUE[f.why]}`,
    help: remedies(...fillings(f)),
  }),
};

export type JobInputChange = 'type' | 'values' | 'model' | 'removed' | 'added';

const JOB_INPUTS: Readonly<Record<JobInputChange, (input: string) => string>> = {
  type: (input) => `the input ${input} has another type now`,
  values: (input) => `the input ${input} no longer takes every value that it took`,
  model: (input) => `the input ${input} is a record of another model now`,
  removed: (input) => `the input ${input} is no longer declared`,
  added: (input) => `the input ${input} is new and required`,
};

/** The reason why existing records would have no value. */
export type NoValue = 'nothing' | 'server-default' | 'reference';

const WITHOUT_VALUE: Readonly<Record<NoValue, string>> = {
  nothing: 'the sources do not say which value existing records get',
  'server-default': 'its default is generated by the server, so existing records do not get it',
  reference: 'the sources do not say what existing records refer to',
};

function fillings({ field, why }: { field: string; why: NoValue }): readonly string[] {
  if (why === 'reference') {
    return [
      'write a `backfill`: an expression that gives what each existing record refers to',
      `make it \`nullable\`, set \`${field}\` in every record, and make it required in a later change`,
      'if it is a renamed member, write `was` and its old name in it',
    ];
  }
  return [
    ...(why === 'nothing' ? ['write a `default`, for existing and new records'] : []),
    'write a `backfill`: an expression that gives the value of each existing record',
    'make it `nullable`',
  ];
}

function remedies(...lines: readonly string[]): string {
  return lines.join('\n');
}

function inside({ noun, name, within }: { noun: string; name: string; within: string | null }): string {
  return `the ${noun} \`${within === null ? name : `${within}.${name}`}\``;
}

/** An enum has no records, so it is enough not to mention it. */
function deleting({ noun, was }: { noun: string; was: string }): string {
  if (noun === 'enum') return `remove \`was ${was}\``;
  return `write \`drop ${noun === 'model' || noun === 'job' ? `${noun} ` : ''}${was}\` in place of \`was ${was}\``;
}
