/** All models at once, and what fills and empties the database. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataOverview } from '../../runtime/console/data/data-forms.ts';
import { Button } from '../ui/button.tsx';
import { withCode } from '../ui/text.tsx';
import { Actions } from './actions.tsx';
import { countText, grouped } from './cell.tsx';
import { tableHref } from './data-links.ts';

/** More are drawn when somebody asks for them: the list at the side has all. */
const MANY = 100;

export function OverviewPage({ data }: { readonly data: DataOverview }): JSX.Element {
  const { models } = data;
  const total = models.reduce((sum, { rows }) => sum + rows.count, 0);
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? models : models.slice(0, MANY);
  const isExact = models.every(({ rows }) => rows.isExact);
  return (
    <>
      <div class="data-head">
        <h2>Data</h2>
        <p class="data-sub">
          {grouped(models.length)} {models.length === 1 ? 'model' : 'models'}, {countText({ count: total, isExact })}{' '}
          {total === 1 ? 'record' : 'records'}
        </p>
      </div>
      <Actions data={data} />
      <ul class="data-cards">
        {shown.map(({ name, doc, rows, columns }) => (
          <li key={name}>
            <a href={tableHref(name)}>
              <strong>{name}</strong>
              <span class="data-rows">{countText(rows)}</span>
              <small>{doc === null ? `${columns.length} columns` : withCode(firstSentence(doc))}</small>
            </a>
          </li>
        ))}
      </ul>
      {shown.length < models.length && (
        <p class="data-more">
          <Button onClick={() => setIsAll(true)}>Show all {grouped(models.length)} models</Button>
        </p>
      )}
    </>
  );
}

function firstSentence(doc: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(doc)?.[0] ?? doc;
}
