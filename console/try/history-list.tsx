/** The requests of this tab. One that is chosen fills the form again. */
import type { JSX } from 'preact';
import { goTo, hrefTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge, StatusBadge } from '../ui/badges.tsx';
import { type HistoryEntry, history, opened } from './history.ts';

export function HistoryList({ onSame }: { readonly onSame: (entry: HistoryEntry) => void }): JSX.Element | null {
  const entries = useStore(history);
  if (entries.length === 0) return null;
  const open = (entry: HistoryEntry): void => {
    opened.set({ id: entry.operation.id, draft: entry.draft });
    onSame(entry);
    goTo(hrefTo('reference', [entry.operation.id], { try: '1' }));
  };
  return (
    <details class="history">
      <summary>History of this tab ({entries.length})</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.number}>
            <button type="button" class="history-entry" onClick={() => open(entry)}>
              <StatusBadge status={entry.status} />
              <MethodBadge method={entry.operation.method} />
              <span class="history-target">{entry.target}</span>
              <span class="response-fact">{Math.round(entry.milliseconds)} ms</span>
              <time class="response-fact">{entry.at.toLocaleTimeString()}</time>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
