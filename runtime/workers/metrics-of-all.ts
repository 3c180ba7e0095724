import { AggregatorRegistry, type Registry } from 'prom-client';
import { isMetricsReply, type MetricsRequest } from './messages.ts';

/** The metrics of all workers together, from whichever of them was asked. */
export function metricsOfAll(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  // This makes the worker answer the primary.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | null) => void>();
  process.on('message', (message) => {
    if (!isMetricsReply(message)) return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  let last = 0;
  return async () => {
    const id = ++last;
    const text = await new Promise<string | null>((resolve) => {
      waiting.set(id, resolve);
      process.send?.({ kiln: 'metrics', id } satisfies MetricsRequest);
    });
    if (text === null) throw new Error('not all workers have told their metrics in time');
    return text;
  };
}
