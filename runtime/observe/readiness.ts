/** Whether requests can be answered now, and why not. `reason` is a sentence for whoever runs the server. */
export type Readiness =
  | { readonly ready: true; readonly about?: AboutReleases }
  | { readonly ready: false; readonly reason: string };

/** What `/readyz` says about the releases of the image and of the database. */
export interface AboutReleases {
  readonly release: number;
  readonly databaseRelease: number;
  /** The contraction that is still to be done, and how many steps it has left. */
  readonly pending?: { readonly release: number; readonly steps: number };
  /** A sentence where there is more to know than the two numbers. */
  readonly detail?: string;
}

/** Shared by those who stop the server and those who answer meanwhile. */
export interface Lifecycle {
  isStopping: boolean;
  /** How many requests are worked on. */
  inFlight: number;
}
