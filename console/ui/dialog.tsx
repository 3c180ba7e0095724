import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useSending } from '../state/console-api.ts';
import { Button, Field, IconButton } from './controls.tsx';
import { Notice } from './text.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog. Escape, the button and a click beside it close it; the focus returns to where it was. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same.
    <dialog
      ref={dialog}
      class="dialog box surface raised"
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {isOpen && (
        <>
          <div class="dialog-head line">
            <h2 id={titleId}>{title}</h2>
            <IconButton icon="close" label="Close" class="close" onClick={onClose} />
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}

interface ConfirmProps {
  /** The button in the dialog. */
  readonly action: string;
  readonly look?: 'primary' | 'danger';
  /** A text that has to be typed first, if nothing brings back what is lost. */
  readonly typed?: string;
  /** The dialog stays open if this fails, and says why. */
  readonly onConfirm: () => Promise<void>;
  readonly children: ComponentChildren;
}

interface ConfirmButtonProps extends ConfirmProps {
  /** The text of the button that opens the dialog. */
  readonly text: string;
  readonly title: string;
  readonly isBusy?: boolean;
}

/** A button that asks before it does something. */
export function ConfirmButton({ text, title, isBusy = false, ...question }: ConfirmButtonProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  return (
    <>
      <Button
        isSmall
        look={question.look === 'primary' ? 'quiet' : 'danger'}
        isBusy={isBusy}
        onClick={() => setIsOpen(true)}
      >
        {text} …
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <Confirm {...question} onClose={close} />
      </Dialog>
    </>
  );
}

/** The question in an open dialog. Each time it is opened, nothing is typed and nothing has failed yet. */
function Confirm(props: ConfirmProps & { readonly onClose: () => void }): JSX.Element {
  const { action, look = 'danger', typed, onConfirm, onClose, children } = props;
  const { isBusy, rejection, send } = useSending();
  const [text, setText] = useState('');
  const isTyped = typed === undefined || text.trim() === typed;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isTyped) void send(() => onConfirm().then(onClose));
  };
  return (
    <>
      {children}
      <form class="vertical apart" onSubmit={submit}>
        {typed !== undefined && (
          <Field
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
          >
            {(attributes) => (
              <input
                {...attributes}
                autocomplete="off"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {rejection && <Notice kind="error">{rejection.message}</Notice>}
        <div class="buttons">
          <Button look={look} type="submit" isBusy={isBusy} disabled={!isTyped}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </>
  );
}
