/** Finds the packages that a bundle has parts of, from esbuild's metafile. The build of the runtime uses this too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The licence from its `package.json`, most often an SPDX expression; null where there is none. */
  readonly license: string | null;
  /** The integrity of its archive from the lock file: `sha512-…`; null where no lock file has the package. */
  readonly integrity: string | null;
}

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Lists the packages in the order of their names. The paths in the metafile are relative to `folder`. */
export function bundledPackages(folder: string, { outputs }: Pick<Metafile, 'outputs'>): readonly BundledPackage[] {
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  // A file that was found and then left out has no bytes.
  const files = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const folders = new Set(files.flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  const packages = [...folders].map((path) => packageIn(folder, path));
  const unique = new Map(packages.map((found) => [`${found.name}@${found.version}`, found]));
  return [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found);
}

function packageIn(folder: string, path: string): BundledPackage {
  const { name, version, license } = objectIn(join(folder, path, 'package.json'));
  return {
    name: typeof name === 'string' ? name : path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: typeof version === 'string' ? version : 'unknown',
    license: typeof license === 'string' ? license : null,
    integrity: integrityOf(folder, path),
  };
}

function integrityOf(folder: string, path: string): string | null {
  const above = path.slice(0, path.indexOf('node_modules/'));
  const { packages } = objectIn(join(folder, above, 'package-lock.json'));
  const locked = (packages as Partial<Record<string, { readonly integrity?: unknown }>> | undefined)?.[
    path.slice(above.length)
  ];
  return typeof locked?.integrity === 'string' ? locked.integrity : null;
}

/** Reads an object; a package that was written into a project by hand may lack its manifest. */
function objectIn(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
