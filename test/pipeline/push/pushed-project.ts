/** A project and the bare repository that it is pushed to, with real hooks. Gone when the run is over, images and Postgres too. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { BuildQueue } from '../../../pipeline/push/build-queue.ts';
import { until } from '../../support/until.ts';
import { commit, ENVIRONMENT, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { KILN, runKilnHere } from '../run-kiln.ts';

interface Told {
  readonly status: number | null;
  readonly said: string;
}

type Heard = (line: string, child: ChildProcess) => void;

const OUTSIDE = {
  ...ENVIRONMENT,
  ...(process.env.DOCKER_HOST ? { DOCKER_HOST: process.env.DOCKER_HOST } : {}),
};

export function kiln(...words: readonly string[]): Told {
  const { status, stdout, stderr } = spawnSync(process.execPath, [KILN, ...words], { encoding: 'utf8', env: OUTSIDE });
  return { status, said: stdout + stderr };
}

/** In this process, which takes a tenth of the time. */
export async function kilnHere(...words: readonly string[]): Promise<Told> {
  const { status, out, err } = await runKilnHere(words, OUTSIDE);
  return { status, said: out + err };
}

/** All that waits, one image after the other, in milliseconds. */
const BUILD_LIMIT = 120_000;

const projects: PushedProject[] = [];

export class PushedProject {
  readonly bare: string;
  readonly folder: string;
  readonly name: string;

  /** The name is that of its images, so no other run has it. */
  constructor(...settings: readonly string[]) {
    this.name = `kiln-test-${process.pid}-${projects.length}`;
    this.bare = join(temporaryFolder(), `${this.name}.git`);
    this.folder = newRepository(this.name);
    kiln('pipeline', 'init', this.bare, ...settings);
    projects.push(this);
  }

  commit(files: Readonly<Record<string, string>>, message: string): string {
    write(this.folder, files);
    return commit(this.folder, message);
  }

  /** Until its containers are gone. `heard` gets each line when it comes. */
  async push(references: readonly string[], heard?: Heard): Promise<Told> {
    const told = await this.pushAlone(references, heard);
    await this.idle();
    return told;
  }

  /** Until git lets the pusher go. */
  pushAlone(references: readonly string[], heard: Heard = () => undefined): Promise<Told> {
    const child = spawn('git', ['push', this.bare, ...references], { cwd: this.folder, env: OUTSIDE });
    return toldBy(child, heard);
  }

  resume(heard: Heard = () => undefined): Promise<Told> {
    const child = spawn(process.execPath, [KILN, 'pipeline', 'resume', this.bare], { env: OUTSIDE });
    return toldBy(child, heard);
  }

  /** The process whose turn it is: it builds, or removes what a build has left in the engine. */
  builder(): number {
    const [ticket] = this.#queue().tickets();
    if (!ticket) throw new Error('nothing is being built');
    return ticket.process.pid;
  }

  /** Resolves when nothing is built any more, and nothing of it is left in the engine. */
  async idle(): Promise<void> {
    await until(() => this.#queue().tickets().length === 0, { limit: BUILD_LIMIT });
  }

  #queue(): BuildQueue {
    return new BuildQueue(openRepository(this.bare));
  }

  references(): string {
    return gitIn(this.bare, 'for-each-ref');
  }

  /** Ids by tag. */
  images(): Readonly<Record<string, string>> {
    const lines = docker('image', 'ls', '--no-trunc', '--format', '{{.Tag}} {{.ID}}', this.name).split('\n');
    return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
  }

  /** With all of its names: one that only loses them one after the other would stay in the engine. */
  removeImage(tag: string): void {
    docker('image', 'rm', '--force', this.images()[tag] as string);
  }

  /** Containers and networks of its tests. */
  remains(): string {
    const label = ['--filter', `label=kiln.pipeline=${this.bare}`];
    return docker('container', 'ls', '--all', '--quiet', ...label) + docker('network', 'ls', '--quiet', ...label);
  }

  remove(): void {
    const tags = Object.keys(this.images()).map((tag) => `${this.name}:${tag}`);
    if (tags.length > 0) docker('image', 'rm', '--force', ...tags);
  }
}

function toldBy(child: ChildProcess, heard: Heard): Promise<Told> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      for (const line of text.split('\n')) heard(line, child);
    });
  }
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, said })));
}

function docker(...words: readonly string[]): string {
  return execFileSync('docker', words, { encoding: 'utf8' }).trim();
}

after('removes the images of pushes', () => {
  for (const project of projects) project.remove();
});
