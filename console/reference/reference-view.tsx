/** The reference: every operation of the API with its inputs, its outputs, its callers, and a form to try it. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { search, searchPhrase } from '../search/search-index.ts';
import { apiDocument } from '../state/api-document.ts';
import { type Api, type ApiGroup, type ApiOperation, apiOf } from '../state/operations.ts';
import { hrefTo, type ViewProps } from '../state/route.ts';
import { signInWanted, tokenHintIn } from '../state/session.ts';
import { createStore, useStore } from '../state/store.ts';
import { exampleDraft } from '../try/request.ts';
import { SampleTabs } from '../try/try-panel.tsx';
import { MethodBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';
import { currentIf, WithSidebar } from '../ui/sidebar.tsx';
import { Prose, withCode } from '../ui/text.tsx';
import { OperationSection } from './operation-section.tsx';

export function ReferenceView({ path, query }: ViewProps): JSX.Element {
  const document = useStore(apiDocument);
  if (document.value) return <Reference api={apiOf(document.value)} path={path} query={query} />;
  return (
    <main id="content" class="content" tabIndex={-1}>
      <Loaded of={document} label="Loading the API …">
        {() => <></>}
      </Loaded>
    </main>
  );
}

function Reference({ api, path, query }: ViewProps & { readonly api: Api }): JSX.Element {
  const { group, id } = placeIn(api, path);
  const isUnknown = path.length > 0 && group === null;
  useEffect(() => {
    if (group === null) window.scrollTo(0, 0);
  }, [group]);
  return (
    <WithSidebar label="Operations" sidebar={<Outline api={api} tag={group?.tag ?? null} id={id} />}>
      {isUnknown && <Notice kind="error">The API has no operation or group {path.join('/')}.</Notice>}
      {group ? (
        <GroupPage api={api} group={group} id={id} isTried={query.has('try')} given={query} />
      ) : (
        <Overview api={api} />
      )}
    </WithSidebar>
  );
}

/** `postList`, `tag/post`, and as earlier pages wrote them: `post`, `post/postList`. */
function placeIn(api: Api, path: readonly string[]) {
  const last = path.at(-1) ?? '';
  const operation = path[0] === 'tag' ? undefined : api.byId.get(last);
  const tag = operation?.tag ?? last;
  return { group: api.groups.find((group) => group.tag === tag) ?? null, id: operation?.id ?? null };
}

// ── Group page ───────────────────────────────────────────────────────────────────────────────────────────────────────

// All operations of a group, one below the other. The one that the address names is scrolled to.

interface GroupPageProps {
  readonly api: Api;
  readonly group: ApiGroup;
  /** The id of the operation; null for the group as a whole. */
  readonly id: string | null;
  readonly isTried: boolean;
  /** The values of the address, for the form. */
  readonly given: URLSearchParams;
}

