const MEGABYTE = 1024 * 1024;

/** In bytes, as for files on the disk. */
export const LARGEST_FILE = 4 * MEGABYTE;

export function sizeAgainstLimit(path: string, size: number): string {
  const megabytes = (Math.ceil((size / MEGABYTE) * 10) / 10).toFixed(1);
  return `\`${path}\` is ${megabytes} MB; Kiln reads files up to ${LARGEST_FILE / MEGABYTE} MB`;
}
