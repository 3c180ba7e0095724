/** Values, as other languages write them. */
import type { FoundHabit, Habit, HabitPlace } from './habits.ts';

const PATH = '[A-Za-z_@][\\w.]*';
const SIMPLE = `(?:${PATH}(?:\\([^()\\n]{0,100}\\))?|"[^"\\n]*"|\\d+(?:\\.\\d+)?)`;

const VALIDATORS_WITH_NUMBER = 'minLength|maxLength|minItems|maxItems|min|max';

export const VALUE_HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  'whole-value': [
    {
      written:
        /(?<condition>[^?{}\n"]{1,200}?(?:"[^"\n]*")?[^?{}\n"]{0,100}?)\s*\?(?![.?:])\s*(?<yes>"[^"\n]*"|[^:{}\n]{1,100}?)\s*:\s*(?<no>"[^"\n]*"|[^:{}\n,]{1,100}?)(?=\s*(?:[}\n]|$))/,
      instead: 'if($<condition>, $<yes>, $<no>)',
    },
    {
      written:
        /case\s+when\s+(?<condition>[^{}\n]{1,200}?)\s+then\s+(?<yes>[^{}\n]{1,100}?)\s+else\s+(?<no>[^{}\n]{1,100}?)\s+end\b/i,
      instead: 'if($<condition>, $<yes>, $<no>)',
    },
    {
      written:
        /if\s*\(?(?<condition>[^{}(),\n]{1,200}?)\)?\s+then\s+(?<yes>[^{}\n]{1,100}?)\s+else\s+(?<no>[^{}\n]{1,100}?)(?:\s+end)?(?=\s*(?:[}\n]|$))/i,
      instead: 'if($<condition>, $<yes>, $<no>)',
    },
    {
      written: /(?:if\s*\(?[^{}\n]{1,200}\bthen\b[^{}\n]{0,200}|case\s+[^{}\n]{0,200}\bend\b)/i,
      help: 'a choice is written `if(views > 10, "hot", "new")`',
    },
    {
      written: /\(?\s*select\s+count\s*\(\s*\*\s*\)\s+from\s+(?<path>[\w.]+)(?:\s*\))?(?=\s*(?:[}\n]|$))/i,
      instead: 'count($<path>)',
    },
    {
      written:
        /\(?\s*select\s+(?<function>sum|avg|min|max)\s*\(\s*(?<field>\w+)\s*\)\s+from\s+(?<path>[\w.]+)(?:\s*\))?(?=\s*(?:[}\n]|$))/i,
      instead: ({ groups }) => `${groups.function?.toLowerCase()}(${groups.path}.${groups.field})`,
    },
    {
      written: /(?<put>return)\s+(?!(?:is|in|and|or|not)\b)(?=[\w"@])/,
      isNeedless: true,
      instead: '',
      help: 'write only the value, without `return`',
    },
  ],
  operand: [
    {
      written: new RegExp(`(?<name>${VALIDATORS_WITH_NUMBER})\\s+(?<number>\\d+)`),
      instead: '$<name>($<number>)',
    },
    { written: /count\s*\(\s*\*\s*\)/i, help: 'name what is counted: `count(comments)`' },
    { written: /new\s+Date\s*\(\s*\)/, instead: 'now()' },
    {
      written: new RegExp(`(?<path>${PATH})\\s+(?<not>not\\s+)?i?like\\s+["'](?<text>[^"'\\n]*)["']`, 'i'),
      instead: matching,
      help: 'parts of a text are found with `contains(title, "kiln")`, `startsWith` and `endsWith`',
    },
    {
      written: new RegExp(`(?<path>${PATH})\\s+between\\s+(?<low>${SIMPLE})\\s+and\\s+(?<high>${SIMPLE})`, 'i'),
      instead: '$<path> >= $<low> and $<path> <= $<high>',
    },
    {
      written: new RegExp(`${PATH}\\s+(?<put>(?<not>not\\s+)?in\\s*\\((?<items>[^()\\n]*,[^()\\n]*)\\))`, 'i'),
      instead: listed,
    },
    { written: new RegExp(`(?<a>${SIMPLE})\\s*\\?\\?\\s*(?<b>${SIMPLE})`), instead: 'coalesce($<a>, $<b>)' },
  ],
};

/** `like "%x%"` finds a part, `like "x%"` a beginning, and `like "%x"` an end. */
function matching({ groups }: FoundHabit): string | undefined {
  const text = groups.text ?? '';
  const inner = text.replace(/^%|%$/g, '');
  if (/[%_]/.test(inner) || inner === '') return undefined;
  const name = text.startsWith('%') ? (text.endsWith('%') ? 'contains' : 'endsWith') : 'startsWith';
  const call = `${name}(${groups.path}, "${inner}")`;
  if (!text.includes('%')) return `${groups.path} is ${groups.not ? 'not ' : ''}"${inner}"`;
  return groups.not ? `not ${call}` : call;
}

function listed({ groups }: FoundHabit): string {
  return `${groups.not ? 'not ' : ''}in [${(groups.items ?? '').trim()}]`;
}
