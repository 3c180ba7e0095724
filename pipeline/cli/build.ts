/** `kiln build`: a git revision becomes a release on the ledger, and an image. */
import { imageTags } from '../bake/build-names.ts';
import { type BuildInput, type BuiltRelease, prepareRelease, recordRelease } from '../bake/build-release.ts';
import { engineTarget, fileTarget, type ImageTarget, platformTarget, type TargetTest } from '../bake/image-target.ts';
import { attachProvenance, provenanceFiles, signingKey } from '../bake/provenance-files.ts';
import { type ImageTest, mustHaveTestImages, startTest } from '../bake/test-image.ts';
import { areHere } from '../git/objects.ts';
import { isTaggedName } from '../git/project-settings.ts';
import { openRepository } from '../git/repository.ts';
import { currentBranch, isAncestor, revisionOf } from '../git/revision.ts';
import { isSamePlatform, type Platform, platformsFromText } from '../image/image-config.ts';
import { OWN_PLATFORM, RUNTIME_FOLDER } from '../image/own-node.ts';
import { partsOfName } from '../image/registry-credentials.ts';
import { newestRelease } from '../ledger/ledger.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { waitingText } from '../push/build-branch.ts';
import { failedIn, failureAdvice, noteFailure, notesOfBuilt } from '../push/build-journal.ts';
import { BuildQueue } from '../push/build-queue.ts';
import { writeBuildReport } from '../push/build-report.ts';
import { DEFAULT_POSTGRES } from '../push/settings.ts';
import { SmokeFailure } from '../smoke/deadline.ts';
import { Steps } from '../smoke/steps.ts';
import { withTestSandbox } from '../smoke/test-sandbox.ts';
import { complainOf } from './build-complaint.ts';
import { complain, EXIT, type ExitCode, note, print, Refusal, stopSignal } from './terminal.ts';

interface BuildOptions {
  readonly rev: string;
  readonly branch?: string;
  readonly tag?: readonly string[];
  readonly base: string;
  readonly baseArchive?: readonly string[];
  /** `linux/amd64,linux/arm64` */
  readonly platform?: string;
  readonly output?: string;
  /** Whether to push to the registries that the tags name. */
  readonly push?: boolean;
  /** The image of Postgres to test with; true where none is named. */
  readonly test?: string | true;
}

export async function build(dir: string, options: BuildOptions): Promise<ExitCode> {
  const wrong = contradiction(options);
  if (wrong !== undefined) throw new Refusal(wrong);
  // Only a run that has containers to remove stops by itself; any other is ended at once.
  const signal = options.test === undefined ? new AbortController().signal : stopSignal();
  let failed: ((why: string) => string) | undefined;
  try {
    const key = signingKey();
    const repository = openRepository(dir);
    const revision = revisionOf(repository, options.rev);
    const branch = options.branch ?? currentBranch(repository);
    const input = { repository, revision, branch, folder: repository.folder, hasFailed: failedIn(repository) };
    failed = (why) => {
      noteFailure(repository, { branch, revision }, why);
      return failureAdvice(repository, branch);
    };
    const steps = new Steps(print);
    const target = await targetOf(options, options.test === undefined ? null : testOf(input, options, steps, signal));
    const built = await prepareRelease(input, steps);
    mustNotBeOvertaken(input, built);
    const names = namesOf(input, built, options.tag ?? []);
    const bake = await target.prepare(names, steps);
    const recorded = await recordRelease(input, built, steps);
    const image = await bake(recorded);
    const { id, digests } = image;
    const files = provenanceFiles(input, recorded, image, key);
    await attachProvenance(digests, files, steps);
    const isTested = options.test === undefined ? {} : ({ isTested: true } as const);
    const notes = notesOfBuilt(repository, branch, { revision, outcome: 'built', image: id, digests, ...isTested });
    const outcome = options.test === undefined ? 'built' : 'tested';
    const reported = { repository, branch, built, steps, say: note };
    writeBuildReport(reported, { outcome, id, names, digests }, files, notes);
    print(id);
    return EXIT.ok;
  } catch (error) {
    const code = complainOf(error, signal);
    if (error instanceof SmokeFailure && !signal.aborted && failed)
      complain(`the image failed its test. ${failed(error.message.split('\n')[0] ?? '')}`);
    return code;
  }
}

