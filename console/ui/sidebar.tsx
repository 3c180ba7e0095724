import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { route } from '../state/route.ts';
import { Button, SearchField } from './controls.tsx';

interface WithSidebarProps {
  /** The label of the navigation, and of the button that opens it on a phone. */
  readonly label: string;
  readonly sidebar: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A view with a navigation at its side. On a narrow screen a button opens it, and following a link closes it. */
export function WithSidebar({ label, sidebar, children }: WithSidebarProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => route.subscribe(() => setIsOpen(false)), []);
  return (
    <div class={`with-sidebar ${isOpen ? 'is-open' : ''}`}>
      <div class="sidebar-toggle">
        <Button icon="menu" isSmall isExpanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {label}
        </Button>
      </div>
      <nav class="sidebar" aria-label={label}>
        {sidebar}
      </nav>
      <main id="content" class="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

interface ModelLinksProps {
  /** The number of models. */
  readonly count: number;
  readonly links: readonly { readonly name: string; readonly href: string; readonly mark: ComponentChildren }[];
  /** The name of the open link. */
  readonly selected: string | null;
}

/** Links to models by their names, with a search above them. */
export function ModelLinks({ count, links, selected }: ModelLinksProps): JSX.Element {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = links.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <SearchField label="Search the models" placeholder={`Search ${count} models`} value={text} onInput={setText} />
      <ul class="side-list">
        {shown.map(({ name, href, mark }) => (
          <li key={name}>
            <a class="item" href={href} onClick={() => setText('')} {...currentIf(name === selected)}>
              <span class="ellipsis">{name}</span>
              {mark}
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="padded soft small">No model matches.</p>}
    </>
  );
}

/** The attribute of the link to the open page. */
export function currentIf(isCurrent: boolean): { readonly 'aria-current'?: 'page' } {
  return isCurrent ? { 'aria-current': 'page' } : {};
}

/** The link to the list that a page is of. */
export function BackLink({ href, to }: { readonly href: string; readonly to: string }): JSX.Element {
  return (
    <a class="back medium" href={href}>
      ← {to}
    </a>
  );
}
