/** The reference: every operation of the API with its inputs, its outputs, its callers, and a form to try it. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Api, type ApiGroup, type ApiOperation, accessOf, apiOf } from '../state/operations.ts';
import { hrefTo, type ViewProps } from '../state/route.ts';
import { signInWanted, tokenHintIn } from '../state/session.ts';
import { apiDocument, createStore, useStore } from '../state/store.ts';
import { exampleDraft } from '../try/request.ts';
import { SampleTabs } from '../try/try-panel.tsx';
import { Accounts } from '../ui/accounts.tsx';
import { Button } from '../ui/controls.tsx';
import { currentIf, WithSidebar } from '../ui/sidebar.tsx';
import { Loaded, MethodBadge, Notice, Prose, withCode } from '../ui/text.tsx';
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
  useLayoutEffect(() => {
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
  // Before the reader sees the page: what is scrolled after that is the reader's.
  useLayoutEffect(() => scrollTo(id), [group, id, isTried]);
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

/** The largest number of groups that are listed with their operations. The side bar has more of them. */
const MOST_GROUPS = 40;

function Overview({ api }: { readonly api: Api }): JSX.Element {
  const { document, groups } = api;
  const hint = tokenHintIn(document);
  const [about = '', ...conventions] = document.info.description.split(/\n\n/);
  const isLarge = groups.length > MOST_GROUPS;
  const operations = groups.flatMap((group) => group.operations);
  const [first] = operations.toSorted((one, other) => effortOf(one) - effortOf(other));
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
          {hint !== null && (
            <>
              <h3 class="small-title apart">Authentication</h3>
              <p>
                Send <code>Authorization: Bearer …</code>. {withCode(hint)}
              </p>
              <Accounts />
              <Button class="apart" isSmall icon="lock" onClick={() => signInWanted.set(true)}>
                Sign in
              </Button>
            </>
          )}
        </div>
        <div>
          <h3 class="small-title">First request</h3>
          {first && <SampleTabs api={api} operation={first} draft={exampleDraft(first, api.document)} />}
        </div>
      </div>
      <ul class={isLarge ? 'cards' : 'cards is-packed'}>
        {groups.map((group) => (
          <GroupCard key={group.tag} group={group} isShort={isLarge} />
        ))}
      </ul>
    </div>
  );
}

/** How much a first request needs: a token most of all, then a body, then values of the path. */
function effortOf({ method, path, operation }: ApiOperation): number {
  const isOpen = ['anyone', 'optional'].includes(accessOf(operation));
  return (isOpen ? 0 : 100) + (method === 'get' ? 0 : 10) + path.split('{').length;
}

function GroupCard({ group, isShort }: { readonly group: ApiGroup; readonly isShort: boolean }): JSX.Element {
  const { tag, description, operations } = group;
  return (
    <li class="card box padded">
      <h3>
        <a class="link is-quiet" href={hrefTo('reference', ['tag', tag])}>
          {tag}
        </a>
      </h3>
      <p class="soft medium">{withCode(description)}</p>
      {!isShort && (
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

// The groups at the side of the reference, with their operations if they are in view.

/** A small API shows all of its operations at once. */
const MOST_OPEN = 80;

interface OutlineProps {
  readonly api: Api;
  readonly tag: string | null;
  readonly id: string | null;
}

function Outline({ api, tag, id: named }: OutlineProps): JSX.Element {
  const id = useStore(viewedOperation) ?? named;
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [id]);
  const isSmall = api.byId.size <= MOST_OPEN;
  return (
    <ul class="side-list outline">
      {api.groups.map((group) => (
        <OutlineGroup
          key={group.tag}
          group={group}
          isCurrent={id === null && group.tag === tag}
          isOpen={isSmall || group.tag === tag}
          id={id}
          current={current}
        />
      ))}
    </ul>
  );
}

interface OutlineGroupProps {
  readonly group: ApiGroup;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly id: string | null;
  readonly current: { current: HTMLAnchorElement | null };
}

function OutlineGroup({ group, isCurrent, isOpen, id, current }: OutlineGroupProps): JSX.Element {
  const { tag, label, heading, depth, operations } = group;
  return (
    <li class="outline-group" style={{ paddingLeft: `${Math.min(depth, 3) * 12}px` }}>
      {heading !== null && <p class="outline-heading">{heading}</p>}
      <a class="outline-tag item" href={hrefTo('reference', ['tag', tag])} data-tag={tag} {...currentIf(isCurrent)}>
        <span>{label}</span>
        <span class="soft tiny numbers">{operations.length}</span>
      </a>
      {isOpen && (
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
