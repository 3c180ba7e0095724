/** Who may call an endpoint, as far as a document can say it. */

import { accountRoute } from '../../definition/contract/routes.ts';
import type { Definition, Endpoint, Expression } from '../../definition/definition.ts';
import { hasNode } from '../../definition/nodes.ts';
import type { SecurityRequirement, SecurityScheme } from './document.ts';
import { runsCode } from './reach.ts';

const BEARER: SecurityRequirement = { bearer: [] };
const NOBODY: SecurityRequirement = {};

/** Undefined where it makes no difference who calls. */
export function securityOf(endpoint: Endpoint, definition: Definition): readonly SecurityRequirement[] | undefined {
  if (definition.auth === null) return undefined;
  if (endpoint.authorize.some(needsSomebody)) return [BEARER];
  const mayMatter = endpoint.authReads.length > 0 || mentionsCaller(endpoint) || runsCode(endpoint, definition);
  return mayMatter ? [BEARER, NOBODY] : undefined;
}

/** Whether the condition fails wherever nobody is authenticated. */
function needsSomebody(condition: Expression): boolean {
  if (condition.kind === 'authenticated') return true;
  if (condition.kind === 'truth') return needsSomebody(condition.value);
  if (condition.kind !== 'operation') return false;
  if (condition.operator === 'not') return condition.operands.some(holdsForNobody);
  if (condition.operator === 'and') return condition.operands.some(needsSomebody);
  return condition.operator === 'or' && condition.operands.every(needsSomebody);
}

/** Whether it is `@auth.x is null`: what is read of the caller is null wherever nobody is authenticated. */
function holdsForNobody(condition: Expression): boolean {
  if (condition.kind !== 'operation' || condition.operator !== 'is') return false;
  const isOfCaller = condition.operands.some((each) => each.kind === 'snapshot' && each.record === '@auth');
  return isOfCaller && condition.operands.some((each) => each.kind === 'literal' && each.value === null);
}

function mentionsCaller(value: unknown): boolean {
  return hasNode(value, ({ kind }) => kind === 'authenticated');
}

export const REQUIRED = [BEARER];

export function securitySchemes({ auth }: Definition): Readonly<Record<string, SecurityScheme>> | undefined {
  if (auth === null) return undefined;
  const ways = [
    ...(auth.password ? [`a token from \`${accountRoute('login')}\``] : []),
    ...(auth.subject === null ? [] : ['a JWT of the identity provider that the server trusts']),
  ];
  const description = ways.length === 0 ? 'No token is accepted.' : `Either ${ways.join(' or ')}.`;
  const said = ways.length === 1 ? `${ways[0]?.charAt(0).toUpperCase()}${ways[0]?.slice(1)}.` : description;
  return { bearer: { type: 'http', scheme: 'bearer', description: said } };
}
