/** The search in the header: `/` focuses it, arrow keys choose, Enter opens, Escape clears. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Api } from '../state/operations.ts';
import { goTo, hrefTo } from '../state/route.ts';
import { Icon } from '../ui/icons.tsx';
import { MethodBadge } from '../ui/text.tsx';
import { type Found, search } from './search-index.ts';

const MOST = 20;

export function SearchBox({ api }: { readonly api: Api }): JSX.Element {
  const [phrase, setPhrase] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const found = useMemo(() => search(api, phrase), [api, phrase]);
  const shown = found.slice(0, MOST);
  useSlashKey(input);
  const isShown = isOpen && phrase.trim() !== '';
  const open = (id: string): void => {
    setIsOpen(false);
    setPhrase('');
    input.current?.blur();
    goTo(hrefTo('reference', [id]));
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setAt(Math.min(at + 1, shown.length - 1)),
    ArrowUp: () => setAt(Math.max(at - 1, 0)),
    Enter: () => shown[at] && open(shown[at].operation.id),
    Escape: () => (isShown ? setIsOpen(false) : setPhrase('')),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    setIsOpen(true);
    action();
  };
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={input}
        class="input"
        type="text"
        role="combobox"
        placeholder="Search  /"
        aria-label="Search paths, names, texts, fields and errors"
        aria-expanded={isShown}
        aria-controls="search-results"
        aria-autocomplete="list"
        {...(isShown && shown[at] ? { 'aria-activedescendant': `search-${at}` } : {})}
        autocomplete="off"
        spellcheck={false}
        value={phrase}
        onInput={(event) => {
          setPhrase(event.currentTarget.value);
          setAt(0);
          setIsOpen(true);
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <Results found={shown} at={at} total={found.length} isShown={isShown} open={open} />
    </search>
  );
}

interface ResultsProps {
  readonly found: readonly Found[];
  readonly at: number;
  readonly total: number;
  readonly isShown: boolean;
  readonly open: (id: string) => void;
}

function Results({ found, at, total, isShown, open }: ResultsProps): JSX.Element {
  const selected = useRef<HTMLDivElement>(null);
  useEffect(() => selected.current?.scrollIntoView({ block: 'nearest' }));
  return (
    <div class="search-panel box surface raised" hidden={!isShown}>
      <div id="search-results" class="search-results" role="listbox" aria-label="Search results" tabIndex={-1}>
        {found.map(({ operation, because }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input.
          <div
            key={operation.id}
            id={`search-${index}`}
            ref={index === at ? selected : null}
            role="option"
            aria-selected={index === at}
            class="search-result item"
            // The focus must not leave the input before the click arrives.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => open(operation.id)}
          >
            <MethodBadge method={operation.method} />
            <span class="ellipsis">{operation.operation.summary}</span>
            <span class="search-path soft ellipsis">
              {operation.path}
              {because !== null && ` · ${because}`}
            </span>
          </div>
        ))}
      </div>
      <p class="search-count padded soft tiny" role="status">
        {total === 0 ? 'Nothing was found.' : total > found.length ? `${found.length} of ${total}` : `${total} found`}
      </p>
    </div>
  );
}

function useSlashKey(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
