/** The models: a list with a search, the diagram, and the selected model in words. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ChangeKind, ModelChange, ReleaseChanges } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph, ShownMember, ShownModel } from '../../runtime/console/model-graph.ts';
import { consoleApi, consoleKey, HAS_CONSOLE_API, useLoading } from '../state/console-api.ts';
import { jsonFrom, MODELS } from '../state/page.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { IconButton } from '../ui/controls.tsx';
import { ModelLinks, WithSidebar } from '../ui/sidebar.tsx';
import { counted, Loaded, Notice, Prose, withCode } from '../ui/text.tsx';
import { Drawing, ownOf } from './drawing.tsx';
import { type Box, centreOf, isSmall, type Layout, layoutOf, manyOf, neighbourhoodOf, oneOf } from './layout.ts';
import { panAndZoom, type Zoomable } from './pan-zoom.ts';

export function ModelsView({ path }: ViewProps): JSX.Element {
  const name = path[0] ?? null;
  // The document is read again when the server has new sources.
  const models = useLoading(loadModels, [useStore(apiDocument)]);
  return (
    <WithSidebar label="Models" sidebar={models.value && <ModelList {...models.value} selected={name} />}>
      <h2 class="visually-hidden">Models</h2>
      <Loaded of={models} label="Loading the models …">
        {(value) => <Shown models={value} name={name} />}
      </Loaded>
    </WithSidebar>
  );
}

function Shown({ models, name }: { readonly models: Models; readonly name: string | null }): JSX.Element {
  const { graph, changes } = models;
  const selected = graph.models.find((model) => model.name === name) ?? null;
  const centre = isSmall(graph) ? null : (selected?.name ?? centreOf(graph));
  const drawn = useMemo(() => (centre === null ? { graph, more: 0 } : neighbourhoodOf(graph, centre)), [graph, centre]);
  const ofModels = changes?.models ?? {};
  if (graph.models.length === 0) return <Notice kind="empty">No model is reached by the API.</Notice>;
  return (
    <>
      {changes && <ChangesNote changes={changes} />}
      {name !== null && selected === null && <Notice>There is no model {name}.</Notice>}
      {centre !== null && (
        <p class="part-note soft medium spaced" role="status">
          There are {graph.models.length.toLocaleString('en')} models. The diagram shows <strong>{centre}</strong> with
          the models that it is linked with{drawn.more === 0 ? '' : `; ${drawn.more} more are listed in its details`}.
        </p>
      )}
      <div class="studio box surface">
        <Diagram
          graph={drawn.graph}
          selected={selected?.name ?? null}
          changes={ofModels}
          onSelect={(model) => goTo(hrefTo('models', [model]))}
        />
        {selected && (
          <aside class="details" aria-label="The selected model" key={selected.name}>
            <div class="dialog-head line">
              <h2>{selected.name}</h2>
              <ChangeMark change={ownOf(ofModels, selected.name)?.change} />
              <IconButton icon="close" label="Close" class="close" onClick={() => goTo(hrefTo('models'))} />
            </div>
            <ModelDetails model={selected} graph={graph} change={ownOf(ofModels, selected.name)} />
          </aside>
        )}
      </div>
      <Lines title="Settings" lines={graph.settings ?? []} />
    </>
  );
}

// ── Models state ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The models of the view, and their changes since the last release.

interface Models {
  readonly graph: ModelGraph;
  /** The changes; null if there is no release to compare with, or nobody who could. */
  readonly changes: ReleaseChanges | null;
}

/** Loads the models. Without a key they are those that every reader of the API may know. */
async function loadModels(): Promise<Models> {
  if (!HAS_CONSOLE_API || consoleKey.get() === '') return { graph: await jsonFrom<ModelGraph>(MODELS), changes: null };
  const changes = consoleApi.json<ReleaseChanges | null>('changes').catch(() => null);
  return { graph: await consoleApi.json<ModelGraph>('models'), changes: await changes };
}

// ── Changes note ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The changes since the last release: those that callers notice, and those of the data.

function ChangesNote({ changes }: { readonly changes: ReleaseChanges }): JSX.Element {
  const { since, api, data, models } = changes;
  const breaking = api.filter(({ level }) => level === 'breaking');
  const compatible = api.filter(({ level }) => level !== 'breaking');
  if (api.length + data.length + Object.keys(models).length === 0)
    return <p class="since soft medium spaced">Nothing has changed since {since}.</p>;
  return (
    <details class="since soft medium spaced">
      <summary>
        Changes since {since}: {counted(Object.keys(models).length, 'model')}, {breaking.length} breaking for callers
      </summary>
      <Lines title="Breaking for callers" lines={breaking.map(({ says }) => says)} />
      <Lines title="Compatible for callers" lines={compatible.map(({ says }) => says)} />
      <Lines title="Data" lines={data} />
    </details>
  );
}

// ── Model list ───────────────────────────────────────────────────────────────────────────────────────────────────────

