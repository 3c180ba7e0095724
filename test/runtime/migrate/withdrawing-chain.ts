/** Chains of releases, some of which withdraw others. */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Release, ReleaseChain } from '../../../compiler/definition/migration.ts';
import { releaseBetween, undoBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { definitionOf } from '../operations/running.ts';
import { chainOf } from './compiled-chain.ts';

interface Gives {
  /** The position of the release that gives another one up, and of that one. */
  readonly by: number;
  readonly up: number;
}

/** One release for each program. */
export async function withdrawingChain(
  sources: readonly string[],
  ...withdrawals: readonly Gives[]
): Promise<ReleaseChain> {
  const definitions = await Promise.all(sources.map((source) => definitionOf(source)));
  return withdrawals.reduce((made, gives) => withWithdrawal(made, definitions, gives), chainOf(definitions));
}

/** As a build writes it. What was given up before may have been begun on another way. */
function withWithdrawal(chain: ReleaseChain, definitions: readonly Definition[], { by, up }: Gives): ReleaseChain {
  const at = (position: number) => definitions[position - 1] as Definition;
  const { revision } = chain.releases[up - 1] as Release;
  const others = chain.releases.flatMap(({ withdraws = [] }, index) =>
    withdraws.some((withdrawal) => withdrawal.revision === revision) ? [index + 1] : [],
  );
  const undo = [up, ...others].map((position) => ({
    revision: (chain.releases[position - 1] as Release).revision,
    steps: undoBetween(at(up - 1), at(position)),
  }));
  const withdrawal = { revision, undo, ...releaseBetween(at(up - 1), at(by)) };
  const releases = chain.releases.map((release, index) =>
    index === by - 1 ? { ...release, withdraws: [...(release.withdraws ?? []), withdrawal] } : release,
  );
  expect(chain.schema.tables).to.deep.equal(schemaFromDefinition(definitions.at(-1) as Definition).tables);
  return { ...chain, releases };
}
