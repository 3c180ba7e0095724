/** The messages between the processes of `WORKERS=n`. */
export const STOP = { kiln: 'stop' } as const;
/** It serves, and hears `STOP` from now on. */
export const READY = { kiln: 'ready' } as const;

export interface MetricsRequest {
  readonly kiln: 'metrics';
  readonly id: number;
}

export interface MetricsReply extends MetricsRequest {
  /** Null where not all workers answered in time. */
  readonly text: string | null;
}

export function isStop(message: unknown): boolean {
  return kindOf(message) === STOP.kiln;
}

export function isReady(message: unknown): boolean {
  return kindOf(message) === READY.kiln;
}

export function isMetricsRequest(message: unknown): message is MetricsRequest {
  return kindOf(message) === 'metrics';
}

export function isMetricsReply(message: unknown): message is MetricsReply {
  return isMetricsRequest(message) && 'text' in message;
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kiln' in message ? message.kiln : undefined;
}