// All models by name, with a search.

function ModelList({ graph, changes, selected }: Models & { readonly selected: string | null }): JSX.Element {
  const ofModels = changes?.models ?? {};
  const names = useMemo(() => namesIn(graph, ofModels), [graph, changes]);
  const links = names.map((name) => ({
    name,
    href: hrefTo('models', [name]),
    mark: <ChangeMark change={ownOf(ofModels, name)?.change} />,
  }));
  return <ModelLinks count={names.length} links={links} selected={selected} />;
}

/** `Model2` before `Model10`. */
const ORDER = new Intl.Collator('en', { numeric: true });

/** The names of all models, also of removed ones. */
function namesIn({ models }: ModelGraph, changes: ReleaseChanges['models']): readonly string[] {
  const gone = Object.entries(changes).flatMap(([name, { change }]) => (change === 'removed' ? [name] : []));
  return [...new Set([...models.map(({ name }) => name), ...gone])].toSorted(ORDER.compare);
}

// ── Details ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// A model in words: its description, its endpoints, its members with their rules, and its indexes.

interface ModelDetailsProps {
  readonly model: ShownModel;
  readonly graph: ModelGraph;
  readonly change: ModelChange | undefined;
}

export function ModelDetails({ model, graph, change }: ModelDetailsProps): JSX.Element {
  const { name, doc, entrypoints, members, indexes = [], uniques = [] } = model;
  const removed = Object.entries(change?.members ?? {}).filter(([, kind]) => kind === 'removed');
  return (
    <>
      {doc !== null && (
        <div class="soft">
          <Prose text={doc} />
        </div>
      )}
      <ul class="row small spaced">
        {entrypoints.map((id) => (
          <li key={id}>
            <a href={hrefTo('reference', ['tag', id])}>{id}</a>
          </li>
        ))}
        {HAS_CONSOLE_API && (
          <li>
            <a href={hrefTo('data', [name])}>Records</a>
          </li>
        )}
      </ul>
      <ul class="members">
        {members.map((member) => (
          <Member
            key={`${member.kind} ${member.name}`}
            member={member}
            model={model}
            graph={graph}
            change={change && ownOf(change.members, member.name)}
          />
        ))}
        {removed.map(([member]) => (
          <li key={member} class="member field-item is-removed">
            <div class="field-line row">
              <code class="field-name">{member}</code>
              <ChangeMark change="removed" />
            </div>
          </li>
        ))}
      </ul>
      <Lines title="Unique together" lines={uniques.map(asCode)} />
      <Lines title="Indexes" lines={indexes.map(asCode)} />
    </>
  );
}

export function Lines({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly string[];
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3 class="medium apart">{title}</h3>
      <ul class="bullets">
        {lines.map((line) => (
          <li key={line}>{withCode(line)}</li>
        ))}
      </ul>
    </>
  );
}

interface MemberProps {
  readonly member: ShownMember;
  readonly model: ShownModel;
  readonly graph: ModelGraph;
  readonly change: ModelChange['change'] | undefined;
}

function Member({ member, model, graph, change }: MemberProps): JSX.Element {
  const { kind, name, doc, values, default: initial, validate, onDelete } = member;
  return (
    <li class={`member field-item is-${kind}`}>
      <div class="field-line row">
        <code class="field-name">{name}</code>
        <MemberType member={member} graph={graph} />
        {marksOf(member, model, graph).map((word) => (
          <span key={word} class="pill soft">
            {word}
          </span>
        ))}
        <ChangeMark change={change} />
      </div>
      {doc !== null && <p class="soft medium">{withCode(doc)}</p>}
      {values && (
        <p class="words">
          {values.map((value) => (
            <code key={value}>{value}</code>
          ))}
        </p>
      )}
      <Rule name="default" text={initial} />
      <Rule name="validate" text={validate} />
      <Rule name="on delete" text={onDelete} />
    </li>
  );
}

function asCode(text: string): string {
  return `\`${text}\``;
}

function Rule({ name, text }: { readonly name: string; readonly text: string | undefined }): JSX.Element | null {
  if (text === undefined) return null;
  return (
    <p class="rule soft small">
      {name} <code>{text}</code>
    </p>
  );
}

function MemberType({ member, graph: { models } }: Pick<MemberProps, 'member' | 'graph'>): JSX.Element {
  const { type, many, kind } = member;
  const isModel = type !== null && models.some(({ name }) => name === type);
  const text = `${type ?? 'any'}${many ? '[]' : ''}`;
  return (
    <code class="soft small">
      {kind === 'reference' ? '→ ' : kind === 'relation' ? '← ' : ''}
      {isModel ? <a href={hrefTo('models', [type])}>{text}</a> : text}
    </code>
  );
}

