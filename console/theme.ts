/**
 * Light or dark, before anything is drawn: the page loads this ahead of its styles. What somebody has chosen is kept in
 * the browser; nobody's choice is what the system says.
 */
const KEY = 'kiln-docs-theme';
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

function chosenTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // A browser that keeps nothing is no reason to show nothing.
    return null;
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It still holds until the page is left.
  }
}

function show(theme: string | null): void {
  const isDark = theme === null ? system.matches : theme === 'dark';

  root.dataset.theme = isDark ? 'dark' : 'light';
}

show(chosenTheme());
system.addEventListener('change', () => show(chosenTheme()));

document.addEventListener('kiln-theme-switch', () => {
  const next = root.dataset.theme === 'dark' ? 'light' : 'dark';
  store(next);
  show(next);
});
