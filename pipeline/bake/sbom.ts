/**
 * The software that an image is made of, as a CycloneDX document. The runtime has its own document, written when Kiln
 * is built, which every base carries; the document of an application adds the packages of its hooks. It has no time and
 * no serial number, so the same image has the same document.
 */
import { createHash } from 'node:crypto';
import type { BundledPackage } from '../hooks/bundled-packages.ts';
import { jsonFrom } from '../ledger/shapes.ts';

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly purl?: string;
  readonly licenses?: readonly unknown[];
}

interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly compositions?: readonly { readonly aggregate: string; readonly assemblies: readonly string[] }[];
}

export function runtimeSbom(version: string, packages: readonly BundledPackage[]): string {
  const runtime = { type: 'framework', 'bom-ref': `kiln-runtime@${version}`, name: 'kiln-runtime', version };
  return sbomText(sbomOf(runtime, packages.map(componentOf)));
}

/** The runtime with the Node and the system that it runs on. Where one of them cannot be told, the list is not whole. */
export function baseSbom(runtime: string, node: string | null, system: BaseSystem | null): string {
  const sbom = sbomFromText(runtime);
  if (sbom === null) return runtime;
  const ref = sbom.metadata.component['bom-ref'];
  const own = node === null ? [] : [nodeComponent(node)];
  const os = system === null ? [] : [systemComponent(system)];
  const packages = system?.packages.map((each) => systemPackageComponent(each, system)) ?? [];
  const below = [...own, ...os];
  const [first, ...others] = sbom.dependencies;
  const known = {
    ...sbom,
    components: [...sbom.components, ...below, ...packages],
    dependencies: [
      { ref, dependsOn: [...(first?.dependsOn ?? []), ...below.map(refOf)] },
      ...os.map((component) => ({ ref: refOf(component), dependsOn: packages.map(refOf) })),
      ...others,
    ],
  };
  return sbomText(node === null || system === null ? incomplete(known, ref) : known);
}

function nodeComponent(version: string): Component {
  const purl = `pkg:generic/node@${encodeURIComponent(version)}`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl };
}

function systemComponent({ name, version }: BaseSystem): Component {
  return { type: 'operating-system', 'bom-ref': `${name}@${version}`, name, version };
}

