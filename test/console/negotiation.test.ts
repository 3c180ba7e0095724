import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import { consoleRoutes } from '../../runtime/console/console-routes.ts';
import { onceMade } from '../../runtime/console/negotiation.ts';
import type { Exchange } from '../../runtime/request/exchange.ts';

describe('what is made when it is first asked for', () => {
  it('is made once, also for those who ask while it is made', async () => {
    let made = 0;
    const ask = onceMade(async () => ++made);
    expect(await Promise.all([ask(), ask()])).to.deep.equal([1, 1]);
    expect(await ask()).to.equal(1);
  });

  it('is made again where it failed', async () => {
    let tries = 0;
    const ask = onceMade(async () => {
      if (++tries === 1) throw new Error('out of luck');
      return tries;
    });
    const [first, second] = await Promise.allSettled([ask(), ask()]);
    expect([first?.status, second?.status, tries]).to.deep.equal(['rejected', 'rejected', 1]);
    expect(await ask()).to.equal(2);
  });

  it('is also the models of the page', async () => {
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
