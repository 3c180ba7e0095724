/** From a commit to an image: `kiln build` against `docker build` of the same API by hand, in turns. */
import { byHand } from './by-hand.ts';
import { docker, dockerBuild, kiln, median } from './commands.ts';
import { BASE } from './images.ts';
import type { Project } from './project.ts';
import { removeImages } from './push.ts';

export interface Builds {
  readonly kiln: number;
  /** The classic builder, which is what `docker build` means to this engine where nothing else is set. */
  readonly plain: number;
  readonly buildKit: number;
  /** The same without its cache, as on a machine that has not built it before. */
  readonly buildKitFresh: number;
}

const TAG = 'kiln-bench-by-hand';

export function measureBuilds(project: Project, rounds: number): Builds {
  const peer = byHand();
  try {
    const measured = Array.from({ length: rounds + 1 }, () => ({
      kiln: buildOfKiln(project),
      plain: buildByHand(peer, false),
      buildKit: buildByHand(peer, true),
      buildKitFresh: buildByHand(peer, true, '--no-cache'),
    }));
    // The first round fills caches.
    const counted = measured.slice(1);
    return {
      kiln: median(counted.map((each) => each.kiln)),
      plain: median(counted.map((each) => each.plain)),
      buildKit: median(counted.map((each) => each.buildKit)),
      buildKitFresh: median(counted.map((each) => each.buildKitFresh)),
    };
  } finally {
    peer.remove();
    removeImages(TAG);
    removeImages(`kiln-bench-${project.name}`);
    docker('image', 'prune', '--force');
  }
}

function buildOfKiln(project: Project): number {
  project.change();
  return kiln(['build', '--base', BASE], project.folder).milliseconds;
}

function buildByHand(peer: ReturnType<typeof byHand>, isBuildKit: boolean, ...args: readonly string[]): number {
  peer.change();
  return dockerBuild(peer.folder, TAG, isBuildKit, ...args).milliseconds;
}
