/** Pushes to a repository that builds: how long each step took, as the pipeline itself tells. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docker, git, kiln, median } from './commands.ts';
import { BASE, POSTGRES_IMAGE } from './images.ts';
import type { Project } from './project.ts';

export interface Pushes {
  readonly steps: ReadonlyMap<string, number>;
  /** The whole command. */
  readonly tested: number;
  /** The first push, which has no previous release. */
  readonly first: number;
  /** Without the steps between the bake and the tag. */
  readonly untested: number;
}

/** What a test of an image consists of. `migrate` is not among them: it runs beside `upgrade`, which takes longer. */
const TEST_STEPS: ReadonlySet<string> = new Set([
  ...['postgres', 'upgrade', 'ready', 'statements', 'requests', 'stop', 'beside'],
]);

/** The median of `rounds` pushes, each of one change, after a first one. */
export function measurePushes(project: Project, rounds: number): Pushes {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-push-'));
  const repository = join(folder, `kiln-bench-${project.name}.git`);
  try {
    kiln(['pipeline', 'init', repository, '--base', BASE, '--postgres', POSTGRES_IMAGE], folder);
    const first = git(project.folder, 'push', '--quiet', repository, 'main').milliseconds;
    return { ...summary(Array.from({ length: rounds }, () => push(project, repository))), first };
  } finally {
    removeImages(`kiln-bench-${project.name}`);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Push {
  readonly milliseconds: number;
  readonly steps: ReadonlyMap<string, number>;
}

function push(project: Project, repository: string): Push {
  project.change();
  const { milliseconds, output } = git(project.folder, 'push', repository, 'main');
  const lines = output.matchAll(/^remote: (\w+) +(\d+) ms\b/gm);
  return { milliseconds, steps: new Map([...lines].map(([, step = '', time]) => [step, Number(time)])) };
}

function summary(pushes: readonly Push[]): Omit<Pushes, 'first'> {
  const names = [...new Set(pushes.flatMap(({ steps }) => [...steps.keys()]))];
  const steps = new Map(names.map((name) => [name, median(pushes.map((each) => each.steps.get(name) ?? 0))]));
  const tested = median(pushes.map(({ milliseconds }) => milliseconds));
  const untested = median(pushes.map((each) => each.milliseconds - timeOfTest(each)));
  return { steps, tested, untested };
}

function timeOfTest({ steps }: Push): number {
  return [...steps].reduce((sum, [name, time]) => (TEST_STEPS.has(name) ? sum + time : sum), 0);
}

export function removeImages(name: string): void {
  const ids = docker('image', 'ls', '--quiet', '--no-trunc', name).output.split('\n').filter(Boolean);
  if (ids.length > 0) docker('image', 'rm', '--force', ...new Set(ids));
}
