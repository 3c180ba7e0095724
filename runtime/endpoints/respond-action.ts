import type { Respond } from '../../compiler/definition/definition.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { headerText } from '../values/header-text.ts';
import type { ActionTools, RunAction } from './action-tools.ts';

/** The answer, in the author's own words. A header that is a list is repeated; one that is null is left out. */
export function respondAction({ body, httpStatus, httpHeaders }: Respond, { environment }: ActionTools): RunAction {
  const content = body && compileExpression(body, environment);
  const status = httpStatus && compileExpression(httpStatus, environment);
  const headers = httpHeaders.map(({ name, value }) => [name, compileExpression(value, environment)] as const);
  return async (scope, outcome) => {
    const answered: Record<string, string | readonly string[]> = {};
    // A header with no value at all takes the place of one that every answer has.
    for (const [name, value] of headers) answered[name] = headerValue(await value.run(scope), name) ?? [];
    const text = content === null ? null : JSON.stringify((await content.run(scope)) ?? null);
    const code = status === null ? (content === null ? 204 : 200) : statusFrom(await status.run(scope));
    outcome.answer = { status: code, headers: answered, body: text };
  };
}

function headerValue(value: unknown, name: string): string | readonly string[] | null {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return encoded(name, value);
  return value.filter((item) => item !== null).map((item) => encoded(name, item));
}

/** What custom code gives may be anything. */
function encoded(name: string, value: unknown): string {
  if (typeof value === 'object') throw new Error(`the header \`${name}\` would be an object, but must be a string`);
  return headerText(name, String(value));
}

function statusFrom(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599) return value;
  throw new Error(`a response cannot have the status ${String(value)}`);
}
