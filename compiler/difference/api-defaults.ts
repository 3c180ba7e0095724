/** What counts where a client leaves an input out. */
import type { Request, ValueInput } from '../definition/definition.ts';
import { literalText, quoted } from './api-names.ts';
import type { Both, Finding, Say } from './api-rules.ts';

/** Only of inputs that could be left out before: of another one nobody has seen the default. */
export function defaultChanges(
  { before, after }: Both<ValueInput>,
  from: Request['from'],
  say: Say,
): readonly Finding[] {
  if (textOf(before) === textOf(after) || before.required || after.required) return [];
  const rule = from === 'query' ? 'parameter-default-changed' : 'input-default-changed';
  return [say(rule, defaultWords(before, after))];
}

function textOf({ default: value }: ValueInput): string {
  return literalText(value) ?? JSON.stringify(value);
}

function defaultWords(before: ValueInput, after: ValueInput): string {
  if (after.default === null) return 'has no default any more';
  const [former, latter] = [literalText(before.default), literalText(after.default)];
  if (latter === null) return before.default === null ? 'has a default now' : 'has another default now';
  return former === null
    ? `has the default ${quoted(latter)} now`
    : `has the default ${quoted(latter)} now, not ${quoted(former)}`;
}
