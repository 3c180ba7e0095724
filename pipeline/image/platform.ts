/** The machines that an image is for: `linux/amd64`, `linux/arm64`, `linux/arm/v7`. */
import { ImageRefusal } from './image-refusal.ts';

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant ? [variant] : [])].join('/');
}

/** With commas between them, each once. */
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

/** Where only one of them says which variant it is, that one is taken. */
export function isSamePlatform(one: Platform, other: Platform): boolean {
  const hasSameVariant = !one.variant || !other.variant || one.variant === other.variant;
  return one.os === other.os && one.architecture === other.architecture && hasSameVariant;
}
