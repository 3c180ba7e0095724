/** The routes for the operator of the server: alive, ready, and metrics where they are meant to be read. */

import { HEALTH, literalPath, METRICS, READY } from '../../compiler/definition/contract/routes.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Lifecycle, Readiness } from '../observe/readiness.ts';
import { type Answer, plainRoute, type Route } from '../request/exchange.ts';

interface Operations {
  /** Null where they are served elsewhere, or nowhere. */
  readonly metrics: Metrics | null;
  readonly lifecycle: Lifecycle;
  readonly isReady: () => Promise<Readiness>;
}

const OK: Answer = { status: 200, headers: null, body: '{"status":"ok"}' };

export function operationRoutes({ metrics, lifecycle, isReady }: Operations): readonly Route[] {
  return [
    plainRoute('GET', literalPath(HEALTH), async () => OK),
    plainRoute('GET', literalPath(READY), async () => {
      const readiness = await readinessFrom(lifecycle, isReady);
      if (!readiness.ready) throw new ApiError('unavailable', { detail: readiness.reason });
      return readyAnswer(readiness);
    }),
    ...(metrics === null ? [] : [metricsRoute(metrics)]),
  ];
}

function readyAnswer({ about, unreadableJobs }: Extract<Readiness, { readonly ready: true }>): Answer {
  if (!about && !unreadableJobs) return OK;
  return { ...OK, body: JSON.stringify({ status: 'ok', ...about, ...(unreadableJobs && { unreadableJobs }) }) };
}

function metricsRoute(metrics: Metrics): Route {
  return plainRoute('GET', literalPath(METRICS), async () => ({
    status: 200,
    headers: { 'content-type': metrics.contentType },
    body: await metrics.text(),
  }));
}

async function readinessFrom(lifecycle: Lifecycle, isReady: () => Promise<Readiness>): Promise<Readiness> {
  if (lifecycle.isStopping) return { ready: false, reason: 'The server is stopping.' };
  try {
    return await isReady();
  } catch (cause) {
    throw new ApiError('unavailable', { detail: 'The server cannot check whether it is ready.', cause });
  }
}
