/** The operation that the reader has scrolled to: the side bar marks it. */
import { useEffect } from 'preact/hooks';
import type { ApiGroup } from '../state/operations.ts';
import { createStore } from '../state/store.ts';

/** Null where the address says it. */
export const viewedOperation = createStore<string | null>(null);

/** The upper part of the window, below the header. */
const READ = '-80px 0px -65% 0px';
/** In milliseconds: until then the page scrolls to what the address names. */
const SETTLED = 500;

export function useViewedOperation(group: ApiGroup, id: string | null): void {
  useEffect(() => {
    let isSettled = false;
    viewedOperation.set(null);
    const timer = setTimeout(() => {
      isSettled = true;
    }, SETTLED);
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.find(({ isIntersecting }) => isIntersecting);
        if (isSettled && entry) viewedOperation.set((entry.target as HTMLElement).dataset.operation ?? null);
      },
      { rootMargin: READ },
    );
    for (const section of document.querySelectorAll('.operation')) observer.observe(section);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      viewedOperation.set(null);
    };
  }, [group, id]);
}
