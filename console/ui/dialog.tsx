import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useSending } from '../state/console-api.ts';
import { Button, IconButton } from './button.tsx';
import { Field } from './field.tsx';
import { Notice } from './notice.tsx';

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

interface ConfirmProps extends DialogProps {
  readonly action: string;
  readonly look?: 'primary' | 'danger';
  /** A text that has to be typed first, if nothing brings back what is lost. */
  readonly typed?: string;
  /** The dialog stays open if this fails, and says why. */
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something is done. */
export function Confirm({ action, look = 'danger', typed, onConfirm, children, ...dialog }: ConfirmProps): JSX.Element {
  const { isBusy, rejection, send } = useSending();
  const [text, setText] = useState('');
  const isTyped = typed === undefined || text.trim() === typed;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isTyped) void send(onConfirm).then(() => setText(''));
  };
  return (
    <Dialog {...dialog}>
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
          <Button onClick={dialog.onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
