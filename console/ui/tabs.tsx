import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface Tab<N extends string> {
  readonly name: N;
  readonly label: ComponentChildren;
}

interface TabsProps<N extends string> {
  /** The label for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<N>[];
  readonly selected: N;
  readonly onSelect: (name: N) => void;
  /** The content of the selected tab. */
  readonly children: ComponentChildren;
}

/** Tabs. Arrow keys move between them. */
export function Tabs<N extends string>({ label, tabs, selected, onSelect, children }: TabsProps<N>): JSX.Element {
  const id = useId();
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ name }) => name === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            class="tab soft"
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
