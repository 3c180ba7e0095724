/** One revision, from its release to its tags. */

import type { Definition } from '../../compiler/definition/definition.ts';
import { bakeInto } from '../bake/bake.ts';
import { type BuildInput, type BuiltRelease, buildRelease, recordedLayer } from '../bake/build-release.ts';
import { imageTags } from '../bake/image-tags.ts';
import { Steps } from '../bake/steps.ts';
import { areHere } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import { LedgerRefusal } from '../ledger/ledger-refusal.ts';
import type { PreviousRelease } from '../smoke/previous-database.ts';
import { smokeTest } from '../smoke/smoke-test.ts';
import { addToJournal } from './build-journal.ts';
import type { QueuedBuild } from './build-queue.ts';
import type { PushSettings } from './settings.ts';

export interface RevisionRun {
  readonly repository: Repository;
  readonly settings: PushSettings;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export async function buildRevision(run: RevisionRun, engine: DockerEngine, build: QueuedBuild): Promise<void> {
  const { repository, settings, say } = run;
  const { branch, revision } = build;
  const steps = new Steps(say);
  const start = performance.now();
  say(`${branch} ${revision.slice(0, 12)}`);
  const built = await recorded({ repository, revision, branch, folder: repository.folder }, steps);
  // Whoever pulls `<app>:<branch>` must not get what is not tested yet, and an image without a name may be pruned.
  const untested = `${built.application}:untested-${revision.slice(0, 12)}`;
  try {
    const { id } = await steps.run('bake', () =>
      bakeInto(engine, settings.base, { ...built, source: null }, [untested]),
    );
    await tested(run, engine, { branch, built, image: untested }, steps);
    const names = await steps.run(
      'tag',
      () => moveTags(engine, untested, built, branch),
      (moved) => moved.join(', '),
    );
    addToJournal(repository, branch, { revision, outcome: 'tested', image: id });
    say(`${names[0]} is ${id} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } finally {
    await engine.untag(untested);
  }
}

const ATTEMPTS = 3;

/** A release that another machine has recorded meanwhile is compared with anew. */
async function recorded(input: BuildInput, steps: Steps): Promise<BuiltRelease> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await buildRelease(input, steps);
    } catch (error) {
      const isOvertaken = error instanceof LedgerRefusal && error.kind === 'overtaken';
      if (!isOvertaken || attempt === ATTEMPTS) throw error;
    }
  }
}

interface Untested {
  readonly branch: string;
  readonly built: BuiltRelease;
  readonly image: string;
}

async function tested(run: RevisionRun, engine: DockerEngine, untested: Untested, steps: Steps): Promise<void> {
  const { repository, settings, signal } = run;
  const { built, image } = untested;
  const previous = await previousRelease(repository, untested);
  const { base, postgres } = settings;
  const { definition } = built.release;
  const owner = repository.sharedFolder;
  await smokeTest(engine.docker, { image, base, postgres, owner, definition, previous, signal }, steps);
}

/** Null for the first release, and where the code of the one before is gone. */
async function previousRelease(repository: Repository, { branch, built }: Untested): Promise<PreviousRelease | null> {
  const before = built.release.chain.releases.at(-2)?.revision;
  if (before === undefined || !areHere(repository, [`${before}^{commit}`])[0]) return null;
  const found = await recordedLayer({ repository, revision: before, branch, folder: repository.folder });
  return found ? { revision: before, layer: found.layer, populator: populatorOf(found.release.definition) } : null;
}

/** The one that development uses, or else the first. */
function populatorOf({ populators }: Definition): string | null {
  const names = populators.map(({ name }) => name);
  return names.find((name) => name === 'Dev') ?? names[0] ?? null;
}

async function moveTags(
  engine: DockerEngine,
  image: string,
  { application, commit }: BuiltRelease,
  branch: string,
): Promise<readonly string[]> {
  const tags = imageTags(commit.revision, branch);
  const names = [tags.revision, tags.branch];
  for (const tag of names) await engine.tag(image, application, tag);
  return names.map((tag) => `${application}:${tag}`);
}
