/** The routes for whoever runs the server: alive, ready, and metrics where they are meant to be read. */

import { ApiError } from '../errors/api-error.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { AboutReleases, Lifecycle, Readiness } from '../observe/readiness.ts';
import type { Answer, Route } from '../request/exchange.ts';

interface Operations {
  /** Null where they are served elsewhere, or nowhere. */
  readonly metrics: Metrics | null;
  readonly lifecycle: Lifecycle;
  readonly isReady: () => Promise<Readiness>;
}

const OK: Answer = { status: 200, headers: null, body: '{"status":"ok"}' };

export function operationRoutes({ metrics, lifecycle, isReady }: Operations): readonly Route[] {
  return [
    route('healthz', async () => OK),
    route('readyz', async () => {
      const readiness = await readinessFrom(lifecycle, isReady);
      if (!readiness.ready) throw new ApiError('unavailable', { detail: readiness.reason });
      return readiness.about ? readyAnswer(readiness.about) : OK;
    }),
    ...(metrics === null ? [] : [metricsRoute(metrics)]),
  ];
}

function readyAnswer(about: AboutReleases): Answer {
  return { ...OK, body: JSON.stringify({ status: 'ok', ...about }) };
}

function metricsRoute(metrics: Metrics): Route {
  return route('metrics', async () => ({
    status: 200,
    headers: { 'content-type': metrics.contentType },
    body: await metrics.text(),
  }));
}

function route(name: string, handle: Route['handle']): Route {
  return {
    pattern: `/${name}`,
    method: 'GET',
    path: [{ kind: 'literal', text: name }],
    needsExpress: false,
    handle,
  };
}

async function readinessFrom(lifecycle: Lifecycle, isReady: () => Promise<Readiness>): Promise<Readiness> {
  if (lifecycle.isStopping) return { ready: false, reason: 'The server is stopping.' };
  try {
    return await isReady();
  } catch (cause) {
    throw new ApiError('unavailable', { detail: 'The server cannot tell whether it is ready.', cause });
  }
}
