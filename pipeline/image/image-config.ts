/** The configuration of an image: what its base says, with the application on top. Its digest is the image's id. */

import { ImageRefusal } from './image-refusal.ts';
import { digestOf } from './layer.ts';

/** The facts about the base image. */
export interface BaseImage extends Platform {
  /** How it was named, for messages. An image does not say it, since the same base has many names. */
  readonly name: string;
  readonly id: string;
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
  /** The title that the revision itself states, wherever its repository is. */
  readonly application: string;
  readonly revision: string;
  /** The URL where the sources are published; null where nobody knows. */
  readonly source: string | null;
  /** The time of the commit: the image is as old as what it is made of. */
  readonly created: Date;
  /** The digest of `definition.json`. */
  readonly definition: string;
  /** Fingerprint of the schema. */
  readonly schema: string;
}

export interface ImageConfig {
  readonly text: string;
  readonly id: string;
}

/** The author of each layer that Kiln adds, in the history of an image. */
const MADE_BY = 'kiln build';

/** `diffIds` are those of the application's layers, from the bottom up. */
export function imageConfig(base: BaseImage, diffIds: readonly string[], facts: ImageFacts): ImageConfig {
  const created = facts.created.toISOString().replace('.000Z', 'Z');
  const labels = { ...base.config.Labels, ...labelsOf(facts, created, baseDigest(base)) };
  const comment = `${facts.application} ${facts.revision}`;
  const text = JSON.stringify({
    architecture: base.architecture,
    ...(base.variant ? { variant: base.variant } : {}),
    os: base.os,
    created,
    config: inOrder({ ...known(base.config), Labels: labels }),
    rootfs: { type: 'layers', diff_ids: [...base.layers, ...diffIds] },
    history: [
      ...base.layers.map(() => ({ created, comment: 'base' })),
      ...diffIds.map(() => ({ created, created_by: MADE_BY, comment })),
    ],
  });
  return { text, id: digestOf(text) };
}

/**
 * The number of hexadecimal digits in the version, as in the tag of an image and in `info.version` of `openapi.json`.
 */
const VERSION_LENGTH = 12;

function labelsOf(facts: ImageFacts, created: string, base: string): Readonly<Record<string, string>> {
  return {
    'kiln.definition': facts.definition,
    'kiln.schema': facts.schema,
    'org.opencontainers.image.base.digest': base,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.revision': facts.revision,
    ...(facts.source === null ? {} : { 'org.opencontainers.image.source': facts.source }),
    'org.opencontainers.image.title': facts.application,
    'org.opencontainers.image.version': facts.revision.slice(0, VERSION_LENGTH),
  };
}

/**
 * Computes a digest of the base from what every engine and every archive states: its platform, its settings and the
 * digests of its layers. The id in an engine would not do: it depends on how the engine stores images, and on when the
 * base was made.
 */
export function baseDigest({ architecture, variant, os, config, layers }: BaseImage): string {
  const settings = { ...known(config), ...(config.Labels ? { Labels: config.Labels } : {}) };
  return digestOf(JSON.stringify(inOrder({ architecture, variant, os, config: settings, layers })));
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

// ── Platform ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The machines that an image is for: `linux/amd64`, `linux/arm64`, `linux/arm/v7`.

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant ? [variant] : [])].join('/');
}

/** Reads a list of platforms, separated by commas, each once. */
export function platformsFromText(list: string): readonly Platform[] {
  const texts = list.split(',').map((text) => text.trim());
  const twice = texts.find((text, at) => texts.indexOf(text) !== at);
  if (twice !== undefined) throw new ImageRefusal(`The platform \`${twice}\` is named twice.`);
  return texts.map(platformFromText);
}

function platformFromText(text: string): Platform {
  const [, os, architecture, variant] = /^([a-z0-9]+)\/([a-z0-9_]+)(?:\/([a-z0-9]+))?$/.exec(text) ?? [];
  if (os === undefined || architecture === undefined)
    throw new ImageRefusal(`\`${text}\` is not a platform. One is like \`linux/amd64\` or \`linux/arm64\`.`);
  return { os, architecture, ...(variant ? { variant } : {}) };
}

/** Whether two platforms are the same. A missing variant fits any variant. */
export function isSamePlatform(one: Platform, other: Platform): boolean {
  const hasSameVariant = !one.variant || !other.variant || one.variant === other.variant;
  return one.os === other.os && one.architecture === other.architecture && hasSameVariant;
}
