import type { Definition } from './definition.ts';

/**
 * The files that a program is compiled to, and where each of them goes: `output` is the folder that `kiln compile` writes,
 * `ledger` a release in the repository, `image` the folder of the application in an image.
 */
type Destination = 'output' | 'ledger' | 'image';

const DESTINATIONS = {
  'definition.json': ['output', 'ledger', 'image'],
  'migration.json': ['ledger'],
  'migration.sql': ['ledger'],
  'openapi.json': ['output', 'ledger', 'image'],
  'report.json': ['ledger'],
  'client/client.ts': ['output'],
  'schema.sql': ['output', 'ledger', 'image'],
  'releases.json': ['image'],
  'hooks/hooks.mjs': ['output', 'image'],
} as const satisfies Readonly<Record<string, readonly Destination[]>>;

export type ArtifactName<D extends Destination = Destination> = {
  [Name in keyof typeof DESTINATIONS]: D & (typeof DESTINATIONS)[Name][number] extends never ? never : Name;
}[keyof typeof DESTINATIONS];

/** A file that goes to `D`. Its name is its path there, with `/`. */
export interface Artifact<D extends Destination = Destination> {
  readonly name: ArtifactName<D>;
  readonly content: string;
}

/** The artifact that only a program with hooks has: their code. */
type Optional = 'hooks/hooks.mjs';

type Contents<D extends Destination> = Readonly<Record<Exclude<ArtifactName<D>, Optional>, string>> &
  Readonly<Partial<Record<Extract<ArtifactName<D>, Optional>, string | undefined>>>;

export function artifactsFor<D extends Destination>(destination: D, contents: Contents<D>): readonly Artifact<D>[] {
  const known: Readonly<Partial<Record<string, string | undefined>>> = contents;
  return artifactNames(destination).flatMap((name) => {
    const content = known[name];
    return content === undefined ? [] : [{ name, content }];
  });
}

export function artifactNames<D extends Destination>(destination: D): readonly ArtifactName<D>[] {
  const all = Object.entries<readonly Destination[]>(DESTINATIONS);
  return all.flatMap(([name, to]) => (to.includes(destination) ? [name as ArtifactName<D>] : []));
}

// ── The text of a definition ────────────────────────────────────────────────────────────────────────────────────────

/**
 * The definition as it is stored: the same bytes for the same definition. A model or an endpoint is one line, so that
 * a difference between two releases shows what has changed, and a thousand models are still quick to read.
 */
export function definitionText(definition: Definition): string {
  const properties = Object.entries(definition).map(([key, value]) => `${JSON.stringify(key)}: ${itemsText(value)}`);
  return `{\n${properties.join(',\n')}\n}\n`;
}

function itemsText(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
}
