/** The frame around the views: header, and the view that the address names. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DevNotices } from '../live/dev-notices.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { consoleKey, HAS_CONSOLE_API, keepSecret, secretProblem } from '../state/console-api.ts';
import { apiOf } from '../state/operations.ts';
import { ASKED_KEY, HAS_MAIL, HAS_WORK, NO_ANSWER, OPENAPI } from '../state/page.ts';
import { hrefTo, route, type ViewName, type ViewProps } from '../state/route.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { Field, IconButton } from '../ui/controls.tsx';
import { currentIf } from '../ui/sidebar.tsx';
import { Failed, Spinner, withCode } from '../ui/text.tsx';
import { Form, SignIn } from './sign-in.tsx';

interface AppProps {
  readonly title: string;
  readonly version: string;
}

/** The views. Each is loaded when it is first opened. */
const VIEWS: Readonly<Record<ViewName, { readonly title: string; load(): Promise<ComponentType<ViewProps>> }>> = {
  reference: { title: 'Reference', load: async () => (await import('../reference/reference-view.tsx')).ReferenceView },
  models: { title: 'Models', load: async () => (await import('../models/models-view.tsx')).ModelsView },
  data: { title: 'Data', load: async () => (await import('../data/data-view.tsx')).RecordsView },
  work: { title: 'Work', load: async () => (await import('../work/work-view.tsx')).WorkView },
  mail: { title: 'Mail', load: async () => (await import('../mail/mail-view.tsx')).MailView },
  live: { title: 'Live', load: async () => (await import('../live/live-view.tsx')).LiveView },
};

/** The views that need the console's own API. */
const OWN: readonly ViewName[] = ['data', 'work', 'mail', 'live'];
const HIDDEN: readonly ViewName[] = [
  ...(HAS_CONSOLE_API ? [] : OWN),
  ...(HAS_WORK ? [] : (['work'] as const)),
  ...(HAS_MAIL ? [] : (['mail'] as const)),
];
const NAMES = (Object.keys(VIEWS) as readonly ViewName[]).filter((name) => !HIDDEN.includes(name));

export function App({ title, version }: AppProps): JSX.Element {
  const { view: wanted, path, query } = useStore(route);
  const key = useStore(consoleKey);
  const view = NAMES.includes(wanted) ? wanted : 'reference';
  return (
    <>
      <Header title={title} version={version} view={view} />
      {HAS_CONSOLE_API && <DevNotices />}
      {OWN.includes(view) && key === '' ? <SecretForm /> : <LazyView name={view} path={path} query={query} />}
    </>
  );
}

// ── Secret form ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The form for the key of the console, if the page does not carry it: the secret of an image, or the key that `kiln
// dev` prints.

const SECRET = { title: 'Console secret', label: 'Secret', what: 'the value of `CONSOLE_SECRET`' };
const PRINTED = { title: 'Console key', label: 'Key', what: 'the key that `kiln dev` printed in the terminal' };

function SecretForm(): JSX.Element {
  const problem = useStore(secretProblem);
  const { title, label, what } = ASKED_KEY === 'printed' ? PRINTED : SECRET;
  return (
    <main id="content" class="content is-narrow" tabIndex={-1}>
      <Form action="Open" look="primary" submit={async ({ secret = '' }) => keepSecret(secret.trim())}>
        <h2>{title}</h2>
        <p>This view shows the data of the application. Enter {withCode(what)}. It is kept until this tab is closed.</p>
        <Field label={label} error={problem && withCode(problem)}>
          {(attributes) => (
            <input {...attributes} name="secret" type="password" autocomplete="current-password" required />
          )}
        </Field>
      </Form>
    </main>
  );
}

// ── Lazy view ────────────────────────────────────────────────────────────────────────────────────────────────────────

const loaded = new Map<ViewName, ComponentType<ViewProps>>();

function LazyView({ name, path, query }: ViewProps & { readonly name: ViewName }): JSX.Element {
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

// ── Header ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface HeaderProps extends AppProps {
  readonly view: ViewName;
}

function Header({ title, version, view }: HeaderProps): JSX.Element {
  const { value } = useStore(apiDocument);
  const [isDark, setIsDark] = useState(isDarkNow);
  // The search and the sign-in come with the document, and leave less space for the views.
  useEffect(() => document.querySelector('.views [aria-current]')?.scrollIntoView({ block: 'nearest' }), [view, value]);
  const switchTheme = (): void => {
    document.dispatchEvent(new CustomEvent('kiln-theme-switch'));
    setIsDark(isDarkNow);
  };
  return (
    <header class="bar">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <div class="brand line">
        <h1>{title}</h1>
        <span class="version pill soft ellipsis">{version}</span>
      </div>
      <nav class="views words" aria-label="Views">
        {NAMES.map((name) => (
          <a key={name} class="item" href={hrefTo(name)} {...currentIf(name === view)}>
            {VIEWS[name].title}
          </a>
        ))}
      </nav>
      <div class="tools line">
        {value && <SearchBox api={apiOf(value)} />}
        <SignIn />
        <IconButton
          icon={isDark ? 'moon' : 'sun'}
          label={isDark ? 'Dark. Switch to light' : 'Light. Switch to dark'}
          class="theme"
          onClick={switchTheme}
        />
      </div>
    </header>
  );
}

/** Moves the focus. A link would change the fragment of the address, which says what the page shows. */
function skip(): void {
  document.getElementById('content')?.focus();
}

function isDarkNow(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}
