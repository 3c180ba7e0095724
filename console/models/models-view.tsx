/** The models as a diagram, and in words. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../state/route.ts';
import { Notice } from '../ui/notice.tsx';
import { type ModelsDrawing, modelsDrawingIn } from './models-drawing.ts';

export function ModelsView({ path }: ViewProps): JSX.Element {
  const model = path[0] ?? null;
  const place = useRef<HTMLElement>(null);
  const [drawing, setDrawing] = useState<ModelsDrawing | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (place.current) modelsDrawingIn(place.current).then(setDrawing, ({ message }: Error) => setError(message));
  }, []);
  useEffect(() => drawing?.show(model), [drawing, model]);
  return (
    <main id="content" class="content is-models" tabIndex={-1}>
      {error !== null && <Notice kind="error">{error}</Notice>}
      <section ref={place} aria-label="Models" />
    </main>
  );
}
