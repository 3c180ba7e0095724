/** What a call gives, and what it can be refused with, by the responses that the document lists. */
import { PROBLEM_TYPE } from '../../definition/contract/problems.ts';
import type { Reference, Response, Schema } from '../openapi/document.ts';
import { REFUSALS, type Refusal } from '../openapi/problems.ts';
import type { ClientOperation } from './operations.ts';

export interface Answer {
  /** Null where there is no body. */
  readonly schema: Schema | null;
  /** A status other than 2xx that is no refusal; `any` where it is known only when it comes. */
  readonly status: number | 'any' | null;
}

export function answerOf({ operation }: ClientOperation): Answer {
  const [status = '', response] = Object.entries(operation.responses).find(isOwn) ?? [];
  const content = Object.entries((response as Response | undefined)?.content ?? {});
  const body = content.find(([type]) => type !== PROBLEM_TYPE)?.[1];
  return { schema: body?.schema ?? null, status: statusOf(status) };
}

/** Refusals stand as components. */
function isOwn([, response]: readonly [string, Response | Reference]): boolean {
  return !('$ref' in response);
}

function statusOf(status: string): Answer['status'] {
  if (status === 'default') return 'any';
  return status.startsWith('2') ? null : Number(status);
}

// ── Refusals ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Codes that any call may end with, so that they are not told of each. */
const ANY_TIME: readonly string[] = ['internal', 'unavailable'];
const OF_BODIES: readonly string[] = ['malformed-request', 'too-large', 'unsupported-media-type'];

/** The parts of a union of codes. */
export function codesOf({ operation }: ClientOperation): readonly string[] {
  const codes = Object.entries(operation.responses)
    .flatMap(refusalsOf)
    .map((refusal): string | null => REFUSALS[refusal].code);
  if (codes.includes(null)) return ['ProblemCode'];
  const told = codes.flatMap((code) => (code === null || ANY_TIME.includes(code) ? [] : [code]));
  const hasBody = OF_BODIES.every((code) => told.includes(code));
  const rest = hasBody ? told.filter((code) => !OF_BODIES.includes(code)) : told;
  return [...(hasBody ? ['BodyCode'] : []), ...rest.map((code) => `'${code}'`)];
}

/** An endpoint that answers with a status of refusals tells of both in one response. */
function refusalsOf([status, response]: readonly [string, Response | Reference]): readonly Refusal[] {
  if ('$ref' in response) return [response.$ref.slice('#/components/responses/'.length) as Refusal];
  if (response.content?.[PROBLEM_TYPE] === undefined) return [];
  return (Object.keys(REFUSALS) as Refusal[]).filter((refusal) => REFUSALS[refusal].status === status);
}
