/** Which endpoints refuse a caller whom nobody knows, worked out from the definition and not from the document. */
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { Expression } from '../../../compiler/definition/expression.ts';
import type { ReceivedAnswer } from '../send.ts';
import type { FuzzedOperation } from './operations.ts';
import type { FuzzedRequest } from './requests.ts';

/** Whether `authorize` is false whatever is stored, as long as nobody is authenticated. */
export function refusesNobody({ authorize }: Endpoint): boolean {
  return authorize.some((each) => forNobody(each) === false);
}

/** Undefined where it depends on more than the caller. */
function forNobody(expression: Expression): boolean | undefined {
  switch (expression.kind) {
    case 'authenticated':
      return false;
    case 'literal':
      return expression.value === true || expression.value === false ? expression.value : undefined;
    case 'truth':
      return forNobody(expression.value);
    case 'operation':
      return ofOperation(expression.operator, expression.operands.map(forNobody));
    default:
      return undefined;
  }
}

function ofOperation(operator: string, operands: readonly (boolean | undefined)[]): boolean | undefined {
  if (operator === 'not') return operands[0] === undefined ? undefined : !operands[0];
  if (operator === 'and') return decided(operands, false);
  if (operator === 'or') return decided(operands, true);
  return undefined;
}

/** One operand decides; otherwise all must be known. */
function decided(operands: readonly (boolean | undefined)[], by: boolean): boolean | undefined {
  if (operands.includes(by)) return by;
  return operands.includes(undefined) ? undefined : !by;
}

/** Operations for which the document and the definition disagree about who must be authenticated. */
export function disagreements(operations: readonly FuzzedOperation[]): readonly string[] {
  const wrong = operations.filter(
    ({ endpoint, needsSomebody }) => endpoint !== null && refusesNobody(endpoint) !== needsSomebody,
  );
  return wrong.map(
    ({ id, needsSomebody }) => `${id}: the document ${needsSomebody ? 'asks for' : 'does without'} a token`,
  );
}

/** Who must be refused and was not; null where all is well. */
export function accessProblem(
  { caller, kind, headers, pathValues }: FuzzedRequest,
  { id, needsSomebody, endpoint }: FuzzedOperation,
  { status }: ReceivedAnswer,
): string | null {
  if (endpoint?.signed) return status < 400 ? `a request that is not signed was answered with ${status}` : null;
  if (caller.isGood === true || id === 'authLogin') return null;
  const isSuccess = status < 400;
  if (caller.isGood === false) return isSuccess ? `a bad token was answered with ${status}` : null;
  if (!needsSomebody || 'authorization' in headers) return null;
  if (isSuccess) return `nobody was answered with ${status}`;
  // An identifier that no text of Postgres can be belongs to the route, which is checked first.
  const isInvalid = Object.values(pathValues).some((value) => value.includes('\0'));
  const isRefused = [isInvalid ? 400 : 401, 404, 503].includes(status);
  return kind === 'valid' && !isRefused ? `nobody was answered with ${status}, not with 401` : null;
}
