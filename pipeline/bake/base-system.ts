/** The system of a base, by the files in which Debian and Alpine list their packages; also of one without a shell. */

export interface BaseSystem {
  /** As its `os-release` has them: `debian` and `12`. */
  readonly name: string;
  readonly version: string;
  readonly packages: readonly SystemPackage[];
}

export interface SystemPackage {
  readonly format: 'apk' | 'deb';
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

const RELEASE = 'usr/lib/os-release';
const DPKG = 'var/lib/dpkg/status';
/** An image without a package manager has a file for each package there, and one with digests of its files. */
const DPKG_FOLDER = 'var/lib/dpkg/status.d';
const APK = 'lib/apk/db/installed';

/** Paths of files and folders. */
export const SYSTEM_FILES: readonly string[] = [RELEASE, DPKG, DPKG_FOLDER, APK];

/** Null where it cannot be told. */
export function baseSystem(files: ReadonlyMap<string, Buffer>): BaseSystem | null {
  const release = files.get(RELEASE)?.toString('utf8') ?? '';
  const value = (key: string) => new RegExp(`^${key}="?([\\w.-]+)"?$`, 'm').exec(release)?.[1];
  const packages = [...files].flatMap(([path, bytes]) => packagesIn(path, bytes));
  const name = value('ID');
  if (name === undefined || packages.length === 0) return null;
  return { name, version: value('VERSION_ID') ?? 'unknown', packages };
}

function packagesIn(path: string, bytes: Buffer): readonly SystemPackage[] {
  const isDpkg = path === DPKG || (path.startsWith(`${DPKG_FOLDER}/`) && !path.endsWith('.md5sums'));
  if (!isDpkg && path !== APK) return [];
  const keys = isDpkg ? { name: 'Package', version: 'Version', architecture: 'Architecture' } : APK_KEYS;
  return bytes
    .toString('utf8')
    .split(/\n{2,}/)
    .flatMap((paragraph): readonly SystemPackage[] => {
      const value = (key: string) => new RegExp(`^${key}: ?(\\S.*)$`, 'm').exec(paragraph)?.[1]?.trim();
      const [name, version] = [value(keys.name), value(keys.version)];
      // A package that was removed is still listed where it has left settings behind.
      const isInstalled = /(^| )installed$/.test(value('Status') ?? 'installed');
      if (name === undefined || version === undefined || !isInstalled) return [];
      return [{ format: isDpkg ? 'deb' : 'apk', name, version, architecture: value(keys.architecture) ?? 'all' }];
    });
}

const APK_KEYS = { name: 'P', version: 'V', architecture: 'A' };
