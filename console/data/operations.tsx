/** Links to the endpoints of the API that do the same with its rules. Each opens its form, filled in as far as can be. */
import type { JSX } from 'preact';
import type { DataModel, DataRecord, RecordOperation } from '../../runtime/console/data/data-forms.ts';
import { apiDocument } from '../state/api-document.ts';
import { useStore } from '../state/store.ts';
import { MethodBadge } from '../ui/badges.tsx';
import { operationFor } from './api-operations.ts';

interface OperationsProps {
  readonly model: DataModel;
  readonly operations: readonly RecordOperation[];
  /** Of the record; empty where there is none yet. */
  readonly values: DataRecord['values'];
}

export function Operations({ model, operations, values }: OperationsProps): JSX.Element | null {
  const loaded = useStore(apiDocument);
  if (loaded.kind !== 'loaded') return null;
  const found = operations.flatMap((each) => operationFor(each, loaded.value, model, values) ?? []);
  if (found.length === 0) return null;
  return (
    <section class="data-operations" aria-label="Through the API">
      <h3>Through the API, with its rules</h3>
      <ul>
        {found.map(({ id, summary, method, path, href }) => (
          <li key={id}>
            <a href={href} title={path}>
              <MethodBadge method={method} />
              {found.some((each) => each.id !== id && each.summary === summary) ? path : summary}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
