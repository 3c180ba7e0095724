/** The models: a list with a search, the diagram, the model that is selected, and all of them in words. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ModelChange, ReleaseChanges } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph, ShownModel } from '../../runtime/console/model-graph.ts';
import { apiDocument } from '../state/api-document.ts';
import { consoleApi, consoleKey, HAS_CONSOLE_API } from '../state/console-api.ts';
import { jsonFrom, MODELS } from '../state/page.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { IconButton } from '../ui/button.tsx';
import { Loaded, Notice } from '../ui/notice.tsx';
import { LinkList } from '../ui/sidebar.tsx';
import { withCode } from '../ui/text.tsx';
import { Diagram } from './diagram.tsx';
import { centreOf, isSmall, neighbourhoodOf } from './layout.ts';
import { ChangeMark, ModelDetails } from './model-details.tsx';

export function ModelsView({ path }: ViewProps): JSX.Element {
  const name = path[0] ?? null;
  const [models, setModels] = useState<Models | null>(null);
  const [error, setError] = useState<string | null>(null);
  // The document is read again when the server has new sources.
  const document = useStore(apiDocument);
  useEffect(() => {
    loadModels().then(setModels, ({ message }: Error) => setError(message));
  }, [document]);
  return (
    <main id="content" class="content is-models" tabIndex={-1}>
      <h2 class="visually-hidden">Models</h2>
      <Loaded of={{ value: models, error: models ? null : error }} label="Loading the models …">
        {(value) => <Shown models={value} name={name} />}
      </Loaded>
    </main>
  );
}

function Shown({ models, name }: { readonly models: Models; readonly name: string | null }): JSX.Element {
  const { graph, changes } = models;
  const selected = graph.models.find((model) => model.name === name) ?? null;
  const isWhole = isSmall(graph);
  const centre = isWhole ? null : (selected?.name ?? centreOf(graph));
  const drawn = useMemo(() => (centre === null ? { graph, more: 0 } : neighbourhoodOf(graph, centre)), [graph, centre]);
  const ofModels = changes?.models ?? {};
  if (graph.models.length === 0) return <Notice kind="empty">No model is reached by the API.</Notice>;
  return (
    <>
      {changes && <ChangesNote changes={changes} />}
      {name !== null && selected === null && <Notice>There is no model {name}.</Notice>}
      {!isWhole && <PartNote graph={graph} centre={centre} more={drawn.more} />}
      <div class="studio box surface">
        <nav class="model-list" aria-label="Models">
          <ModelList graph={graph} selected={selected?.name ?? null} changes={ofModels} />
        </nav>
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
              <ChangeMark change={ofModels[selected.name]?.change} />
              <IconButton icon="close" label="Close" class="close" onClick={() => goTo(hrefTo('models'))} />
            </div>
            <ModelDetails model={selected} graph={graph} change={ofModels[selected.name]} />
          </aside>
        )}
      </div>
      {isWhole && <AllModels graph={graph} changes={ofModels} />}
      <Lines title="Settings" lines={graph.settings ?? []} />
    </>
  );
}

interface PartNoteProps {
  readonly graph: ModelGraph;
  readonly centre: string | null;
  readonly more: number;
}

function PartNote({ graph: { models }, centre, more }: PartNoteProps): JSX.Element {
  return (
    <p class="part-note soft medium spaced" role="status">
      There are {models.length.toLocaleString('en')} models. The diagram shows <strong>{centre}</strong> with the models
      that it is linked with{more === 0 ? '' : `; ${more} more are listed in its details`}.
    </p>
  );
}

/** All models as text, for reading and for print. */
function AllModels({ graph, changes }: Pick<ModelListProps, 'graph' | 'changes'>): JSX.Element {
  return (
    <section class="all-models" aria-labelledby="all-models">
      <h2 id="all-models">All {graph.models.length} models</h2>
      {graph.models.map((model: ShownModel) => (
        <article key={model.name} class="model-text box surface padded spaced">
          <h3>
            <a class="link is-quiet" href={hrefTo('models', [model.name])}>
              {model.name}
            </a>{' '}
            <ChangeMark change={changes[model.name]?.change} />
          </h3>
          <ModelDetails model={model} graph={graph} change={changes[model.name]} />
        </article>
      ))}
    </section>
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
        Changes since {since}: {summaryOf(changes)}
      </summary>
      <Lines title="Breaking for callers" lines={breaking.map(({ says }) => says)} />
      <Lines title="Compatible for callers" lines={compatible.map(({ says }) => says)} />
      <Lines title="Data" lines={data} />
    </details>
  );
}

function summaryOf({ models, api }: ReleaseChanges): string {
  const count = (change: string): number => Object.values(models).filter((each) => each.change === change).length;
  const breaking = api.filter(({ level }) => level === 'breaking').length;
  const parts = (['added', 'changed', 'removed'] as const)
    .map((change) => ({ change, number: count(change) }))
    .filter(({ number }) => number > 0)
    .map(({ change, number }) => `${number} ${number === 1 ? 'model' : 'models'} ${change}`);
  const rest = breaking === 0 ? 'nothing that breaks callers' : `${breaking} breaking for callers`;
  return [...parts, rest].join(', ');
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="bullets">
        {lines.map((line) => (
          <li key={line}>{withCode(line)}</li>
        ))}
      </ul>
    </>
  );
}

// ── Model list ───────────────────────────────────────────────────────────────────────────────────────────────────────

// All models by name, with a search.

interface ModelListProps {
  readonly graph: ModelGraph;
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
}

function ModelList({ graph, selected, changes }: ModelListProps): JSX.Element {
  const names = useMemo(() => namesIn(graph, changes), [graph, changes]);
  const links = names.map((name) => ({
    name,
    href: hrefTo('models', [name]),
    mark: <ChangeMark change={changes[name]?.change} />,
  }));
  const search = { label: 'Search the models', placeholder: `Search ${names.length} models` };
  return <LinkList links={links} selected={selected} search={search} none="No model has this name." />;
}

/** `Model2` before `Model10`. */
const ORDER = new Intl.Collator('en', { numeric: true });

/** The names of all models, also of removed ones. */
function namesIn({ models }: ModelGraph, changes: ModelListProps['changes']): readonly string[] {
  const gone = Object.entries(changes).flatMap(([name, { change }]) => (change === 'removed' ? [name] : []));
  return [...new Set([...models.map(({ name }) => name), ...gone])].toSorted(ORDER.compare);
}
