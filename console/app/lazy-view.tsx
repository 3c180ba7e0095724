import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { NO_ANSWER, OPENAPI } from '../state/page.ts';
import type { ViewName, ViewProps } from '../state/route.ts';
import { Failed, Spinner } from '../ui/notice.tsx';
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
    VIEWS[name].load().then(keep, () => void isAnswering().then((is) => setError(is ? NOT_LOADED : NO_ANSWER)));
  }, [name]);
  // A browser does not ask again for a module that it could not load. Without a server a reload would show nothing at all.
  const retry = async (): Promise<void> => {
    if (await isAnswering()) location.reload();
    else setError(NO_ANSWER);
  };
  const View = loaded.get(name);
  if (View) return <View key={name} path={path} query={query} />;
  return (
    <main id="content" class="content" tabIndex={-1}>
      {error === null ? <Spinner label="Loading …" /> : <Failed error={error} onRetry={() => void retry()} />}
    </main>
  );
}

const NOT_LOADED = 'This part of the page could not be loaded.';

function isAnswering(): Promise<boolean> {
  return fetch(OPENAPI, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
