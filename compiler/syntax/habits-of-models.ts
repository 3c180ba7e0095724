/** Members of models, references, relations and enums, as other languages write them. */
import { type MeantMember, memberFromColumn } from './foreign-columns.ts';
import { constraintMember, contextOf } from './foreign-models.ts';
import { type FoundHabit, type Habit, type HabitPlace, type Replacement, removal } from './habits.ts';
import { formsOf } from './shapes.ts';

/** To the end of a line, without a comment; braces only in pairs. */
const REST = '(?:[^\\n{}"\'/#-]|"[^"\\n]*"|\'[^\'\\n]*\'|\\{[^{}\\n]*\\}|/(?![/*])|-(?!-)){0,300}(?<=\\S)';
/** The same, to the first comma, or up to a semicolon: behind it another member may begin. */
const PART =
  '(?:[^\\n{}"\'/#,;-]|"[^"\\n]*"|\'[^\'\\n]*\'|\\{[^{}\\n]*\\}|\\([^()\\n]*\\)|/(?![/*])|-(?!-)){0,300}(?<=\\S);?';

export const MODEL_HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  model: [
    {
      written: /was\s+(?<old>[A-Za-z_]\w*)/,
      instead: renamedModel,
      help: ({ groups, reading }) => {
        const name = contextOf({ reading } as FoundHabit).model;
        return `a model is renamed before its brace: \`model ${name} was ${groups.old} { … }\``;
      },
    },
    {
      written: /(?<quote>"""|")(?<text>[^"\n]{1,300})\k<quote>(?=\s)/,
      instead: '/// $<text>',
      help: 'write a description as a `///` comment above what it describes',
    },
    {
      written: /-\s+name\s*:\s*(?<name>\w+)\s*\n\s*type\s*:\s*(?<type>\w+)/,
      instead: ({ groups, ...found }) =>
        memberText(memberFromColumn(`${groups.name}: ${groups.type}`, contextOf({ groups, ...found }))),
      help: 'a field is written `field title { type string }`',
    },
    {
      written: /reference\s+(?<name>\w+)\s*[: ]\s*(?:to\s+)?(?<model>[A-Z]\w*)(?!\s*[{\w])/,
      instead: 'reference $<name> { to $<model> }',
    },
    {
      written: /validates?(?:_\w+)?\s+:[^\n]{0,300}/,
      help: 'validators are written in the field: `field title { type string, validate { minLength(1) } }`',
    },
    {
      written: /scope\s+:[^\n]{0,300}/,
      help: 'a named selection is a query: `query newest { from posts, order by { id desc }, first }`',
    },
    {
      written: /(?:before|after|around)_\w+\s+:[^\n]{0,300}/,
      help: 'what is done to every value is written in the field: `normalise { trim, lower }`, `on update now()`. What an endpoint does is written in its `action { … }`',
    },
    {
      written: /@@(?:map|schema|ignore)\b(?:\([^()\n]*\))?/,
      instead: '',
      help: 'the name of a table follows from the name of its model',
    },
    { written: new RegExp(REST), instead: (found) => constraint(found), help: constraintHelp },
    { written: new RegExp(REST), instead: (found) => column(found), help: columnHelp, code: 'foreign-field' },
    { written: new RegExp(PART), instead: (found) => column(found), help: columnHelp, code: 'foreign-field' },
  ],
  reference: [
    {
      written:
        /(?:dependent\s*:\s*:(?:destroy|delete_all)|(?:onDelete|on_delete)\s*[:=]\s*["']?(?:models\.)?cascade["']?)/i,
      instead: 'on delete cascade',
    },
    {
      written: /(?:dependent\s*:\s*:nullify|(?:onDelete|on_delete)\s*[:=]\s*["']?(?:models\.)?set_?\s*null["']?)/i,
      instead: 'on delete set null',
    },
    {
      written: /(?:onDelete|on_delete)\s*[:=]\s*["']?(?:models\.)?(?:restrict|protect|no_?\s*action)["']?/i,
      instead: 'on delete restrict',
    },
    {
      written: /on\s+update\s+(?:cascade|restrict|no\s+action|set\s+null)\b/i,
      instead: '',
      help: 'an `id` never changes, so this is not needed',
    },
    {
      written: /(?:not\s+null|null\s*[:=]\s*false|nullable\s*[:=]\s*false)\b/i,
      instead: '',
      help: 'a reference is required, unless it is `nullable`',
    },
    { written: /(?:null|nullable|optional)\s*[:=]\s*true\b/i, instead: 'nullable' },
  ],
  enum: [
    { written: /["'](?<name>[A-Za-z_]\w*)["']/, instead: '$<name>', help: 'the values of an enum are names' },
    {
      written: /[A-Za-z_]\w*\s*(?<put>[=:]\s*(?:"[^"\n]*"|'[^'\n]*'|\d+))/,
      instead: '',
      help: 'a value of an enum is its name: `enum Status { draft, published }`',
    },
  ],
};

function renamedModel(found: FoundHabit): Replacement | undefined {
  const { reading, groups, put } = found;
  const brace = reading.frames.findLast((frame) => frame.place === 'model')?.openAt ?? -1;
  const isRenamed = reading.wordAt(brace - 2) === 'was';
  if (brace < 1 || isRenamed) return undefined;
  const file = reading.source.path;
  const edits = [
    { span: reading.spanBehind(reading.tokenAt(brace - 1)), text: ` was ${groups.old}` },
    { span: { file, ...removal(reading.source.text, put) }, text: '' },
  ];
  return { text: `model ${contextOf(found).model} was ${groups.old} { … }`, edits };
}

function constraint(found: FoundHabit): string | undefined {
  return isMember(found) ? undefined : memberText(constraintMember(found.text, contextOf(found)));
}

function constraintHelp(found: FoundHabit): string | undefined {
  return isMember(found) ? undefined : constraintMember(found.text, contextOf(found))?.help;
}

function column(found: FoundHabit): Replacement | undefined {
  const meant = meantColumn(found);
  if (!meant?.declarations) return memberText(meant);
  const { reading, put } = found;
  const end = reading.tokenAt(reading.braces.tokens.length - 2);
  const edits = [
    { span: { file: reading.source.path, ...put }, text: meant.member ?? '' },
    { span: reading.spanBehind(end), text: meant.declarations.map((text) => `\n\n${text}`).join('') },
  ];
  return { text: meant.member ?? '', edits };
}

function columnHelp(found: FoundHabit): string | undefined {
  return meantColumn(found)?.help;
}

function meantColumn(found: FoundHabit): MeantMember | undefined {
  return isMember(found) ? undefined : memberFromColumn(found.text, contextOf(found));
}

function memberText(meant: MeantMember | undefined): string | undefined {
  return meant?.member;
}

/** Whether a member of Kiln begins here, or a property of a field that has lost its field. */
function isMember({ reading }: FoundHabit): boolean {
  const { at } = reading;
  return reading.fitsForm('model') || formsOf('field').some((form) => reading.reach(form.shapes, at).at > at + 1);
}
