/** All operations of a group, one below the other. The one that the address names is scrolled to. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Api, ApiGroup } from '../state/operations.ts';
import { withCode } from '../ui/text.tsx';
import { OperationSection } from './operation-section.tsx';
import { useViewedOperation } from './viewed-operation.ts';

interface GroupPageProps {
  readonly api: Api;
  readonly group: ApiGroup;
  /** Null for the group as a whole. */
  readonly id: string | null;
  readonly isTried: boolean;
  /** Values of the address, for the form. */
  readonly given: URLSearchParams;
}

export function GroupPage({ api, group, id, isTried, given }: GroupPageProps): JSX.Element {
  useEffect(() => scrollTo(id), [group, id, isTried]);
  useViewedOperation(group, id);
  return (
    <>
      <div class="group-head">
        <h2>{group.tag}</h2>
        {group.description !== '' && <p>{withCode(group.description)}</p>}
      </div>
      {group.operations.map((operation) => (
        <OperationSection
          key={operation.id}
          api={api}
          operation={operation}
          isTried={isTried && operation.id === id}
          given={given}
        />
      ))}
    </>
  );
}

function scrollTo(id: string | null): void {
  if (id === null) {
    window.scrollTo(0, 0);
    return;
  }
  document.getElementById(`operation-${id}`)?.scrollIntoView({ block: 'start' });
  // Keys and screen readers go on from here. Whoever types into the form is left alone.
  document.getElementById(`title-${id}`)?.focus({ preventScroll: true });
}
