import { expect } from 'chai';
import { migrate } from '../../../runtime/commands/migrate.ts';
import { firstReleaseWithRows, migrated } from './databases.ts';
import { TEN_RELEASES } from './ten-releases.ts';

describe('migrate --stop-after', () => {
  async function said(...args: readonly string[]) {
    const lines: string[] = [];
    const code = await migrate({}, (line) => void lines.push(line), args);
    return { code, lines };
  }

  it('ends a migration between two steps of a release, and the next one goes on there', async () => {
    const { url, client } = await firstReleaseWithRows();
    const at = TEN_RELEASES.releases.findIndex(({ steps }) => steps.length > 2);
    const { steps } = TEN_RELEASES.releases[at] as (typeof TEN_RELEASES.releases)[0];
    const { result } = await migrated(TEN_RELEASES, url, { stopAfter: 2 });
    expect(result).to.deep.include({
      kind: 'refused',
      reason: 'stopped',
      message: 'The migration was stopped after step 2, as `--stop-after` says.',
      details: [
        `Known to be applied: ${at} of 10 releases, and 2 of ${steps.length} steps of the next one. Run it again to continue.`,
      ],
    });
    const { rows } = await client.query('SELECT position, steps_done FROM kiln_release_progress');
    expect(rows).to.deep.equal([{ position: at + 1, steps_done: 2 }]);
    expect((await migrated(TEN_RELEASES, url)).result).to.include({ kind: 'done', position: 10 });
  });

  it('runs nothing where as many steps are done already, or more', async () => {
    const { url, client } = await firstReleaseWithRows();
    const at = TEN_RELEASES.releases.findIndex(({ steps }) => steps.length > 2);
    const { steps } = TEN_RELEASES.releases[at] as (typeof TEN_RELEASES.releases)[0];
    await migrated(TEN_RELEASES, url, { stopAfter: 2 });
    for (const stopAfter of [2, 1]) {
      const { result } = await migrated(TEN_RELEASES, url, { stopAfter });
      expect(result).to.deep.include({
        kind: 'refused',
        reason: 'stopped',
        message: `The migration was not continued: 2 of ${steps.length} steps of release ${at + 1} are done already, and \`--stop-after\` says ${stopAfter}.`,
      });
    }
    const { rows } = await client.query('SELECT position, steps_done FROM kiln_release_progress');
    expect(rows).to.deep.equal([{ position: at + 1, steps_done: 2 }]);
  });

  it('needs a number of steps', async () => {
    const refused = { code: 2, lines: ['`--stop-after` needs a number of steps, at least 1.'] };
    expect(await said('--stop-after', '0')).to.deep.equal(refused);
    expect(await said('--stop-after=two')).to.deep.equal(refused);
    expect(await said('--stop-after')).to.deep.equal({ code: 2, lines: ['`--stop-after` needs a value.'] });
  });

  it('is not for a dry run', async () => {
    expect(await said('--stop-after', '2', '--dry-run')).to.deep.equal({
      code: 2,
      lines: ['`--stop-after` stops between steps, and `--dry-run` runs none. Use only one of them.'],
    });
  });
});
