/** Where the page does not carry the key of the console, it asks for it: the secret of an image, or what `kiln dev` prints. */
import type { JSX } from 'preact';
import { keepSecret, secretProblem } from '../state/console-api.ts';
import { ASKED_KEY } from '../state/page.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { withCode } from '../ui/text.tsx';

const SECRET = { title: 'Console secret', label: 'Secret', what: 'the value of `CONSOLE_SECRET`' };
const PRINTED = { title: 'Console key', label: 'Key', what: 'the key that `kiln dev` printed in the terminal' };

export function SecretForm(): JSX.Element {
  const problem = useStore(secretProblem);
  const { title, label, what } = ASKED_KEY === 'printed' ? PRINTED : SECRET;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { secret } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    if (typeof secret === 'string') keepSecret(secret.trim());
  };
  return (
    <main id="content" class="content is-narrow" tabIndex={-1}>
      <form class="form" onSubmit={submit}>
        <h2>{title}</h2>
        <p>This view shows the data of the application. Enter {withCode(what)}. It is kept until this tab is closed.</p>
        <Field label={label} error={problem && withCode(problem)}>
          {(attributes) => (
            <input {...attributes} name="secret" type="password" autocomplete="current-password" required />
          )}
        </Field>
        <Button look="primary" type="submit">
          Open
        </Button>
      </form>
    </main>
  );
}
