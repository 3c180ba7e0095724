import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import { consoleRoutes } from '../../runtime/console/console-routes.ts';
import type { Exchange } from '../../runtime/request/exchange.ts';

describe('what the console makes when it is first asked for', () => {
  it('is made again where it failed', async () => {
    let tries = 0;
    const definition = {
      generators: [],
      models: [],
      enums: [],
      endpoints: [],
      get entrypoints() {
        if (++tries === 1) throw new Error('cannot be read');
        return [];
      },
    } as unknown as Definition;
    const documented = { definition, tools: {} as never, document: () => '{}', routes: [] };
    const models = consoleRoutes(documented).find(({ pattern }) => pattern.endsWith('/models.json'));
    const ask = async () => models?.handle({ request: { headers: {} } } as unknown as Exchange);
    const [failed] = await Promise.allSettled([ask()]);
    expect(failed.status).to.equal('rejected');
    expect((await ask())?.status).to.equal(200);
  });
});
