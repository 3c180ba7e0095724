/** The rules about who may call what, for the reference of `kiln dev`. */
import { literalPath } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Route } from '../request/exchange.ts';
import type { ConsoleOptions } from './api/console-options.ts';
import { consoleRoute } from './api/console-route.ts';

/** They are worked out when the page first asks for them. */
export function accessRoute(
  options: ConsoleOptions,
  access: NonNullable<ConsoleOptions['access']>,
  definition: Definition,
): Route {
  let rules: string | undefined;
  return consoleRoute(options, 'GET', literalPath('access'), async () => {
    rules ??= JSON.stringify(access(definition));
    return { status: 200, headers: null, body: rules };
  });
}
