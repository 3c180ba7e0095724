/** Clients that run, made from any definition. Their types are not known to the tests, so they are objects of functions. */
import type { Definition } from '../../../compiler/definition/definition.ts';
import { clientFiles } from '../../../pipeline/clients/write-clients.ts';
import { clientFrom } from './clients.ts';

interface LoadedClient {
  readonly createClient: (options: object) => object;
  readonly ApiError: new (...args: never) => Error;
}

export async function loadClient(definition: Definition): Promise<LoadedClient> {
  const [code] = await clientFiles(clientFrom(definition, 'test'), 'js');
  return import(`data:text/javascript;base64,${Buffer.from(code?.content ?? '').toString('base64')}`);
}

type Call = () => Promise<unknown>;

/** Every method of a client, those behind a value of the path too. */
export function callsOf(client: object): readonly Call[] {
  return Object.entries(client).flatMap(([, member]: [string, object]) => {
    if (isMethod(member)) return [() => member()];
    const one = typeof member === 'function' ? callsOf((member as (value: string) => object)('VALUE')) : [];
    return [...callsOf(member), ...one];
  });
}

/** A group has a `result` only where a path is called so, which no path here is. */
function isMethod(member: object): member is Call {
  return typeof member === 'function' && 'result' in member;
}
