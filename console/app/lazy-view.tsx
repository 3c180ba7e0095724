import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ViewName, ViewProps } from '../state/route.ts';
import { Notice, Spinner } from '../ui/notice.tsx';
import { VIEWS } from './views.ts';

const loaded = new Map<ViewName, ComponentType<ViewProps>>();

export function LazyView({ name, path, query }: ViewProps & { readonly name: ViewName }): JSX.Element {
  const [, redraw] = useState({});
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    setError(null);
    if (loaded.has(name)) return;
    const keep = (view: ComponentType<ViewProps>): void => {
      loaded.set(name, view);
      redraw({});
    };
    VIEWS[name].load().then(keep, () => setError('This part of the page could not be loaded. Reload the page.'));
  }, [name]);
  const View = loaded.get(name);
  if (View) return <View key={name} path={path} query={query} />;
  return (
    <main id="content" class="content" tabIndex={-1}>
      {error === null ? <Spinner label="Loading …" /> : <Notice kind="error">{error}</Notice>}
    </main>
  );
}
