/** Whether requests can be answered now, and why not. `reason` is a sentence for whoever runs the server. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** Shared by those who stop the server and those who answer meanwhile. */
export interface Lifecycle {
  isStopping: boolean;
  /** How many requests are worked on. */
  inFlight: number;
}
