/** Headers and statuses that the author gives. A header that is a list is repeated; one that is null is left out. */
import type { AnswerHead, AnswerHeader } from '../../compiler/definition/endpoint.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled.ts';
import type { Answer } from '../request/exchange.ts';
import { headerText } from '../values/header-text.ts';
import type { RequestScope } from './action-tools.ts';

export function headersOf(
  headers: readonly AnswerHeader[],
  environment: ValidationEnvironment,
): (scope: RequestScope) => Promise<NonNullable<Answer['headers']>> {
  const values = headers.map(({ name, value }) => [name, compileExpression(value, environment)] as const);
  return async (scope) => {
    const answered: Record<string, string | readonly string[]> = {};
    // A header with no value at all takes the place of one that every answer has.
    for (const [name, value] of values) answered[name] = headerValue(await value.run(scope), name) ?? [];
    return answered;
  };
}

function headerValue(value: unknown, name: string): string | readonly string[] | null {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return encoded(name, value);
  return value.filter((item) => item !== null).map((item) => encoded(name, item));
}

/** Encodes a value for a header; custom code may return anything. */
function encoded(name: string, value: unknown): string {
  if (typeof value === 'object') throw new Error(`the header \`${name}\` would be an object, but must be a string`);
  return headerText(name, String(value));
}

/** The answer with the status and the headers that the endpoint gives to all of its answers. */
export function headOf(
  { status, headers = [] }: AnswerHead,
  environment: ValidationEnvironment,
): (answer: Answer, scope: RequestScope) => Promise<Answer> {
  const own = headersOf(headers, environment);
  return async (answer, scope) => ({
    ...answer,
    // A client that has the body already does not get it again, whatever the status would be.
    status: answer.status === 304 ? 304 : (status ?? answer.status),
    headers: { ...answer.headers, ...(await own(scope)) },
  });
}
