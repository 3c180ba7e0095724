/** The configuration of an image: what its base says, with the application on top. Its digest is the image's id. */
import { digestOf } from './layer.ts';

/** What has to be known of the image below. */
export interface BaseImage {
  /** How it was named, for messages and labels. */
  readonly name: string;
  readonly id: string;
  readonly architecture: string;
  readonly variant?: string;
  readonly os: string;
  readonly layers: readonly string[];
  readonly config: BaseConfig;
}

export interface BaseConfig {
  readonly Env?: readonly string[] | null;
  readonly Entrypoint?: readonly string[] | null;
  readonly Cmd?: readonly string[] | null;
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, unknown>> | null;
  readonly Healthcheck?: unknown;
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly StopSignal?: string;
}

export interface ImageFacts {
  readonly application: string;
  readonly revision: string;
  /** Where the sources come from; null where nobody knows. */
  readonly source: string | null;
  /** When the revision was committed: the image is as old as what it is made of. */
  readonly created: Date;
  /** Digest of `definition.json`. */
  readonly definition: string;
  /** Fingerprint of the schema. */
  readonly schema: string;
}

export interface ImageConfig {
  readonly text: string;
  readonly id: string;
}

export function imageConfig(base: BaseImage, diffId: string, facts: ImageFacts): ImageConfig {
  const created = facts.created.toISOString().replace('.000Z', 'Z');
  const text = JSON.stringify({
    architecture: base.architecture,
    ...(base.variant ? { variant: base.variant } : {}),
    os: base.os,
    created,
    config: { ...sorted(base.config), Labels: { ...base.config.Labels, ...labelsOf(facts, created, base) } },
    rootfs: { type: 'layers', diff_ids: [...base.layers, diffId] },
    history: [
      ...base.layers.map(() => ({ created, comment: base.name })),
      { created, created_by: 'kiln build', comment: `${facts.application} ${facts.revision}` },
    ],
  });
  return { text, id: digestOf(text) };
}

function labelsOf(facts: ImageFacts, created: string, base: BaseImage): Readonly<Record<string, string>> {
  return {
    'kiln.definition': facts.definition,
    'kiln.schema': facts.schema,
    'org.opencontainers.image.base.digest': base.id,
    'org.opencontainers.image.base.name': base.name,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.revision': facts.revision,
    ...(facts.source === null ? {} : { 'org.opencontainers.image.source': facts.source }),
    'org.opencontainers.image.title': facts.application,
  };
}

/** Engines give the same settings in different orders. */
function sorted(config: BaseConfig): BaseConfig {
  const entries = Object.entries(config).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
