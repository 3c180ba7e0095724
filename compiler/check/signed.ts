/**
 * `signed by stripe { secret STRIPE_SECRET }`: requests that another service signs. The signature stands in place of a
 * caller, so what the rules around it say about the caller does not apply.
 */
import { SIGNATURE_HEADERS, type SignatureScheme } from '../definition/signed-requests.ts';
import { foundBy } from '../program/endpoint-path.ts';
import { conjuncts, pathsIn } from '../program/parts.ts';
import type { Action, Endpoint, Expression } from '../program/program.ts';
import { isOfCaller, typeName } from '../program/type.ts';
import { type Context, notAmong } from './context.ts';
import { pathsWithin } from './rules.ts';
import { settingNamed } from './settings.ts';
import type { ApiEndpoint } from './write-actions.ts';

export function checkSigned(
  { context, written: { signed, head }, around }: ApiEndpoint,
  { method, cardinality }: Pick<Endpoint, 'method' | 'cardinality'>,
): Endpoint['signed'] {
  if (!signed) return undefined;
  const { scheme, secret } = signed;
  const refuse = (why: 'method' | 'caller' | 'secret') => context.report('signed-endpoint', head, { why });
  if (method !== 'POST') refuse('method');
  const found = foundBy({ entrypoint: around.entrypoint, cardinality });
  if (around.isOfCaller || found.some(({ only }) => only && readsCaller(only))) refuse('caller');
  if (!Object.hasOwn(SIGNATURE_HEADERS, scheme.text))
    context.report('unknown-signature', scheme.span, notAmong(scheme, SCHEMES));
  if (!secret) return refuse('secret');
  const setting = settingNamed(context, secret, true);
  if (!setting) return undefined;
  const isText = setting.type.base.kind === 'string' && !setting.type.many;
  if (!setting.secret || !isText) {
    const { name, whole: declared } = setting;
    context.report('signing-setting', secret.span, {
      name,
      type: isText ? undefined : typeName(setting.type),
      declared,
    });
  }
  return { by: scheme.text as SignatureScheme, secret: setting.name };
}

const SCHEMES = Object.keys(SIGNATURE_HEADERS).map((name) => ({ name }));

/** The parts of a rule that say nothing of the caller. */
export function withoutCaller(rule: Expression): readonly Expression[] {
  return conjuncts(rule).filter((part) => !readsCaller(part));
}

function readsCaller(part: Expression): boolean {
  return pathsIn(part).some((path) => [path, ...pathsWithin(path.steps)].some(({ root }) => isOfCaller(root)));
}

/** What has run before a call is committed, so a repeat of the request could not tell how far the first one came. */
export function reportCalls(context: Context, actions: readonly Action[]): void {
  for (const action of actions)
    if (action.kind === 'service-call') context.report('signed-endpoint', action.head, { why: 'call' });
}
