/** The first page of the reference: what the API is, and its groups. */
import type { JSX } from 'preact';
import { tokenHintIn } from '../state/login.ts';
import type { Api, ApiGroup } from '../state/operations.ts';
import { SERVER } from '../state/page.ts';
import { hrefTo } from '../state/route.ts';
import { MethodBadge } from '../ui/badges.tsx';
import { Code } from '../ui/code.tsx';
import { Prose, withCode } from '../ui/text.tsx';

/** Above that, the groups are listed without their operations. */
const MOST_GROUPS = 40;

export function Overview({ api }: { readonly api: Api }): JSX.Element {
  const { document, groups } = api;
  const hint = tokenHintIn(document);
  const [first = '', ...conventions] = document.info.description.split(/\n\n/);
  const isLong = groups.length <= MOST_GROUPS;
  return (
    <div class="overview">
      <h2>{document.info.title} API</h2>
      <div class="overview-columns">
        <div>
          <Prose text={first} />
          {conventions.length > 0 && (
            <details class="conventions">
              <summary>Conventions</summary>
              <Prose text={conventions.join('\n\n')} />
            </details>
          )}
        </div>
        <div>
          <h3 class="small-title">Base URL</h3>
          <Code text={SERVER} copyLabel="Copy the base URL" />
          {hint !== null && (
            <>
              <h3 class="small-title">Authentication</h3>
              <p>
                Send <code>Authorization: Bearer …</code>. {withCode(hint)}
              </p>
            </>
          )}
        </div>
      </div>
      <ul class={isLong ? 'cards' : 'cards is-compact'}>
        {groups.map((group) => (
          <GroupCard key={group.tag} group={group} isLong={isLong} />
        ))}
      </ul>
    </div>
  );
}

function GroupCard({ group, isLong }: { readonly group: ApiGroup; readonly isLong: boolean }): JSX.Element {
  const { tag, description, operations } = group;
  return (
    <li class="card">
      <h3>
        <a href={hrefTo('reference', ['tag', tag])}>{tag}</a>
      </h3>
      {isLong && <p class="quiet">{withCode(description)}</p>}
      {isLong && (
        <ul>
          {operations.map(({ id, method, path, operation: { summary } }) => (
            <li key={id}>
              <a class="card-operation" href={hrefTo('reference', [id])} title={path}>
                <MethodBadge method={method} />
                <span>{summary}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
