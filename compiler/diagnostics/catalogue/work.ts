import type { Span } from '../../source/source-file.ts';
import { said, type Words } from '../words/words.ts';
import { note, wordsFor } from './phrases.ts';

const WEBHOOK_PARTS: Readonly<Record<string, string>> = {
  on: 'on create of Order as order',
  to: 'to Hook as hook { … }',
  body: 'body { … }',
  url: 'url …',
  secret: 'secret …',
};

type MistakeInInterval = 'and' | 'count' | 'on' | 'at' | 'no-on' | 'no-at';

type MistakeInTemplate = 'empty' | 'block' | 'unclosed' | 'script' | 'style' | 'tag' | 'element' | 'text';

/** Jobs, reactions, schedules, mail and webhooks. */
export const workWords = {
  /** `read` is where the member or rule of that name reads it. */
  'no-caller': (f: {
    name: string;
    isSigned?: boolean;
    takesInputs?: 'job' | 'mail' | undefined;
    isSetting?: boolean;
    read?: Span;
  }): Words => ({
    message: f.isSigned
      ? `a service that signs its requests is not signed in, so there is no \`${f.read ? '@auth` for `' : ''}${f.name}\``
      : f.read
        ? `\`${f.name}\` reads ${f.isSetting ? 'a setting, which the database does not have' : 'the request, and a job has none'}`
        : `jobs and reactions have no request, so there is no \`${f.name}\``,
    label: f.isSigned
      ? 'use what the service sends'
      : f.takesInputs
        ? `give it to the ${f.takesInputs} as an input`
        : 'use only what is stored',
    notes: f.read && note(f.read, 'it is read here'),
  }),

  'not-in-job': (f: { what: string; isInput: boolean }): Words => ({
    message: `${f.what} is not allowed in a job`,
    label: f.isInput ? 'write `set`: no client sends anything to a job' : 'store what others should see',
  }),

  'job-without-action': (f: { job: string }) => said(`the job \`${f.job}\` does nothing`, 'add `action { … }`'),

  'job-input-kind': (f: { input: string; property: string; to: Span }): Words => ({
    message: `\`${f.input}\` is a record, so it has no \`${f.property}\``,
    label: 'remove this, or the `to`',
    notes: note(f.to, 'this makes it a record'),
  }),

  'missing-job-input': (f: { job: string; missing: readonly string[]; declared: Span }): Words => ({
    message: `\`${f.job}\` needs ${f.missing.map((name) => `\`${name}\``).join(' and ')}`,
    label: `add ${f.missing.map((name) => `\`${name}: …\``).join(', ')}`,
    notes: note(f.declared, `\`${f.job}\` is declared here`),
  }),

  'bad-retry': (f: { most: number }) =>
    said(`a job is tried again at most ${f.most} times`, `write a number from 0 to ${f.most}`),

  'bad-delay': (_: object) => said('`after` takes a time to wait', 'write `minutes(5)`, `days(3)` or the like'),

  'not-a-job-key': (f: { by: string; type: string }): Words => ({
    message: `${f.by} takes a value or a record, and this is ${f.type}`,
    label: 'write a path such as `order.customer`, or join texts by `+`',
  }),

  'job-key-may-be-null': (f: { by: string }) =>
    said(`${f.by} cannot be null, but this may be`, 'say what counts instead of null: `coalesce(…, …)`'),

  'not-a-path-to-record': (f: { input: string; job: string }): Words => ({
    message: `\`${f.job}\` reads \`${f.input}\` to find its line, so the record must be given by its name`,
    label: 'write an alias, a path such as `order.customer`, or `@auth`',
  }),

  'unused-job': (f: { name: string; isMail: boolean }): Words => ({
    severity: 'warning',
    message: f.isMail ? `nothing sends the mail \`${f.name}\`` : `nothing runs the job \`${f.name}\``,
    label: `write \`${f.isMail ? 'send' : 'run'} ${f.name} { … }\`, or remove it`,
  }),

  'record-called-before': (_: object) =>
    said('in an update, `before` is the record as it was', 'give the record another name'),

  'incomplete-webhook': (f: { name: string; of: 'webhook' | 'receiver'; missing: readonly string[] }): Words => ({
    message: `${f.of === 'webhook' ? 'the webhook' : 'the receiver of'} \`${f.name}\` has no ${f.missing.map((part) => `\`${part}\``).join(' and no ')}`,
    label: `add ${f.missing.map((part) => `\`${WEBHOOK_PARTS[part]}\``).join(', ')}`,
  }),

  'webhook-of-delete': (f: { record: string }): Words => ({
    message: `when the webhook is made, \`${f.record}\` is deleted and cannot be read`,
    label: 'mark the record in a field instead of deleting it, and tell of that `update`',
  }),

  'bad-event-name': (f: { name: string }) =>
    said(`\`${f.name}\` cannot be the name of an event`, 'use letters, digits, `_`, `.` and `-`: `order.paid`'),

  'job-too-large': (f: { job: string; bytes: number; most: number }): Words => ({
    message: `the names and types of the inputs of \`${f.job}\` take ${f.bytes} bytes, but at most ${f.most} can be stored with each job`,
    label: 'give it a record, or fewer inputs',
  }),

  'too-many-secrets': (f: { most: number }): Words => ({
    message: `a webhook is signed with at most ${f.most} secrets: the new one, and the old one until it is replaced everywhere`,
    label: 'remove this',
  }),

  'plain-secret': (f: { declared?: Span | undefined }): Words => ({
    message: 'a webhook is signed with a secret, and others may see this value',
    label: f.declared ? 'mark it `secret`' : 'write a field or a setting that is `secret`',
    notes: f.declared && note(f.declared, 'it is declared here'),
  }),

  'empty-reaction': (_: object) => said('this reaction runs nothing', 'add a `run`, or remove it'),

  'endless-reaction': (f: { isCertain: boolean; jobs: readonly string[] }): Words => ({
    ...(f.isCertain ? {} : { severity: 'warning' as const }),
    message: `${f.jobs.map((job) => `\`${job}\``).join(' and ')} ${f.isCertain ? (f.jobs.length > 1 ? 'make' : 'makes') : 'may make'} this reaction happen again, without an end`,
    label: 'add a `when` that what the job writes makes false',
  }),

  'deleted-record': (f: { record: string; input: string }): Words => ({
    message: `\`${f.record}\` is deleted, so the job cannot read it`,
    label: `give values of it instead, such as \`${f.record}.id\``,
  }),

  'schedule-needs-input': (f: {
    job: string;
    missing: readonly string[];
    hasRecord: boolean;
    declared: Span;
  }): Words => ({
    message: `\`${f.job}\` needs ${f.missing.map((name) => `\`${name}\``).join(' and ')}, which the schedule does not give`,
    label: f.hasRecord
      ? 'a schedule has no record to give: run a job that finds the records'
      : `add ${f.missing.map((name) => `\`${name}: …\``).join(', ')}`,
    notes: note(f.declared, `\`${f.job}\` is declared here`),
  }),

  'empty-schedule': (f: { schedule: string }) =>
    said(`the schedule \`${f.schedule}\` runs nothing`, 'add a `run`, or remove it'),

  'never-due': (f: { cron: string }): Words => ({
    message: 'no day has this date, so the schedule is never due',
    label: `\`${f.cron}\` means minute, hour, day of the month, month and day of the week`,
  }),

  'unknown-time-zone': (f: { zone: string; near: string | undefined }): Words => ({
    message: `there is no time zone \`${f.zone}\``,
    label: f.near ? `did you mean \`${f.near}\`?` : 'write a name such as `Europe/Berlin`, `America/New_York` or `UTC`',
  }),

  'unknown-interval': (f: { name: string; near: { readonly name: string } | undefined }): Words => ({
    message: `\`${f.name}\` is neither a day nor a unit of time of a schedule`,
    label: f.near
      ? `did you mean \`${f.near.name}\`?`
      : 'write `minutes`, `hours`, `day`, `weekday`, a day such as `monday`, or `month`',
  }),

  'uneven-interval': (f: { value: number; even: readonly number[]; unit: string }): Words => ({
    message: `${f.value} does not divide ${f.unit.startsWith('minute') ? 'an hour' : 'a day'} into equal parts`,
    label: `write one of ${f.even.join(', ')}`,
  }),

  'bad-interval': (f: { why: MistakeInInterval; unit: string }): Words =>
    wordsFor(f.why, {
      and: ['only days are joined by `and`', 'write a schedule for each'],
      count: ['only minutes and hours are counted', 'leave the number out, or write `cron "…"`'],
      on: ['`on` is a day of the month, from 1 to 31', 'write `every month on 1 at "07:30"`'],
      at: [`\`every ${f.unit}\` has no time of day`, 'leave `at` out, or write `cron "…"`'],
      'no-on': ['the day of the month is missing', 'write `every month on 1 at "07:30"`'],
      'no-at': ['the time of day is missing', 'add `at "07:30"`'],
    }),

  'bad-time-of-day': (f: { time: string }) =>
    said(`\`${f.time}\` is not a time of day`, 'write hours and minutes from "00:00" to "23:59"'),

  'bad-cron': (f: { pattern: string }): Words => ({
    message: `\`${f.pattern}\` is not a cron pattern`,
    label: 'write minute, hour, day of the month, month and day of the week: "30 7 * * 1-5"',
  }),

  'mail-incomplete': (f: { mail: string; missing: readonly string[] }): Words => ({
    message: `the mail \`${f.mail}\` has no ${f.missing.map((name) => `\`${name}\``).join(' and no ')}`,
    label: `add ${f.missing.map((name) => MAIL_PARTS[name]).join(', ')}`,
  }),

  'bad-mail-file': (f: { file: string; folder: string; isInside: boolean }): Words => ({
    message: f.isInside
      ? `the body of a mail is an HTML file, and \`${f.file}\` is none`
      : `\`${f.file}\` is outside of the folder of mails, \`${f.folder}\``,
    label: f.isInside ? 'name a file that ends in `.html`' : `name a file below \`${f.folder}\``,
    help: f.file.endsWith('.txt') ? 'a file of the same name that ends in `.txt` is its plain text' : undefined,
  }),

  'mail-file-missing': (f: { file: string; folder: string; near: string | undefined }): Words => ({
    message: `there is no file \`${f.file}\` in \`${f.folder}\``,
    label: f.near ? `did you mean \`${f.near}\`?` : `write the template, as \`${f.folder}/${f.file}\``,
    instead: f.near && `"${f.near}"`,
  }),

  'bad-mail-value': (f: { why: MistakeInTemplate }): Words =>
    wordsFor(f.why, {
      empty: ['there is no expression in `{{ }}`', 'write one, or remove this'],
      block: [
        'templates have only values: no lists, no conditions and no other templates',
        'make a text of this in a computed member, and write its name',
      ],
      unclosed: ['`{{` begins an expression that does not end', 'close it by `}}`'],
      script: ['a script cannot have values in it', 'mail programs run no scripts: remove it'],
      style: ['a style sheet cannot have values in it', 'write the value in the `style` of an element'],
      element: ['a value cannot be the name of an element', 'write the name here, or `&lt;` for the sign before it'],
      text: [
        '`{{ }}` belongs in the file of a mail, not in a text in quotes',
        'write the expression itself: `"Order " + order.number`',
      ],
      tag: ['a value in a tag needs quotes around it', 'write `href="{{ … }}"`'],
    }),

  'not-a-mail-value': (f: { type: string }): Words => ({
    message: `\`{{ }}\` takes one value, and this is ${f.type}`,
    label: 'name a field of it, or a computed member that makes a text',
  }),

  'send-or-run': (f: { verb: 'run' | 'send'; name: string; declared: Span; word: Span }): Words => ({
    message: `\`${f.name}\` is ${f.verb === 'run' ? 'a mail' : 'a job'}, which is ${f.verb === 'run' ? 'sent' : 'run'}`,
    label: `write \`${f.verb === 'run' ? 'send' : 'run'} ${f.name}\``,
    notes: note(f.declared, `\`${f.name}\` is declared here`),
    edits: [{ span: f.word, text: f.verb === 'run' ? 'send' : 'run' }],
  }),
} satisfies Record<string, (facts: never) => Words>;

const MAIL_PARTS: Readonly<Record<string, string>> = {
  to: '`to order.customer.email`',
  subject: '`subject "…"`',
  body: '`body "name.html"`',
};