/** Finds options that contradict each other, whatever the revision. */
function contradiction({ tag = [], push, test, output, baseArchive = [], platform }: BuildOptions): string | undefined {
  const name = tag.find((each) => !isTaggedName(each));
  const isForSeveral = platform?.includes(',') ?? false;
  if (name !== undefined)
    return `\`${name}\` cannot name an image; a name is like \`shop:1.2\` or \`ghcr.io/acme/shop:1.2\``;
  if (push && output !== undefined)
    return '--push needs a Docker engine, and --output works without one; use only one of them';
  if (test !== undefined && output !== undefined)
    return '--test runs the image in a Docker engine, and --output works without one; use only one of them';
  if (test !== undefined && isForSeveral)
    return '--test runs the image on this machine, and --platform names several; test it without --platform first';
  if (isForSeveral && !push && output === undefined)
    return 'a Docker engine keeps an image for one platform; add --push or --output to make it for several';
  if (baseArchive.length > 0 && output === undefined && !(push && platform !== undefined))
    return '--base-archive is the base for --output; a Docker engine takes its base from --base';
  if (baseArchive.length > 1 && platform === undefined)
    return 'several --base-archive are for several platforms; say which with --platform';
  return undefined;
}

async function targetOf(
  { base, baseArchive: archives = [], platform: list, output, push = false }: BuildOptions,
  test: TargetTest | null,
): Promise<ImageTarget> {
  const platforms = list === undefined ? [] : platformsFromText(list);
  const [first] = platforms;
  const isOrdinary = first === undefined || (isOwn(platforms) && archives.length === 0);
  if (output !== undefined && isOrdinary) return fileTarget(output, archives[0] ?? null, RUNTIME_FOLDER);
  if (!isOrdinary && (output !== undefined || push))
    return platformTarget(platforms, { archives, base }, output ?? null);
  return engineTarget(base, first ?? null, push, test);
}

/** Whether this machine is the only platform, so that its own engine can build the image. */
function isOwn([first, ...others]: readonly Platform[]): boolean {
  return first !== undefined && others.length === 0 && isSamePlatform(first, OWN_PLATFORM);
}

/** The test of a push, before the image gets its names. Tests of one repository wait for each other. */
function testOf(
  { repository, branch }: BuildInput,
  { base, test, tag: [first] = [] }: BuildOptions,
  steps: Steps,
  signal: AbortSignal,
): TargetTest {
  const postgres = typeof test === 'string' ? test : DEFAULT_POSTGRES;
  const imageTest: ImageTest = {
    ...{ repository, branch, base, postgres, signal },
    owner: `${repository.sharedFolder} (kiln build)`,
    name: (application) => (first === undefined ? application : partsOfName(first).repository),
    hasFailed: failedIn(repository),
  };
  return {
    ready: (engine) => mustHaveTestImages(engine, { base, postgres }, steps),
    run: async (engine, built, image) => {
      const queued = { branch, revision: built.commit.revision };
      const leave = await new BuildQueue(repository, 'tests').takeTurn(
        queued,
        (one) => print(waitingText(one)),
        signal,
      );
      try {
        await withTestSandbox(engine.docker, imageTest, (sandbox) =>
          startTest(imageTest, engine, sandbox, built)(image, steps),
        );
      } finally {
        leave();
      }
    },
  };
}

/** Builds need not run in the order of their commits: what a newer release contains would undo the rest of it. */
function mustNotBeOvertaken({ repository, revision, branch }: BuildInput, { release }: BuiltRelease): void {
  const newest = newestRelease(release.ledger)?.release.revision;
  if (release.isRecorded || newest === undefined || !areHere(repository, [`${newest}^{commit}`])[0]) return;
  if (!isAncestor(repository, revision, newest)) return;
  const what = `${revision.slice(0, 12)} is part of ${newest.slice(0, 12)}, which is the newest release of \`${branch}\``;
  throw new LedgerRefusal('overtaken', `${what}; to go back, revert in a new commit and build that`);
}

/**
 * Lists the names of the image. The branch's name is last: it moves after the others are there, and stays where it is
 * when an old release is built again.
 */
function namesOf(
  { revision, branch }: BuildInput,
  { application, release }: BuiltRelease,
  given: readonly string[],
): readonly string[] {
  if (given.length > 0) return given;
  const tags = imageTags(revision, branch);
  const isNewest = !release.isRecorded || newestRelease(release.ledger)?.release.revision === revision;
  return [tags.revision, ...(isNewest ? [tags.branch] : [])].map((tag) => `${application}:${tag}`);
}
