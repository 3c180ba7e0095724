/** Entrypoints, endpoints, actions and populators, as other languages write them. */
import type { FoundHabit, Habit, HabitPlace } from './habits.ts';

const SIGNED_IN = 'to allow only signed-in callers, write `authorize { @auth is not null }`';

/** Endpoints by the names that other frameworks have for them. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  post: 'create',
  add: 'create',
  insert: 'create',
  new: 'create',
  patch: 'update',
  edit: 'update',
  index: 'list',
  all: 'list',
  show: 'get',
  read: 'get',
  find: 'get',
  destroy: 'delete',
  remove: 'delete',
};

const ORDER: Habit = {
  written: /(?:orderBy|order_by|sortBy|sort_by|sort)\s*[:=]?\s*\{(?<items>[^{}\n]*:[^{}\n]*)\}/,
  instead: ({ groups }) =>
    `order by { ${(groups.items ?? '').replace(/\s*:\s*["']?(asc|desc)["']?/gi, ' $1').trim()} }`,
};

const ENDPOINT: readonly Habit[] = [
  ORDER,
  { written: /(?:where|having)\s+(?<condition>[^{}\n]+?)(?=\s*[\n}])/i, instead: 'filter { $<condition> }' },
  { written: /(?<name>paginable|pageable)\s*(?:[:=]\s*)?true\b/, instead: '$<name>' },
  {
    written: /(?:select|fields)\s+(?<names>\w+(?:\s*,\s*\w+)*)(?=\s*[\n}])/i,
    instead: 'response { $<names> }',
  },
  { written: /before_action\b[^\n]*|@(?:login_required|authenticated|auth_required)\b/, help: SIGNED_IN },
  { written: /@public\b/, help: 'to let everybody call it, write `authorize { true }`' },
];

export const API_HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  api: [
    {
      written: /(?:resources?\s+:|router\.\w+|app\.\w+)[^\n{]{0,200}/,
      help: 'the endpoints of a model are written `entrypoint Post { list endpoint {} get endpoint {} }`',
    },
  ],
  entrypoint: [
    {
      written: /(?<put>(?<mark>put\s+endpoint)\s*\{[ \t]*)/i,
      instead: 'update endpoint { method PUT ',
      readAs: () => ['update', 'endpoint'],
    },
    {
      written: new RegExp(`(?<put>(?<name>${Object.keys(ENDPOINTS).join('|')})\\s+endpoint)\\b`, 'i'),
      instead: (found) => `${kindOf(found)} endpoint`,
      readAs: (found) => [kindOf(found), 'endpoint'],
    },
    {
      written: /(?<put>endpoint\s+(?<name>list|get|create|update|delete|custom))\b/,
      instead: '$<name> endpoint',
      readAs: ({ groups }) => [groups.name ?? '', 'endpoint'],
    },
    {
      written: /(?<put>(?<method>get|post|put|patch|delete|Get|Post|Put|Patch|Delete))(?=\s+(?:one|many)\b)/,
      instead: ({ groups }) => groups.method?.toUpperCase(),
      readAs: ({ groups }) => [groups.method?.toUpperCase() ?? ''],
    },
    {
      written: /identify\s*(?:by\s+|through\s+|:\s*)?"?(?<path>(?!through\b|by\b)[A-Za-z_][\w.]*)"?(?!\s*\{)/,
      instead: 'identify { through $<path> }',
    },
    {
      written: /response\s*:?\s*\[(?<names>[^[\]{}\n]*)\]/,
      instead: ({ groups }) => `response { ${(groups.names ?? '').replace(/["']/g, '').trim()} }`,
    },
    {
      written: /response\s*:?\s*(?<names>\w+(?:\s*,\s*\w+)+)(?=\s*[\n}])/,
      instead: 'response { $<names> }',
    },
    ...ENDPOINT,
  ],
  endpoint: [
    ...ENDPOINT,
    {
      written: /filter\s*:?\s*"(?<condition>[^"\n]*)"/,
      instead: 'filter { $<condition> }',
    },
  ],
  query: [ORDER],
  query_action: [ORDER],
  identify: [{ written: /"?(?<path>(?!through\b)[A-Za-z_][\w.]*)"?(?=\s*\})/, instead: 'through $<path>' }],
  order_by: [
    {
      written: /(?<path>[A-Za-z_][\w.]*)\s*:\s*["']?(?<direction>asc|desc)["']?/i,
      instead: ({ groups }) => `${groups.path} ${groups.direction?.toLowerCase()}`,
    },
  ],
  selection: [{ written: /(?<name>[A-Za-z_]\w*)\s*:\s*(?<put>true)\b/, instead: '' }],
  action: [
    {
      written: /(?<record>[A-Za-z_]\w*)\.(?<field>[A-Za-z_]\w*)\s*=\s*(?<value>[^=\n{};]+?)(?=\s*[\n};])/,
      instead: 'update $<record> { set $<field> $<value> }',
    },
    {
      written: /return\s+(?<value>[\w.@"]+);?/,
      instead: 'respond { body $<value> }',
    },
    {
      written: /(?:if|unless|when)\s*\(?[^{}\n]{0,200}(?:\{[^{}\n]*(?:\{[^{}]*\}[^{}\n]*)*\})?/,
      help: 'a value is set under a condition with `set published true when views > 10`; `validate with key "views" { views > 10 }` stops the request',
    },
    {
      written: /(?:await\s+)?[A-Za-z_][\w.]*\([^{}\n]{0,200}\);?/,
      help: 'code of your own is called with `execute { hook { source notify from "notify.ts" } }`',
    },
  ],
  write: [
    {
      written:
        /(?!(?:set|input|reference)\b)(?<field>[A-Za-z_]\w*)(?:\s*[:=]\s*|[ \t]+)(?<value>"[^"\n]*"|-?[\w.@]+(?:\([^()\n]*\))?)(?=\s*[,}\n])/,
      instead: 'set $<field> $<value>',
    },
  ],
  populate: [{ written: /repeat\s+(?<count>\d+)\s+as\s+(?<name>\w+)/, instead: 'repeat as $<name> $<count>' }],
  auth: [{ written: /(?<name>model|login|password)\s*[:=]\s*["']?(?<value>\w+)["']?/, instead: '$<name> $<value>' }],
};

function kindOf({ groups }: FoundHabit): string {
  return ENDPOINTS[(groups.name ?? '').toLowerCase()] ?? '';
}
