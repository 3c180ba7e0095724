/** Who may call an endpoint, as far as a document can say it. */
import { accountRoute } from '../../definition/contract/routes.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import type { Expression, Operation } from '../../definition/expression.ts';
import { hasNode } from '../../definition/lookup.ts';
import { memoized } from '../../definition/memo.ts';
import { withRulesWrittenOut } from '../../definition/rules-written-out.ts';
import type { SecurityRequirement, SecurityScheme } from './document.ts';
import { runsCode } from './reach.ts';

const BEARER: SecurityRequirement = { bearer: [] };
const NOBODY: SecurityRequirement = {};

/** Undefined where it makes no difference who calls. */
export function securityOf(endpoint: Endpoint, definition: Definition): readonly SecurityRequirement[] | undefined {
  if (definition.auth === null) return undefined;
  const { authorize } = withRulesWrittenOut(endpoint, modelsByName(definition));
  if (authorize.some((rule) => forNobody(rule) === false)) return [BEARER];
  const mayMatter = endpoint.authReads.length > 0 || mentionsCaller(endpoint) || runsCode(endpoint, definition);
  return mayMatter ? [BEARER, NOBODY] : undefined;
}

const modelsByName = memoized(({ models }: Definition) => new Map(models.map((model) => [model.name, model])));

/** Whether the condition holds where nobody is authenticated; undefined where that depends on something else. */
function forNobody(condition: Expression): boolean | undefined {
  if (condition.kind === 'authenticated') return false;
  if (condition.kind === 'truth') return forNobody(condition.value);
  if (condition.kind !== 'operation') return undefined;
  if (condition.operator === 'is') return isNullOfCaller(condition) ? true : undefined;
  const parts = condition.operands.map(forNobody);
  if (condition.operator === 'not') return parts[0] === undefined ? undefined : !parts[0];
  if (condition.operator === 'and') return parts.includes(false) ? false : parts.every(Boolean) || undefined;
  if (condition.operator !== 'or') return undefined;
  return parts.includes(true) ? true : parts.every((part) => part === false) ? false : undefined;
}

/** `@auth.x is null`: what is read of the caller is null where nobody is authenticated. */
function isNullOfCaller({ operands }: Operation): boolean {
  const isOfCaller = operands.some((each) => each.kind === 'snapshot' && each.record === '@auth');
  return isOfCaller && operands.some((each) => each.kind === 'literal' && each.value === null);
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
