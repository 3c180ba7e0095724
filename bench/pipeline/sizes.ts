/** What an image weighs: compressed layers, from an OCI layout. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { kiln, run } from './commands.ts';
import type { Project } from './project.ts';

export interface Sizes {
  /** Of the runtime and the application: what an image adds to its Node. In bytes. */
  readonly overNode: number;
  readonly application: number;
}

interface Sized {
  readonly digest: string;
  readonly size: number;
}

export function sizesOf(project: Project): Sizes {
  const file = join(project.folder, 'image.tar');
  try {
    kiln(['build', '--output', 'image.tar'], project.folder);
    const index = jsonIn<{ readonly manifests: readonly Sized[] }>(file, 'index.json');
    const { layers } = jsonIn<{ readonly layers: readonly Sized[] }>(file, blob(index.manifests[0]));
    const [runtime, application] = layers.slice(1).map(({ size }) => size);
    return { overNode: (runtime ?? 0) + (application ?? 0), application: application ?? Number.NaN };
  } finally {
    rmSync(file, { force: true });
  }
}

function blob(of: Sized | undefined): string {
  return `blobs/${(of?.digest ?? '').replace(':', '/')}`;
}

function jsonIn<T>(archive: string, path: string): T {
  return JSON.parse(run('tar', ['--extract', '--to-stdout', '--file', archive, path]).output) as T;
}