function GroupPage({ api, group, id, isTried, given }: GroupPageProps): JSX.Element {
  useEffect(() => scrollTo(id), [group, id, isTried]);
  useViewedOperation(group, id);
  return (
    <>
      <div class="group-head soft">
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
  // Keys and screen readers continue from here. Typing in the form is not interrupted.
  document.getElementById(`title-${id}`)?.focus({ preventScroll: true });
}

// ── Overview ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The first page of the reference: the description of the API, and its groups.

/** The largest number of groups that are listed with their operations. */
const MOST_GROUPS = 40;

function Overview({ api }: { readonly api: Api }): JSX.Element {
  const { document, groups } = api;
  const hint = tokenHintIn(document);
  const [about = '', ...conventions] = document.info.description.split(/\n\n/);
  const operations = groups.flatMap((group) => group.operations);
  const first = operations.find(({ method, path }) => method === 'get' && !path.includes('{')) ?? operations[0];
  const isLong = groups.length <= MOST_GROUPS;
  return (
    <div class="overview">
      <h2>{document.info.title} API</h2>
      <div class="overview-columns columns soft">
        <div>
          <Prose text={about} />
          {conventions.length > 0 && (
            <details class="conventions">
              <summary>Conventions</summary>
              <Prose text={conventions.join('\n\n')} />
            </details>
          )}
        </div>
        <div>
          <h3 class="small-title">First request</h3>
          {first && <SampleTabs api={api} operation={first} draft={exampleDraft(first)} />}
          {hint !== null && (
            <>
              <h3 class="small-title apart">Authentication</h3>
              <p>
                Send <code>Authorization: Bearer …</code>. {withCode(hint)}
              </p>
              <Button isSmall icon="lock" onClick={() => signInWanted.set(true)}>
                Sign in
              </Button>
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
    <li class="card box padded">
      <h3>
        <a class="link is-quiet" href={hrefTo('reference', ['tag', tag])}>
          {tag}
        </a>
      </h3>
      {isLong && <p class="soft medium">{withCode(description)}</p>}
      {isLong && (
        <ul>
          {operations.map(({ id, method, path, operation: { summary } }) => (
            <li key={id}>
              <a class="item" href={hrefTo('reference', [id])} title={path}>
                <MethodBadge method={method} />
                <span class="ellipsis">{summary}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

// ── Outline ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The groups at the side of the reference, with their operations if they are in view or found by the search.

/** A small API shows all of its operations at once. */
const MOST_OPEN = 80;
/** The largest number of search results. More words find the rest. */
const MOST_FOUND = 200;

interface OutlineProps {
  readonly api: Api;
  readonly tag: string | null;
  readonly id: string | null;
}

function Outline({ api, tag, id: named }: OutlineProps): JSX.Element {
  const id = useStore(viewedOperation) ?? named;
  const phrase = useStore(searchPhrase);
  const found = useMemo(() => foundIn(api, phrase), [api, phrase]);
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [id]);
  const isSmall = api.byId.size <= MOST_OPEN;
  const shown = found === null ? api.groups : api.groups.filter((group) => group.operations.some(found));
  return (
    <ul class="side-list outline">
      {shown.map((group) => (
        <OutlineGroup
          key={group.tag}
          group={group}
          isCurrent={id === null && group.tag === tag}
          operations={found ? group.operations.filter(found) : isSmall || group.tag === tag ? group.operations : []}
          id={id}
          current={current}
        />
      ))}
      {shown.length === 0 && <li class="none soft">Nothing was found.</li>}
    </ul>
  );
}

/** The found operations; null without a search. */
function foundIn(api: Api, phrase: string): ((operation: ApiOperation) => boolean) | null {
  if (phrase.trim() === '') return null;
  const ids = new Set(
    search(api, phrase)
      .slice(0, MOST_FOUND)
      .map(({ operation }) => operation.id),
  );
  return ({ id }) => ids.has(id);
}

interface OutlineGroupProps {
  readonly group: ApiGroup;
  readonly isCurrent: boolean;
  readonly operations: readonly ApiOperation[];
  readonly id: string | null;
  readonly current: { current: HTMLAnchorElement | null };
}

function OutlineGroup({ group, isCurrent, operations, id, current }: OutlineGroupProps): JSX.Element {
  const { tag, label, heading, depth } = group;
  return (
    <li class="outline-group" style={{ paddingLeft: `${Math.min(depth, 3) * 12}px` }}>
      {heading !== null && <p class="outline-heading">{heading}</p>}
      <a class="outline-tag item" href={hrefTo('reference', ['tag', tag])} data-tag={tag} {...currentIf(isCurrent)}>
        <span>{label}</span>
        <span class="soft tiny numbers">{group.operations.length}</span>
      </a>
      {operations.length > 0 && (
        <ul>
          {operations.map((operation) => (
            <li key={operation.id}>
              <a
                class="outline-operation item"
                href={hrefTo('reference', [operation.id])}
                title={`${operation.method.toUpperCase()} ${operation.path}`}
                ref={operation.id === id ? current : null}
                data-operation={operation.id}
                {...currentIf(operation.id === id)}
              >
                <span class="outline-summary ellipsis">{operation.operation.summary}</span>
                <MethodBadge method={operation.method} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

// ── Viewed operation ─────────────────────────────────────────────────────────────────────────────────────────────────

// The operation that the reader has scrolled to: the side bar marks it.

/** The operation in view; null if the address names it. */
const viewedOperation = createStore<string | null>(null);

/** The upper part of the window, below the header. */
const READ = '-80px 0px -65% 0px';
/** The time in milliseconds in which the page scrolls to the place that the address names. */
const SETTLED = 500;

function useViewedOperation(group: ApiGroup, id: string | null): void {
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
