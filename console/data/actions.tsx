/** Populate and reset, for the development database. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ActionState, DataOverview } from '../../runtime/console/data/data-forms.ts';
import { apiDocument } from '../state/api-document.ts';
import { consoleApi } from '../state/console-api.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { grouped } from './cell.tsx';
import { loadOverview, useSending } from './data-state.ts';

export function Actions({ data: { populators, canReset } }: { readonly data: DataOverview }): JSX.Element | null {
  const { isBusy, rejection, send } = useSending();
  const [done, setDone] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  if (!canReset) return null;
  const act = (path: string, body: object, says: string): void => {
    setDone(null);
    void send(async () => {
      await consoleApi.send(path, { method: 'POST', body });
      await loadOverview();
      setDone(says);
    });
  };
  const reset = (): void => {
    setIsAsking(false);
    act('reset', {}, 'The database is empty. Its tables were made again.');
  };
  return (
    <section class="data-actions" aria-label="The development database">
      <div class="data-buttons">
        {populators.map(({ name, doc }) => (
          <span key={name} title={doc ?? undefined}>
            <Button
              icon="plus"
              isSmall
              isBusy={isBusy}
              onClick={() => act('populate', { populator: name }, `Populated with ${name}.`)}
            >
              Populate with {name}
            </Button>
          </span>
        ))}
        <Button look="danger" isSmall isBusy={isBusy} onClick={() => setIsAsking(true)}>
          Reset the database …
        </Button>
      </div>
      {isBusy && <Progress />}
      {done !== null && !isBusy && (
        <p class="data-done" role="status">
          {done}
        </p>
      )}
      {rejection && <Notice kind="error">{rejection.message}</Notice>}
      <ResetDialog isOpen={isAsking} onClose={() => setIsAsking(false)} onReset={reset} />
    </section>
  );
}

const POLL_MS = 400;

function Progress(): JSX.Element {
  const [{ progress, running }, setState] = useState<ActionState>({ running: null, progress: null });
  useEffect(() => {
    const poll = (): void => void consoleApi.json<ActionState>('action').then(setState, () => undefined);
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="data-progress">
      {progress ? (
        <progress max={progress.total} value={progress.done} aria-label="Rows" />
      ) : (
        <progress aria-label="Working" />
      )}
      <p role="status">
        {running === 'reset' ? 'Resetting …' : 'Populating …'}
        {progress && ` ${grouped(progress.done)} of ${grouped(progress.total)} rows`}
      </p>
    </div>
  );
}

interface ResetDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onReset: () => void;
}

/** The name is typed, because nothing brings the records back. */
function ResetDialog({ isOpen, onClose, onReset }: ResetDialogProps): JSX.Element {
  const loaded = useStore(apiDocument);
  const [typed, setTyped] = useState('');
  const name = loaded.kind === 'loaded' ? loaded.value.info.title : 'reset';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (typed.trim() !== name) return;
    setTyped('');
    onReset();
  };
  return (
    <Dialog title="Reset the database" isOpen={isOpen} onClose={onClose}>
      <p class="dialog-hint">
        This deletes every record of every model, and makes the tables again. It cannot be undone.
      </p>
      <form class="form" onSubmit={submit}>
        <Field
          label={
            <>
              Type <code>{name}</code> to confirm
            </>
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              autocomplete="off"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button look="danger" type="submit" disabled={typed.trim() !== name}>
          Delete everything
        </Button>
      </form>
    </Dialog>
  );
}