function marksOf(member: ShownMember, model: ShownModel, { edges }: ModelGraph): readonly string[] {
  const { kind, unique, nullable, name, secret, index } = member;
  const edge = edges.find(({ from, to, reference, relation }) =>
    kind === 'reference'
      ? from === model.name && reference === name
      : kind === 'relation' && to === model.name && relation === name,
  );
  const ends = edge && (kind === 'reference' ? `${manyOf(edge)} → ${oneOf(edge)}` : `${oneOf(edge)} ← ${manyOf(edge)}`);
  const words = [
    kind === 'field' ? null : kind,
    ends,
    unique ? 'unique' : null,
    nullable ? 'nullable' : null,
    index ? 'index' : null,
    secret ? 'secret' : null,
  ];
  return words.filter((word) => word !== null && word !== undefined);
}

/** The words for a change to a model or a member since the last release. */
const CHANGES: Readonly<Record<ChangeKind, string>> = { added: 'new', changed: 'changed', removed: 'removed' };

export function ChangeMark({ change }: { readonly change: ChangeKind | undefined }): JSX.Element | null {
  if (change === undefined) return null;
  return <span class={`pill is-${change}`}>{CHANGES[change]}</span>;
}

// ── Diagram ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The drawing of the models, which is moved and zoomed, and in which a model is selected.

interface DiagramProps {
  readonly graph: ModelGraph;
  /** The selected model. Its neighbours and the lines between them are highlighted; null if none is. */
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
  readonly onSelect: (model: string) => void;
}

export function Diagram({ graph, selected, changes, onSelect }: DiagramProps): JSX.Element {
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const { svg, sheet, zoomable } = useZoom(layout, selected, centreOf(graph));
  return (
    <div class="stage grow">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        ref={svg}
        class={`diagram ${selected === null ? '' : 'has-selection'}`}
        role="group"
        aria-label="Diagram of the models"
        tabindex={0}
      >
        <g ref={sheet}>
          <Drawing layout={layout} selected={selected} changes={changes} onSelect={onSelect} />
        </g>
      </svg>
      <fieldset class="controls box surface raised">
        <legend class="visually-hidden">Zoom</legend>
        <IconButton icon="plus" label="Zoom in" onClick={() => zoomable.current?.zoom(1.25)} />
        <IconButton icon="minus" label="Zoom out" onClick={() => zoomable.current?.zoom(0.8)} />
        <IconButton icon="fit" label="Show all" onClick={() => zoomable.current?.fit()} />
      </fieldset>
      <p class="legend pill soft">
        {'◆ unique   ? nullable   ƒ computed   * many   Drag to move, Ctrl and wheel to zoom'}
      </p>
    </div>
  );
}

/** Moves the selected model to the middle. Without one, all models are in view. */
function useZoom(layout: Layout, selected: string | null, centre: string | null) {
  const svg = useRef<SVGSVGElement>(null);
  const sheet = useRef<SVGGElement>(null);
  const zoomable = useRef<Zoomable | null>(null);
  const boxOf = (name: string | null) => layout.boxes.find(({ model }) => model.name === name);
  const look = (): void => {
    const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
    const isNarrow = clientWidth < NARROW;
    const isTiny = Math.min(clientWidth / layout.width, clientHeight / layout.height) < SMALLEST_WHOLE;
    const middle = boxOf(selected) ?? (isNarrow || isTiny ? boxOf(centre) : undefined);
    if (middle) zoomable.current?.focus(...(isNarrow ? [] : [areaAround(middle, layout)]), middle);
    else zoomable.current?.fit();
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    const controller = new AbortController();
    if (svg.current && sheet.current)
      zoomable.current = panAndZoom(svg.current, sheet.current, layout, controller.signal);
    return () => controller.abort();
  }, [layout]);
  useEffect(look, [layout, selected]);
  useEffect(() => {
    // The size also changes when the panel beside it opens or closes.
    const observer = new ResizeObserver(() => latest.current());
    if (svg.current) observer.observe(svg.current);
    return () => observer.disconnect();
  }, []);
  return { svg, sheet, zoomable };
}

const MARGIN = 16;

/** The area with the model and its neighbours. */
function areaAround({ model: { name } }: Box, { boxes, lines }: Layout) {
  const near = new Set([
    name,
    ...lines.flatMap(({ edge: { from, to } }) => (from === name ? to : to === name ? from : [])),
  ]);
  const all = boxes.filter(({ model }) => near.has(model.name));
  const [x, y] = [Math.min(...all.map((box) => box.x)) - MARGIN, Math.min(...all.map((box) => box.y)) - MARGIN];
  const width = Math.max(...all.map((box) => box.x + box.width)) + MARGIN - x;
  return { x, y, width, height: Math.max(...all.map((box) => box.y + box.height)) + MARGIN - y };
}

/**
 * The width below which the diagram begins with the model that has the most links: on a phone all models at once would
 * be too small to read.
 */
const NARROW = 480;
/** The scale below which it begins so too. */
const SMALLEST_WHOLE = 0.6;
