/** What the sources of `kiln dev` change since the newest release: what `kiln diff` says, for the console. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { ChangeKind, ModelChange, ReleaseChanges } from '../../runtime/console/api/release-changes.ts';
import { BuildRefusal } from '../bake/build-refusal.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import { GitRefusal } from '../git/git-refusal.ts';
import { LedgerRefusal } from '../ledger/ledger-refusal.ts';
import { type ChangedModels, changedModels } from '../page/changed-models.ts';
import { type Side, Sides } from './diff-side.ts';

/** Null where there is no release to compare with. */
export function changesSinceRelease(dir: string, definition: Definition): ReleaseChanges | null {
  const release = newestRelease(dir);
  if (release === null) return null;
  const before = release.definition();
  const { api, data } = differenceBetween(before, definition, NOWHERE);
  return {
    since: release.name,
    api: api.map(({ endpoint, level, says }) => ({ endpoint, level, says })),
    data: [...(data.undecided ?? []), ...data.steps, ...data.later].map(({ says }) => says),
    models: modelChanges(before, definition),
  };
}

/** A folder without a repository, or without releases, is nothing special here. */
function newestRelease(dir: string): Side | null {
  try {
    return new Sides(dir, undefined).newest();
  } catch (error) {
    if (REFUSALS.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

const REFUSALS = [BuildRefusal, GitRefusal, LedgerRefusal] as const;

function modelChanges(before: Definition, after: Definition): Readonly<Record<string, ModelChange>> {
  const changes = changedModels(before, after);
  const models = [...before.models, ...after.models];
  const names = new Set(models.map(({ name }) => name));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const change = changes.ofModel(name);
      const members = models.filter((model) => model.name === name).flatMap(memberNames);
      return change === 'same' ? [] : [[name, { change, members: memberChanges(name, members, changes) }]];
    }),
  );
}

function memberNames({ fields, references, computed }: Model): readonly string[] {
  return [...fields, ...references, ...computed].map(({ name }) => name);
}

function memberChanges(
  model: string,
  members: readonly string[],
  { ofMember }: ChangedModels,
): Readonly<Record<string, ChangeKind>> {
  return Object.fromEntries(
    members.flatMap((member) => {
      const change = ofMember(model, member);
      return change === 'same' ? [] : [[member, change]];
    }),
  );
}
