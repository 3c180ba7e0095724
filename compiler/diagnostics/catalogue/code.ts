import type { Span } from '../../source/source-file.ts';
import type { NearName } from '../words/near-name.ts';
import { said, type Words } from '../words/words.ts';
import { behind, didYouMean, note, SETTING_TYPES, twice } from './phrases.ts';

/** Validators, hooks, runtimes. */
export const codeWords = {
  /** `validator` is one that is named but not called; in an action, it is called with the value. */
  'not-a-validator': (f: { validator: string | undefined; isText: boolean; isAction: boolean }): Words => ({
    message: 'a `validate` is made of validators, joined by `and`, `or` and `not`',
    label: f.isAction ? validatorInAction(f) : validatorOfField(f),
    instead: f.validator && !f.isAction ? `${f.validator}()` : undefined,
  }),

  'validator-without-value': (f: { name: string }) =>
    said(`\`${f.name}\` has no value to check`, `in an action the value comes first: \`${f.name}(value, …)\``),

  'validator-on-wrong-type': (f: { validator: string; wants: string; by: string; type: string }): Words => ({
    message: `\`${f.validator}\` checks ${f.wants}, but ${f.by} is ${f.type}`,
    label: validatorInstead(f.validator, f.type) ?? 'use a validator for this type',
  }),

  'mixed-list-validators': (f: { ofList: string; ofItems: string }): Words => ({
    message: `\`${f.ofList}\` checks the list and \`${f.ofItems}\` checks each item, so only \`and\` can join them`,
    label: 'join them with `and`',
  }),

  'pattern-not-literal': (_: object) =>
    said('a pattern must be a text in quotes', 'write the pattern itself, in quotes'),

  'bad-pattern': (f: { reason: string }): Words => ({
    message: 'this is not a valid regular expression',
    label: f.reason.replace(/^Invalid regular expression: (\/.*\/u: )?/s, '').toLowerCase(),
  }),

  /** `character` counts from 1; `most` is the limit of what has one. */
  'unsupported-pattern': (f: {
    kind: UnsupportedPart;
    part: string;
    character: number;
    most: number | undefined;
  }): Words => ({
    message: `this pattern cannot be matched in linear time: ${UNSUPPORTED[f.kind].what(numberText(f.most))}`,
    label: `\`${shortened(f.part)}\` at character ${f.character}: ${UNSUPPORTED[f.kind].instead}`,
  }),

  'built-in-validator': (f: { name: string }) =>
    said(`\`${f.name}\` is already a built-in validator`, 'choose another name'),

  'rule-is-function': (f: { name: string }) =>
    said(`\`${f.name}\` is already a built-in function`, 'choose another name for the rule'),

  'unused-rule': (f: { name: string }): Words => ({
    message: `nothing uses the rule \`${f.name}\``,
    label: `write \`authorize { ${f.name}(…) }\`, or remove it`,
    severity: 'warning',
  }),

  'rule-not-here': (f: { name: string; noun: string }): Words => ({
    message: `${f.noun} cannot use the rule \`${f.name}\`: rules are about who calls, and nobody calls here`,
    label: 'use it in `authorize`, `filter`, `only` or `refuse`',
  }),

  'not-a-record-path': (f: { rule: string }): Words => ({
    message: `the rule \`${f.rule}\` takes records by their names`,
    label: 'write an alias, a path such as `note.owner`, or `@auth`',
  }),

  'validator-without-argument': (f: { name: string }) =>
    said(`\`${f.name}\` takes no argument, so it has no value to check`, 'add `arg value { type string }`'),

  'validator-without-assert': (f: { name: string }) => said(`\`${f.name}\` has no condition`, 'add `assert { … }`'),

  'endless-validator': (f: { name: string }) =>
    said(`\`${f.name}\` uses itself`, 'a combination of validators has an end'),

  'validator-without-code': (f: { name: string }) =>
    said(`\`${f.name}\` has no error code`, 'add `error { code "…" }`'),

  'bad-error-code': (f: { code: string }) =>
    said(`\`"${f.code}"\` is not an error code`, 'use small letters and digits joined by `-`, such as `"not-a-slug"`'),

  'empty-message': (_: object) => said('this message is empty', 'say what a client should send, or remove the message'),

  'hook-without-code': (_: object) => said('this hook has no code', 'add `source name from "file"` or `inline "…"`'),

  'hook-with-two-codes': (f: { source: Span }): Words => ({
    message: 'this hook has both `source` and `inline`',
    label: 'keep one of them',
    notes: note(f.source, 'the `source` is here'),
  }),

  'empty-result': (_: object): Words => ({
    message: 'this hook returns an object without members',
    label: 'name its members, such as `{ email: string }`, or remove the `returns`',
  }),

  'returns-with-responds': (f: { responds: Span }): Words => ({
    message: 'this hook responds, so it has no result',
    label: 'remove the `returns`',
    notes: note(f.responds, 'because of this it writes the response itself'),
    instead: '',
  }),

  'runtime-of-inline': (f: { runtime: string }) =>
    said('inline code has no runtime', `remove \`runtime ${f.runtime}\``),

  'bad-inline-code': (f: { reason: string }): Words => ({
    message: 'this is not one JavaScript expression',
    label: inlineFault(f.reason),
    help: 'longer code goes into a file: `source name from "file"`',
  }),

  'hook-outside-folder': (f: { file: string; folder: string }): Words => ({
    message:
      f.file === '' ? 'this hook names no file' : `\`${f.file}\` is outside of the folder of hooks, \`${f.folder}\``,
    label: `name a file below \`${f.folder}\``,
  }),

  /** `runtime` is one that has the file, and `span` the name of the file. */
  'hook-file-missing': (f: { file: string; folder: string; runtime: string | undefined; span: Span }): Words => ({
    message: `there is no file \`${f.file}\` in \`${f.folder}\``,
    label: missingFileLabel(f),
    help: f.runtime ? undefined : 'hooks are `.ts`, `.js`, `.mts` or `.mjs` files; the ending may be left out',
    edits: f.runtime ? behind(f.span, `, runtime ${f.runtime}`) : undefined,
  }),

  'hook-export-missing': (f: { export: string; file: string; near: NearName | undefined }): Words => ({
    message: `\`${f.file}\` does not export \`${f.export}\``,
    label: didYouMean(f.near) ?? `add \`export function ${f.export}(args, context) { … }\``,
    instead: f.near?.name,
  }),

  'runtime-without-path': (f: { name: string }) =>
    said(`the runtime \`${f.name}\` does not say where its code is`, 'add `source path "folder"`'),

  'two-default-runtimes': (f: { first: Span }): Words =>
    twice(f, 'there are two default runtimes', 'keep one `default`'),

  /** `path` is its source path, where the runtime could be the default. */
  'unused-runtime': (f: { name: string; folder: string; path: Span | undefined }): Words => ({
    message: `nothing uses the runtime \`${f.name}\`: it is not the \`default\`, and no hook names it`,
    label: `${f.path ? 'add `default`, ' : ''}write \`runtime ${f.name}\` in a hook, or remove it`,
    help: `hooks that name no runtime are looked for in \`${f.folder}\``,
    edits: behind(f.path, ', default'),
    severity: 'warning',
  }),

  'bad-setting-name': (f: { name: string; meant: string }): Words => ({
    message: `\`${f.name}\` cannot be the name of a setting: it is a variable of the environment, in capital letters`,
    label: `write \`${f.meant}\``,
    instead: f.meant,
  }),

  'reserved-setting': (f: { name: string }): Words => ({
    message: `\`${f.name}\` is a variable of Kiln or of what it runs on, so no setting can have its name`,
    label: 'choose another name',
  }),

  'setting-type': (f: { name: string; type: string }): Words => ({
    message: `the setting \`${f.name}\` is ${f.type}, which one variable of the environment cannot hold`,
    label: 'use another type',
    help: SETTING_TYPES,
  }),

  'computed-setting': (f: { name: string }): Words => ({
    message: `the default of \`${f.name}\` must be a plain value, which is known when the server starts`,
    label: 'write a value, such as `20` or `"small"`',
  }),

  'secret-default': (f: { name: string }): Words => ({
    message: `\`${f.name}\` is secret, so its value cannot be in the source`,
    label: 'remove the default, and set the variable in `.env`',
  }),

  'setting-not-here': (f: { name: string; noun: string }): Words => ({
    message: `${f.noun} cannot read the setting \`${f.name}\`: it must be the same for every server`,
    label: 'use a plain value, or set it in an action',
  }),

  'incomplete-setting': (f: { name: string | undefined }): Words => ({
    message: '`setting` takes the name of one setting',
    label: `write \`setting(${f.name ?? 'NAME'})\``,
    instead: f.name && `setting(${f.name})`,
  }),

  'unused-setting': (f: { name: string }): Words => ({
    message: `nothing uses the setting \`${f.name}\``,
    label: `write \`setting(${f.name})\`, or remove it`,
    severity: 'warning',
  }),

  'path-outside-project': (f: { path: string }) =>
    said(`\`${f.path}\` is outside of the folder of the project`, 'name a folder inside of it'),
};

