/** Declarations of other languages, in the place of declarations of Kiln. */
import { capitalised, modelName } from './declared-names.ts';
import { contextOf, modelText, partsBetweenCommas } from './foreign-models.ts';
import type { FoundHabit, Habit, HabitPlace } from './habits.ts';

const MODEL = '`model Post { field title { type string } }`';
const LINE = '[^\\n]{0,500}';

export const FILE_HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  file: [
    // ── SQL ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    {
      written: /create\s+table\s+(?:if\s+not\s+exists\s+)?["`]?(?<name>\w+)["`]?\s*(?=\()/i,
      hasBody: true,
      instead: (found) =>
        modelText(modelName(found.groups.name ?? ''), partsBetweenCommas(bodyOf(found)), contextOf(found)),
      help: `a table is a model: ${MODEL}`,
    },
    {
      written: /create\s+type\s+(?<name>\w+)\s+as\s+enum\s*\((?<values>[^()]{0,500})\)\s*;?/i,
      instead: ({ groups }) => `enum ${capitalised(groups.name ?? '')} { ${values(groups.values ?? '')} }`,
    },
    {
      written: /(?:alter\s+(?:table|type)|drop\s+table|create\s+(?:unique\s+)?index|truncate)\b[^;]{0,500};?/i,
      help: 'change the model itself; Kiln writes the migration from that. A field is removed with `drop subtitle`, an index is written `index { author, slug }`',
    },
    {
      written: /insert\s+into\b[^;]{0,500};?/i,
      help: 'records are made by a populator: `populator Dev { populate Author { repeat 20 } }`',
    },
    {
      written: /(?:select|update|delete\s+from)\b[^;{]{0,500};/i,
      help: 'records are read and written by endpoints: `api { entrypoint Post { list endpoint {} } }`',
    },

    // ── GraphQL and Prisma ──────────────────────────────────────────────────────────────────────────────────────────
    {
      written: /type\s+(?:Query|Mutation|Subscription)\s*(?=\{)/,
      hasBody: true,
      help: 'endpoints are declared in an api: `api { entrypoint Post { list endpoint {} get endpoint {} } }`',
    },
    {
      written: /(?:(?:mutation|subscription)\b[^\n{]{0,200}|query\s*)(?=\{)/,
      hasBody: true,
      help: 'a file declares an API and does not call it: `api { entrypoint Post { list endpoint {} } }`',
    },
    {
      written: /input\s+\w+\s*(?=\{)/,
      hasBody: true,
      help: 'inputs follow from the model and the endpoint; more of them are written `extra inputs { field note { type string } }` in the endpoint',
    },
    {
      written: /extend\s+type\s+(?<name>\w+)\s*(?=\{)/,
      hasBody: true,
      help: ({ groups }) => `a model is declared in one place: add its members to \`model ${groups.name} { … }\``,
    },
    {
      written: /scalar\s+\w+/,
      instead: '',
      help: 'the types are built in: `string`, `integer`, `date`, `timestamp`, `json` and others',
    },
    {
      written: /union\s+\w+\s*=[^\n]{0,200}/,
      help: 'Kiln has no unions. A field with one of several values has an enum: `enum Status { draft, published }`',
    },
    {
      written: /datasource\s+\w+\s*(?=\{)/,
      hasBody: true,
      instead: '',
      help: 'the database is given by `DATABASE_URL` when the server starts',
    },

    // ── Programming languages ───────────────────────────────────────────────────────────────────────────────────────
    {
      written: new RegExp(`(?:import|require|require_relative|from|use|using|include)\\b${LINE}`),
      instead: '',
      help: 'all `.kiln` files of a folder are one program, so nothing is imported',
    },
    {
      written: /(?<put>export)\s+(?:default\s+)?(?=\w)/,
      instead: '',
      help: 'everything that is declared can be used in every file',
    },
    {
      written: /(?:const|let|var|function|async|def)\b[^\n{]{0,200}(?:\{[^{}]{0,1000}\})?/,
      help: 'Kiln has no variables and no functions. Code of your own is a hook: `hook { source notify from "notify.ts" }`',
    },
    {
      written: /class\s+(?<name>\w+)\s*\([^()\n]*\)\s*:[ \t]*(?<body>(?:\n(?:[ \t]+[^\n]{0,300}|[ \t]*(?=\n)))+)/,
      instead: ({ groups, ...found }) =>
        modelText(groups.name ?? '', linesOf(groups.body), contextOf({ groups, ...found })),
      help: `a class of records is a model: ${MODEL}`,
    },
    {
      written: /(?<put>(?:class|interface|type)\s+(?<name>\w+)\s*(?:extends|implements|<)\s+[\w.:]+)\s*(?=\{)/,
      hasBody: true,
      instead: 'model $<name>',
      help: 'a model does not extend another one; it has all its fields itself',
    },
    {
      written: /(?:add_column|create_table|remove_column|rename_column|add_index)\b[^\n]{0,500}/,
      help: `change the model itself; Kiln writes the migration from that: ${MODEL}`,
    },

    // ── YAML and JSON ───────────────────────────────────────────────────────────────────────────────────────────────
    { written: /---(?=\s)/, instead: '' },
    {
      written:
        /(?!(?:models?|enums?|apis?|schema|tables?|version|openapi)\b)(?<name>[A-Z]\w*)\s*:[ \t]*(?<body>(?:\n[ \t]+[^\n]{1,300})+)/,
      instead: ({ groups, ...found }) =>
        modelText(groups.name ?? '', linesOf(groups.body), contextOf({ groups, ...found })),
      help: `Kiln is not YAML: a model is written ${MODEL}`,
    },
    {
      written: /(?<mark>(?!model\s*:\s*\w+\s*\{)[a-z]\w*\s*:)[ \t]*\n(?:[ \t]+[^\n]*(?:\n|$))+/,
      help: `Kiln is not YAML: a model is written ${MODEL}`,
    },
    {
      written: /(?=\{\s*["}])/,
      hasBody: true,
      help: `Kiln is not JSON: a model is written ${MODEL}`,
    },
  ],
};

/** What is between the brackets behind the head of a habit. */
function bodyOf({ text }: FoundHabit): string {
  return text.replace(/^[^([{]*[([{]/, '').replace(/[)\]}]\s*;?$/, '');
}

function linesOf(body: string | undefined): readonly string[] {
  return (body ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function values(text: string): string {
  return text
    .split(',')
    .map((value) => value.trim().replace(/^['"]|['"]$/g, ''))
    .join(', ');
}
