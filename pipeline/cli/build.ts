/** `kiln build`: a git revision becomes a release on the ledger, and an image. */
import { fileURLToPath } from 'node:url';
import { bakeInto, bakeToFile, baseForFile } from '../bake/bake.ts';
import { type BuiltRelease, buildRelease } from '../bake/build-release.ts';
import { imageTags } from '../bake/image-tags.ts';
import { Steps } from '../bake/steps.ts';
import { currentBranch } from '../git/current-branch.ts';
import { openRepository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { complainOf } from './build-complaint.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { print } from './terminal.ts';

export interface BuildOptions {
  readonly rev: string;
  readonly branch?: string;
  readonly tag: readonly string[];
  readonly base: string;
  readonly baseArchive?: string;
  readonly output?: string;
  /** To the registries that the tags name. */
  readonly push: boolean;
}

export async function build(dir: string, options: BuildOptions): Promise<ExitCode> {
  try {
    const repository = openRepository(dir);
    const revision = revisionOf(repository, options.rev);
    const branch = options.branch ?? currentBranch(repository);
    const steps = new Steps(print);
    const built = await buildRelease({ repository, revision, branch, folder: repository.folder }, steps);
    await bake(built, branch, options, steps);
    return EXIT.ok;
  } catch (error) {
    return complainOf(error);
  }
}

async function bake(built: BuiltRelease, branch: string, options: BuildOptions, steps: Steps): Promise<void> {
  const input = { ...built, source: null };
  const tags = tagsOf(built, branch, options.tag);
  if (options.output !== undefined) {
    const file = options.output;
    const base = await steps.run(
      'base',
      () => baseForFile(options.baseArchive ?? null, RUNTIME_FOLDER),
      ({ image }) => image.name,
    );
    const { id } = await steps.run(
      'write',
      () => bakeToFile(file, base, input, tags[0] as string),
      () => file,
    );
    print(id);
    return;
  }
  const engine = await DockerEngine.connect();
  const { id } = await steps.run(
    'load',
    () => bakeInto(engine, options.base, input, tags),
    () => tags.join(', '),
  );
  for (const name of options.push ? tags : [])
    await steps.run(
      'push',
      () => pushImage(engine, name),
      () => name,
    );
  print(id);
}

async function pushImage(engine: DockerEngine, name: string): Promise<void> {
  // A host may have a port, so the tag is behind the last part of the path.
  const at = name.indexOf(':', name.lastIndexOf('/'));
  const [repository, tag] = at < 0 ? [name, 'latest'] : [name.slice(0, at), name.slice(at + 1)];
  await engine.push(repository, tag, credentialsFor(name));
}

/** Beside the bundle of the command line. */
const RUNTIME_FOLDER = fileURLToPath(new URL('../runtime', import.meta.url));

function tagsOf({ application, commit }: BuiltRelease, branch: string, given: readonly string[]): readonly string[] {
  if (given.length > 0) return given;
  const tags = imageTags(commit.revision, branch);
  return [`${application}:${tags.revision}`, `${application}:${tags.branch}`];
}
