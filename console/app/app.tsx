/** The frame around the views: header, and the view that the address names. */
import type { JSX } from 'preact';
import { DevNotices } from '../live/dev-notices.tsx';
import { consoleKey, HAS_CONSOLE_API } from '../state/console-api.ts';
import { route, type ViewName } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Header } from './header.tsx';
import { LazyView } from './lazy-view.tsx';
import { SecretForm } from './secret-form.tsx';

interface AppProps {
  readonly title: string;
  readonly version: string;
}

/** Those that need the console's own API. */
const OWN: readonly ViewName[] = ['data', 'live'];

export function App({ title, version }: AppProps): JSX.Element {
  const { view: wanted, path, query } = useStore(route);
  const key = useStore(consoleKey);
  const isOwn = OWN.includes(wanted);
  const view = isOwn && !HAS_CONSOLE_API ? 'reference' : wanted;
  return (
    <>
      <Header title={title} version={version} view={view} />
      {HAS_CONSOLE_API && <DevNotices />}
      {isOwn && HAS_CONSOLE_API && key === '' ? <SecretForm /> : <LazyView name={view} path={path} query={query} />}
    </>
  );
}
