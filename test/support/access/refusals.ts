/** Which callers each endpoint has to refuse: what the test of an image asks for, whoever has written the rules. */
import { accountEndpoints, passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { ACCOUNT_METHODS, accountPath, type Segment } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Endpoint, PathRecord } from '../../../compiler/definition/endpoint.ts';
import { hasNode } from '../../../compiler/definition/lookup.ts';
import { accessRules, answerTo } from '../../../compiler/difference/access-rules.ts';
import { ruleSourceOf } from '../../../compiler/difference/meaning.ts';
import { type KnownFields, Stranger } from './stranger.ts';

export interface Refusal {
  /** `DELETE /api/note/{note_id}`. */
  readonly endpoint: string;
  readonly method: string;
  readonly path: readonly Segment[];
  /** The records of the path, from the outside in. */
  readonly records: readonly PathRecord[];
  /** A stranger is signed in, but nothing in the database belongs to them. */
  readonly caller: 'anonymous' | 'stranger';
  /** `hidden`: a record that belongs to somebody else is not found. */
  readonly how: 'refused' | 'hidden';
  /** Whether its rule runs code of the application, which may fail by itself. */
  readonly runsCode: boolean;
  /** Why, in words of the language. */
  readonly rule: string;
}

/** `account` is what is known of the stranger's own fields. */
export function expectedRefusals(definition: Definition, account: KnownFields): readonly Refusal[] {
  if (definition.auth === null) return [];
  const stranger = new Stranger(ruleSourceOf(definition), account);
  const endpoints = endpointsById(definition);
  return accessRules(definition).flatMap(({ id, endpoint: route, access, callers }): readonly Refusal[] => {
    const endpoint = endpoints.get(id) as Tested;
    const { method, path, records } = endpoint;
    const runsCode = 'authorize' in endpoint && hasNode(endpoint.authorize, ({ kind }) => kind === 'hook');
    const common = { endpoint: route, method, path, records, runsCode };
    const anonymous = answerTo(callers, false) === 'no';
    const refused = 'authorize' in endpoint && stranger.isRefusedBy(endpoint);
    const isHidden = !refused && records.some(({ origin, identify }) => origin !== undefined && identify !== null);
    return [
      ...(anonymous ? [{ ...common, caller: 'anonymous', how: 'refused', rule: access.says } as const] : []),
      ...(refused ? [{ ...common, caller: 'stranger', how: 'refused', rule: access.says } as const] : []),
      ...(isHidden ? [{ ...common, caller: 'stranger', how: 'hidden', rule: access.shows ?? '' } as const] : []),
    ];
  });
}

/** `login` and `logout` are no endpoints of a definition. */
type Tested = Endpoint | Pick<Endpoint, 'method' | 'path' | 'records'>;

function endpointsById(definition: Definition): ReadonlyMap<string, Tested> {
  const found = new Map<string, Tested>(definition.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const auth = passwordAuthOf(definition);
  if (!auth) return found;
  for (const endpoint of accountEndpoints(auth, definition)) found.set(endpoint.id, endpoint);
  for (const name of ['login', 'logout'] as const)
    found.set(`auth.${name}`, { method: ACCOUNT_METHODS[name], path: accountPath(name), records: [] });
  return found;
}
