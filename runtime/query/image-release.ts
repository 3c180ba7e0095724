import { compatibilitySchemaIn, type ReleaseChain } from '../../compiler/definition/migration.ts';

/** The release that a server serves. */
export interface ImageRelease {
  /** In its chain, from 1. */
  readonly position: number;
  readonly revision: string;
  /** Of its schema. */
  readonly fingerprint: string;
}

/** The last one of a chain. */
export function imageReleaseOf({ releases }: Pick<ReleaseChain, 'releases'>): ImageRelease {
  const last = releases.at(-1);
  if (!last) throw new Error('a chain has at least one release');
  return { position: releases.length, revision: last.revision, fingerprint: last.fingerprint };
}

const SHORT = 12;

/** As much of a revision as people read. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40,}$/.test(revision) ? revision.slice(0, SHORT) : revision;
}

const NAME = 'kiln';

/**
 * How the connections of a server are named, so that `migrate` can see which releases are still connected. `schema` is
 * that of the application.
 */
export function connectionName(release: ImageRelease | undefined, schema = 'public'): string {
  return release ? `${NAME} ${release.position} ${shortFingerprint(release.fingerprint, schema)}` : NAME;
}

interface ConnectedServer {
  /** Both are missing for a server that does not know its release. */
  readonly position: number | null;
  readonly shortFingerprint: string | null;
}

/** Null where the connection is not that of a server. */
export function serverFromName(name: string): ConnectedServer | null {
  if (name === NAME) return { position: null, shortFingerprint: null };
  const [, position, fingerprint] = /^kiln (\d+) (\S+)$/.exec(name) ?? [];
  return fingerprint === undefined ? null : { position: Number(position), shortFingerprint: fingerprint };
}

/** As the compatibility schema has it in its name. */
export function shortFingerprint(fingerprint: string, schema: string): string {
  return compatibilitySchemaIn(schema, fingerprint).replace(/^kiln_/, '');
}
