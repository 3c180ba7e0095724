/** Names under which an image can be tagged: `blog`, `acme/blog`, `ghcr.io/acme/blog`, `localhost:5000/blog`. */
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\\d+)?';
const IMAGE_NAME = new RegExp(`^(?:${HOST}/)?${PART}(?:/${PART})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const LONGEST = 255;
const LONGEST_PART = 100;

export function isImageName(name: string): boolean {
  return name.length <= LONGEST && IMAGE_NAME.test(name);
}

/** With or without a tag. A host may have a port, so the tag is behind the last part of the path. */
export function isTaggedName(name: string): boolean {
  const at = name.indexOf(':', name.lastIndexOf('/') + 1);
  return at < 0 ? isImageName(name) : isImageName(name.slice(0, at)) && TAG.test(name.slice(at + 1));
}

/** The nearest name of one part: `My Blog` → `my-blog`; nothing where no letter and no digit of it can stay. */
export function imageNameFromText(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/[._-]*[.][._-]*/g, '.')
    .replace(/_{3,}/g, '_')
    .slice(0, LONGEST_PART)
    .replace(/^[._-]+|[._-]+$/g, '');
  return isImageName(name) ? name : undefined;
}
