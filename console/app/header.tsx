import type { JSX } from 'preact';
import { SearchBox } from '../search/search-box.tsx';
import { apiDocument } from '../state/api-document.ts';
import { HAS_CONSOLE_API } from '../state/console-api.ts';
import { apiOf } from '../state/operations.ts';
import { hrefTo, type ViewName } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { IconButton } from '../ui/button.tsx';
import { SignIn } from './sign-in.tsx';
import { VIEWS } from './views.ts';

interface HeaderProps {
  readonly title: string;
  readonly version: string;
  readonly view: ViewName;
}

export function Header({ title, version, view }: HeaderProps): JSX.Element {
  const loaded = useStore(apiDocument);
  const views: readonly ViewName[] = HAS_CONSOLE_API
    ? ['reference', 'models', 'data', 'live']
    : ['reference', 'models'];
  return (
    <header class="bar">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <div class="brand">
        <h1>{title}</h1>
        <span class="version">{version}</span>
      </div>
      <nav class="views" aria-label="Views">
        {views.map((name) => (
          <a key={name} href={hrefTo(name)} {...(name === view ? { 'aria-current': 'page' as const } : {})}>
            {VIEWS[name].title}
          </a>
        ))}
      </nav>
      <div class="tools">
        {loaded.kind === 'loaded' && <SearchBox api={apiOf(loaded.value)} />}
        <SignIn />
        <IconButton icon="moon" label="Switch between light and dark" class="theme" onClick={switchTheme} />
      </div>
    </header>
  );
}

/** A link would change the fragment of the address, which says what the page shows. */
function skip(): void {
  document.getElementById('content')?.focus();
}

function switchTheme(): void {
  document.dispatchEvent(new CustomEvent('kiln-theme-switch'));
}
