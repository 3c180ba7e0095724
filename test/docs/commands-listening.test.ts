import { expect } from 'chai';
import { localConfig, localDatabase, type StartOptions } from '../../pipeline/cli/local-database.ts';
import { withClient } from '../../pipeline/database/connect.ts';
import { projectFolder } from '../pipeline/project-folder.ts';

describe('`kiln dev` and `kiln start`', () => {
  it('listen on this machine alone unless they are told otherwise', async () => {
    const hostOf = async (options: StartOptions, environment: Readonly<Record<string, string>>) => {
      const result = await localConfig(options, { environment, places: {}, problems: [] });
      return 'config' in result ? result.config.host : undefined;
    };
    expect(await hostOf({}, {})).to.equal('127.0.0.1');
    expect(await hostOf({}, { HOST: '0.0.0.0' })).to.equal('0.0.0.0');
    expect(await hostOf({ host: '::1' }, { HOST: '0.0.0.0' })).to.equal('::1');
  });

  it('have a Postgres that listens on this machine alone, and asks for a password of its own', async () => {
    const { url, stop } = await localDatabase(projectFolder({}), null);
    try {
      const { rows } = await withClient(url, (client) => client.query('SHOW listen_addresses'));
      expect(rows).to.deep.equal([{ listen_addresses: '127.0.0.1' }]);
      expect(new URL(url).password).to.have.length.greaterThan(15);
      const guessed = Object.assign(new URL(url), { password: 'postgres' }).href;
      const refused = await withClient(guessed, async () => undefined).catch((error: unknown) => String(error));
      expect(refused).to.match(/password/);
    } finally {
      await stop();
    }
  });
});
