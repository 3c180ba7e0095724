import type { Buffer } from 'node:buffer';

/** The slices of a long list. */
export interface JsonSlices {
  /** About how many bytes it holds before the first one is taken. */
  readonly size: number;
  /** Null after the last one. A promise where something has to be read for it first. */
  next(): Buffer | null | Promise<Buffer | null>;
}

/** In bytes. A slice ends with the record that makes it as long. */
export const SLICE = 64 * 1024;

/** What stands before and behind a list. */
export interface Around {
  readonly before: string;
  readonly behind: string;
}
