/** The models: a list with a search, the diagram, the model that is selected, and all of them in words. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ModelGraph, ShownModel } from '../../runtime/console/model-graph.ts';
import { apiDocument } from '../state/api-document.ts';
import { goTo, hrefTo, type ViewProps } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { IconButton } from '../ui/button.tsx';
import { Notice, Spinner } from '../ui/notice.tsx';
import { ChangeMark } from './change-mark.tsx';
import { ChangesNote } from './changes-note.tsx';
import { Diagram } from './diagram.tsx';
import { ModelDetails } from './model-details.tsx';
import { ModelList } from './model-list.tsx';
import { loadModels, type Models } from './models-state.ts';
import { centreOf, isSmall, neighbourhoodOf } from './neighbourhood.ts';

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
      {models !== null ? (
        <Shown models={models} name={name} />
      ) : error !== null ? (
        <Notice kind="error">{error}</Notice>
      ) : (
        <Spinner label="Loading the models …" />
      )}
    </main>
  );
}

function Shown({
  models: { graph, changes },
  name,
}: {
  readonly models: Models;
  readonly name: string | null;
}): JSX.Element {
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
      <div class="studio">
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
            <div class="details-head">
              <h2>{selected.name}</h2>
              <ChangeMark change={ofModels[selected.name]?.change} />
              <IconButton icon="close" label="Close" class="close" onClick={() => goTo(hrefTo('models'))} />
            </div>
            <ModelDetails model={selected} graph={graph} change={ofModels[selected.name]} />
          </aside>
        )}
      </div>
      {isWhole && <AllModels graph={graph} changes={ofModels} />}
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
    <p class="part-note" role="status">
      There are {models.length.toLocaleString('en')} models. The diagram shows <strong>{centre}</strong> with the models
      that it is linked with{more === 0 ? '' : `; ${more} more are listed in its details`}.
    </p>
  );
}

interface AllModelsProps {
  readonly graph: ModelGraph;
  readonly changes: Parameters<typeof ModelList>[0]['changes'];
}

/** For those who read, and for print. */
function AllModels({ graph, changes }: AllModelsProps): JSX.Element {
  return (
    <section class="all-models" aria-labelledby="all-models">
      <h2 id="all-models">All {graph.models.length} models</h2>
      {graph.models.map((model: ShownModel) => (
        <article key={model.name} class="model-text">
          <h3>
            <a href={hrefTo('models', [model.name])}>{model.name}</a>{' '}
            <ChangeMark change={changes[model.name]?.change} />
          </h3>
          <ModelDetails model={model} graph={graph} change={changes[model.name]} />
        </article>
      ))}
    </section>
  );
}