function systemPackageComponent({ format, name, version, architecture }: SystemPackage, system: BaseSystem): Component {
  const distribution = encodeURIComponent(`${system.name}-${system.version}`);
  const named = [system.name, name].map(encodeURIComponent).join('/');
  const purl = `pkg:${format}/${named}@${encodeURIComponent(version)}?arch=${encodeURIComponent(architecture)}&distro=${distribution}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

interface SbomInput {
  readonly title: string;
  readonly version: string;
  /** The document of the base; null where it has none. */
  readonly runtime: string | null;
  readonly hooks: readonly BundledPackage[];
}

export function applicationSbom({ title, version, runtime, hooks }: SbomInput): string {
  const application = { type: 'application', 'bom-ref': `application:${title}@${version}`, name: title, version };
  const own = sbomOf(application, hooks.map(componentOf));
  const below = runtime === null ? null : sbomFromText(runtime);
  return sbomText(below === null ? incomplete(own, refOf(own.metadata.component)) : withRuntime(own, below));
}

/** Parses a document; null where Kiln did not write it: anybody can make a base. */
function sbomFromText(text: string): Sbom | null {
  const sbom = jsonFrom(text) as Partial<Sbom> | null | undefined;
  const isOurs = sbom?.metadata?.component?.['bom-ref'] && Array.isArray(sbom.components);
  return isOurs && Array.isArray(sbom.dependencies) ? (sbom as Sbom) : null;
}

function sbomOf(component: Component, components: readonly Component[]): Sbom {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: component['bom-ref'], dependsOn: components.map(refOf) }],
  };
}

/** A package that both have is one component. */
function withRuntime(own: Sbom, runtime: Sbom): Sbom {
  const framework = runtime.metadata.component;
  const components = [framework, ...runtime.components, ...own.components];
  const [dependency] = own.dependencies;
  const dependsOn = [framework['bom-ref'], ...(dependency?.dependsOn ?? [])];
  return {
    ...own,
    components: [...new Map(components.map((each) => [refOf(each), each])).values()],
    dependencies: [{ ref: own.metadata.component['bom-ref'], dependsOn }, ...runtime.dependencies],
    ...(runtime.compositions ? { compositions: runtime.compositions } : {}),
  };
}

/** Marks the document as incomplete, so that nobody takes it for a whole list. */
function incomplete(sbom: Sbom, ref: string): Sbom {
  return { ...sbom, compositions: [{ aggregate: 'incomplete', assemblies: [ref] }] };
}

function componentOf({ name, version, license, integrity }: BundledPackage): Component {
  const [, group, plain = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${encodeURIComponent(plain)}@${encodeURIComponent(version)}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: plain,
    version,
    ...hashesOf(integrity),
    purl,
    ...(license === null ? {} : { licenses: [licenseOf(license)] }),
  };
}

/** A lock file has one or several, `sha512-…`, in base 64. */
function hashesOf(integrity: string | null): Pick<Component, 'hashes'> {
  const hashes = (integrity ?? '').split(/\s+/).flatMap((each) => {
    const [, bits, digest = ''] = /^sha(512|384|256|1)-([\w+/]+=*)/.exec(each) ?? [];
    return bits === undefined ? [] : [{ alg: `SHA-${bits}`, content: Buffer.from(digest, 'base64').toString('hex') }];
  });
  return hashes.length === 0 ? {} : { hashes };
}

/**
 * The licences of the SPDX list that packages use most. Only names of that list may be an `id`, and authors write what
 * they like.
 */
const LICENSES = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MPL-2.0', 'Unlicense']);

function licenseOf(license: string): unknown {
  if (/^\(|\s(OR|AND|WITH)\s/.test(license)) return { expression: license };
  return { license: LICENSES.has(license) ? { id: license } : { name: license } };
}

function refOf(component: Component): string {
  return component['bom-ref'];
}

function sbomText(sbom: Sbom): string {
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** The same as an SPDX document. That must have a time, so `created` is the one of the commit. */
export function spdxText(text: string, created: Date): string {
  const { metadata, components, dependencies } = JSON.parse(text) as Sbom;
  const all = [metadata.component, ...components];
  const ids = new Map(all.map((component, at) => [refOf(component), `SPDXRef-${at}`]));
  const packages = all.map(({ group, name, version, hashes = [], purl, licenses, ...component }) => ({
    SPDXID: ids.get(component['bom-ref']),
    name: group === undefined ? name : `${group}/${name}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared:
      (licenses as readonly { license?: { id?: string } }[] | undefined)?.[0]?.license?.id ?? 'NOASSERTION',
    checksums: hashes.map(({ alg, content }) => ({ algorithm: alg.replace('-', ''), checksumValue: content })),
    externalRefs: purl ? [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }] : [],
  }));
  const related = dependencies.flatMap(({ ref, dependsOn }) =>
    dependsOn.map((other) => [ids.get(ref), ids.get(other)]),
  );
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${metadata.component.name}@${metadata.component.version}`,
    documentNamespace: `urn:kiln:sbom:${createHash('sha256').update(text).digest('hex')}`,
    creationInfo: { created: created.toISOString().replace(/\.\d+/, ''), creators: ['Tool: kiln'] },
    documentDescribes: ['SPDXRef-0'],
    packages,
    relationships: related.map(([spdxElementId, relatedSpdxElement]) => ({
      spdxElementId,
      relationshipType: 'DEPENDS_ON',
      relatedSpdxElement,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

// ── Base system ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The system of a base, by the files in which Debian and Alpine list their packages; also of one without a shell.

interface BaseSystem {
  /** The name and version from its `os-release`: `debian` and `12`. */
  readonly name: string;
  readonly version: string;
  readonly packages: readonly SystemPackage[];
}

interface SystemPackage {
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

/** Reads the operating system of a base; null where it is unknown. */
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