function missingFileLabel(f: { file: string; folder: string; runtime: string | undefined }): string {
  if (f.runtime) return `the runtime \`${f.runtime}\` has it: add \`runtime ${f.runtime}\``;
  return f.file.startsWith(`${f.folder}/`) ? `leave out \`${f.folder}/\`` : 'create it, or correct its name';
}

function validatorOfField(f: { validator: string | undefined; isText: boolean }): string {
  if (f.validator) return `write \`${f.validator}()\``;
  return f.isText
    ? 'for a pattern, write `pattern("…")`'
    : 'call one, such as `minLength(3)`, or declare your own with `validator`';
}

function validatorInAction(f: { validator: string | undefined; isText: boolean }): string {
  if (f.validator) return `in an action the value comes first: \`${f.validator}(value)\``;
  return f.isText
    ? 'for a pattern, write `pattern(value, "…")`'
    : 'call one with the value first, as in `validate with key "age" { min(age, 18) }`';
}

/** The validator of the same kind for another type. */
function validatorInstead(validator: string, type: string): string | undefined {
  const [, bound] = /^(min|max)/.exec(validator) ?? [];
  if (!bound) return undefined;
  if (/^an? (integer|float|decimal)/.test(type)) return `use \`${bound}\``;
  return type.startsWith('a string') ? `use \`${bound}Length\`` : undefined;
}

