/**
 * Whether requests can be answered now, and why not. `reason` is a sentence for the operator of the server.
 * `unreadableJobs` wait for a server of the release that has stored them.
 */
export type Readiness =
  | { readonly ready: true; readonly about?: AboutReleases; readonly unreadableJobs?: number }
  | { readonly ready: false; readonly reason: string };

/** The part of `/readyz` about the releases of the image and of the database. */
interface AboutReleases {
  readonly release: number;
  readonly databaseRelease: number;
  /** The contraction that is still to be done, and how many steps it has left. */
  readonly pending?: { readonly release: number; readonly steps: number };
  /** A sentence where there is more to know than the two numbers. */
  readonly detail?: string;
}

/** The state that is shared by the code that stops the server and the code that answers in the meantime. */
export interface Lifecycle {
  isStopping: boolean;
  /** How many requests are worked on. */
  inFlight: number;
}
