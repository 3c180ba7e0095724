/** From a commit to an image: `kiln build` against `docker build` of the same API by hand, in turns. */
import { type ByHand, byHand } from './by-hand.ts';
import { docker, dockerBuild, kiln, median } from './commands.ts';
import { BASE } from './images.ts';
import type { Project } from './project.ts';
import { removeImages } from './push.ts';

/** All but the last two after a change of one line. */
export interface Builds {
  readonly kiln: number;
  /** The classic builder, which is what `docker build` means to this engine where nothing else is set. */
  readonly plain: number;
  readonly buildKit: number;
  /** The same without its cache, as on a machine that has not built it before. */
  readonly buildKitFresh: number;
  /** Once more, with nothing changed: the engine has the image. */
  readonly kilnAgain: number;
  readonly buildKitAgain: number;
}

const TAG = 'kiln-bench-by-hand';

export function measureBuilds(project: Project, rounds: number): Builds {
  const peer = byHand();
  try {
    const measured = Array.from({ length: rounds + 1 }, () => oneRound(project, peer));
    // The first round fills caches.
    const counted = measured.slice(1);
    const medianOf = (name: keyof Builds) => median(counted.map((each) => each[name]));
    return {
      kiln: medianOf('kiln'),
      plain: medianOf('plain'),
      buildKit: medianOf('buildKit'),
      buildKitFresh: medianOf('buildKitFresh'),
      kilnAgain: medianOf('kilnAgain'),
      buildKitAgain: medianOf('buildKitAgain'),
    };
  } finally {
    peer.remove();
    removeImages(TAG);
    removeImages(`kiln-bench-${project.name}`);
    docker('image', 'prune', '--force');
  }
}

function oneRound(project: Project, peer: ByHand): Builds {
  project.change();
  const ofKiln = () => kiln(['build', '--base', BASE], project.folder).milliseconds;
  const ofBuildKit = () => dockerBuild(peer.folder, TAG, true).milliseconds;
  const [first, again] = [ofKiln(), ofKiln()];
  peer.change();
  const plain = dockerBuild(peer.folder, TAG, false).milliseconds;
  peer.change();
  const [buildKit, buildKitAgain] = [ofBuildKit(), ofBuildKit()];
  peer.change();
  const buildKitFresh = dockerBuild(peer.folder, TAG, true, '--no-cache').milliseconds;
  return { kiln: first, plain, buildKit, buildKitFresh, kilnAgain: again, buildKitAgain };
}
