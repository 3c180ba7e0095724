/** The models: a list with a search, the diagram, and the selected model in words. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ReleaseChanges } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph } from '../../runtime/console/model-graph.ts';
import { consoleApi, consoleKey, HAS_CONSOLE_API, useLoading } from '../state/console-api.ts';
import { jsonFrom, MODELS } from '../state/page.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { apiDocument, useStore } from '../state/store.ts';
import { IconButton } from '../ui/controls.tsx';
import { ModelLinks, WithSidebar } from '../ui/sidebar.tsx';
import { counted, Loaded, Notice } from '../ui/text.tsx';
import { Diagram } from './diagram.tsx';
import { ownOf } from './drawing.tsx';
import { centreOf, isSmall, neighbourhoodOf } from './layout.ts';
import { ChangeMark, Lines, ModelDetails } from './model-details.tsx';

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