function inlineFault(reason: string): string {
  const unexpected = /^Unexpected token '(return|;)'/.exec(reason)?.[1];
  return unexpected ? `leave out \`${unexpected}\`` : reason;
}

type UnsupportedPart = 'lookahead' | 'lookbehind' | 'backreference' | 'modifier' | 'large-repeat' | 'deep' | 'large';

const SECOND_PATTERN = 'write what must match as a second `pattern`, joined by `and` or `and not`';

const UNSUPPORTED: Readonly<
  Record<UnsupportedPart, { readonly what: (most: string) => string; readonly instead: string }>
> = {
  lookahead: { what: () => 'it looks ahead', instead: SECOND_PATTERN },
  lookbehind: { what: () => 'it looks behind', instead: SECOND_PATTERN },
  backreference: {
    what: () => 'it refers back to what a group has matched',
    instead: 'write out the alternatives, such as `("[^"]*"|\'[^\']*\')`',
  },
  modifier: { what: () => 'it has a modifier', instead: 'write both letters, such as `[Aa]`' },
  'large-repeat': {
    what: (most) => `it repeats a part more than ${most} times, repetitions inside of repetitions multiplied`,
    instead: 'use `*` or `+`, and `maxLength(…)` or `minLength(…)` for the length',
  },
  deep: { what: (most) => `it has more than ${most} groups inside of each other`, instead: 'leave out groups' },
  large: {
    what: (most) => `it has more than ${most} parts once its repetitions are written out`,
    instead: 'use fewer repetitions, and `maxLength(…)` for the length',
  },
};

function numberText(value: number | undefined): string {
  return value?.toLocaleString('en') ?? '';
}

function shortened(part: string): string {
  const characters = [...part];
  return characters.length > 30 ? `${characters.slice(0, 30).join('')}…` : part;
}
