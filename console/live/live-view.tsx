import type { JSX } from 'preact';
import type { ViewProps } from '../state/route.ts';

export function LiveView(_: ViewProps): JSX.Element {
  return (
    <main id="content" class="content" tabIndex={-1}>
      <h2>Live</h2>
    </main>
  );
}
