/**
 * Light or dark, before anything is drawn: the page loads this ahead of its styles. A choice is stored in the browser;
 * without one, the system decides.
 */
import { quietly } from './state/quietly.ts';

const KEY = 'kiln-docs-theme';
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

// If the browser stores nothing, a choice still holds until the page is left.
const chosenTheme = (): string | null => quietly(() => localStorage.getItem(KEY)) ?? null;

function show(theme: string | null): void {
  const isDark = theme === null ? system.matches : theme === 'dark';
  root.dataset.theme = isDark ? 'dark' : 'light';
}

show(chosenTheme());
system.addEventListener('change', () => show(chosenTheme()));

document.addEventListener('kiln-theme-switch', () => {
  const next = root.dataset.theme === 'dark' ? 'light' : 'dark';
  quietly(() => localStorage.setItem(KEY, next));
  show(next);
});
