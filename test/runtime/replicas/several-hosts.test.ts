/** A DATABASE_URL with several hosts, the first of which is a standby: everything that writes uses the other one. */
import { expect } from 'chai';
import { populate } from '../../../runtime/populate/populate.ts';
import { imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { eventsOf, migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';
import { asking, type Server, startPrimary, startReplica, stopApplications, stopServers } from './clusters.ts';

const NOTES = `
model Note { field text { type string } }
model Seen { reference note { to Note } }
job See { input note { to Note }  action { create Seen { set note note } } }
on create of Note as note { run See { note: note } }
api { entrypoint Note as note { create endpoint {} } }
populator Dev { populate Note { repeat 3  set text "made" } }`;

/** As `migrate` waits for a Postgres that is starting, in milliseconds. */
const START_WAIT = 30_000;

describe('several hosts, one of them a standby', () => {
  let servers: readonly [standby: Server, primary: Server];

  before(async () => {
    const primary = await startPrimary();
    servers = [await startReplica(primary, 'standby'), primary];
  });
  beforeEach(() => servers[1].query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  afterEach(stopApplications);
  after(stopServers);

  const addressOf = (ports: readonly (number | string)[]) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `${servers[1].url.replace(/@[^/]+/, `@${hosts}`)}?target_session_attrs=read-write`;
  };
  const direct = () => addressOf(servers.map(({ url }) => new URL(url).port));
  const pooled = async (pool_mode: string) =>
    addressOf(await Promise.all(servers.map(({ url }) => startPooler(new URL(url), { pool_mode }))));

  /** `jobAddress` is that of `migrate` and `populate`. */
  async function writesEverywhere(jobAddress: string, address: string, environment: Readonly<Record<string, string>>) {
    const definition = await definitionOf(NOTES);
    const chain = chainOf([definition]);
    expect((await migrated(chain, jobAddress)).result.kind).to.equal('done');
    expect((await populate(definition, 'Dev', { databaseUrl: jobAddress })).rows).to.equal(3);
    const app = await asking({ definition, databaseUrl: address, release: imageReleaseOf(chain), environment }, []);
    expect((await app.ask('POST /api/note', { body: { text: 'new' } })).status).to.equal(201);
    await until(async () => (await servers[1].query('SELECT FROM seen')).length === 1);
    expect(await servers[1].query('SELECT FROM note')).to.have.length(4);
  }

  it('are written to by `migrate`, `populate`, requests and jobs', () => writesEverywhere(direct(), direct(), {}));

  it('are written to through a pooler for each of them', async function () {
    skipFor(this, 'tests of a pooler', whyNoPooler());
    await writesEverywhere(await pooled('session'), await pooled('transaction'), POOLER_ENVIRONMENT);
  });

  it('that all reject the password are not waited for', async () => {
    const address = direct().replace(/:[^:@]*@/, ':wrong@');
    const giveUp = new AbortController();
    // A Postgres that is starting would be waited for, and that is told first.
    const report = () => giveUp.abort();
    const chain = chainOf([await definitionOf(NOTES)]);
    const { events, result } = await migrated(chain, address, { startWait: START_WAIT, signal: giveUp.signal, report });
    expect(eventsOf(events, 'waiting-for-postgres')).to.deep.equal([]);
    const said = result.kind === 'refused' ? result.message : '';
    expect(said).to.include('rejects the user `postgres` or its password').and.not.to.include('wrong');
  });
});
