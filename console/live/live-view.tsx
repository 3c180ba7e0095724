/** Requests as they come, and one of them with all that it did. */
import type { JSX } from 'preact';
import type { ViewProps } from '../state/route.ts';
import { RequestList } from './request-list.tsx';
import { RequestPage } from './request-page.tsx';

export function LiveView({ path: [request], query }: ViewProps): JSX.Element {
  return (
    <main id="content" class="content live" tabIndex={-1}>
      {request === undefined ? <RequestList query={query} /> : <RequestPage key={request} id={request} />}
    </main>
  );
}
