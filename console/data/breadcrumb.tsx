import type { JSX } from 'preact';
import { hrefTo } from '../state/route.ts';
import { shortId } from './cell.tsx';
import { recordHref, type Trail, tableHref } from './data-links.ts';

interface BreadcrumbProps {
  readonly trail: Trail;
  readonly model: string;
  /** What the page itself is; missing where it is the table of the model. */
  readonly current?: string;
}

/** The way back: the records that were passed, the table, and where the reader is. */
export function Breadcrumb({ trail, model, current }: BreadcrumbProps): JSX.Element {
  return (
    <nav class="data-trail" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={hrefTo('data')}>Data</a>
        </li>
        {trail.map((from, at) => {
          const [name = '', id = ''] = from.split('/');
          return (
            <li key={at}>
              <a href={recordHref(name, id, trail.slice(0, at))}>
                {name} {shortId(id)}
              </a>
            </li>
          );
        })}
        <li>
          {current === undefined ? <span aria-current="page">{model}</span> : <a href={tableHref(model)}>{model}</a>}
        </li>
        {current !== undefined && (
          <li>
            <span aria-current="page">{current}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
