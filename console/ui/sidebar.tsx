import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { route } from '../state/route.ts';
import { Button } from './button.tsx';

interface WithSidebarProps {
  /** Of the navigation, and of the button that opens it on a phone. */
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
