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
  const name = plainName(base.name);
  const labels = { ...base.config.Labels, ...labelsOf(facts, created, name) };
  const text = JSON.stringify({
    architecture: base.architecture,
    ...(base.variant ? { variant: base.variant } : {}),
    os: base.os,
    created,
    config: inOrder({ ...known(base.config), Labels: labels }),
    rootfs: { type: 'layers', diff_ids: [...base.layers, diffId] },
    history: [
      ...base.layers.map(() => ({ created, comment: name })),
      { created, created_by: 'kiln build', comment: `${facts.application} ${facts.revision}` },
    ],
  });
  return { text, id: digestOf(text) };
}

/** Without the digest of the base: what engines call by that name depends on how they keep images. */
function labelsOf(facts: ImageFacts, created: string, base: string): Readonly<Record<string, string>> {
  return {
    'kiln.definition': facts.definition,
    'kiln.schema': facts.schema,
    'org.opencontainers.image.base.name': base,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.revision': facts.revision,
    ...(facts.source === null ? {} : { 'org.opencontainers.image.source': facts.source }),
    'org.opencontainers.image.title': facts.application,
  };
}

/** Archives write out what people leave out. */
function plainName(name: string): string {
  return name.replace(/:latest$/, '');
}

const KEPT = [
  'Env',
  'Entrypoint',
  'Cmd',
  'User',
  'WorkingDir',
  'ExposedPorts',
  'Healthcheck',
  'StopSignal',
] as const satisfies readonly (keyof BaseConfig)[];

/** Engines of different versions add settings of their own; only these mean something to a container. */
function known(config: BaseConfig): BaseConfig {
  const settings = KEPT.map((key) => [key, config[key]] as const);
  return Object.fromEntries(settings.filter(([, value]) => value !== null && value !== undefined && value !== ''));
}

/** Engines give the same settings in different orders. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
