/** Where `CONSOLE=on` shows data in an image, the page asks for the secret that the server was started with. */
import type { JSX } from 'preact';
import { keepSecret } from '../state/console-api.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

export function SecretForm(): JSX.Element {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { secret } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    if (typeof secret === 'string') keepSecret(secret.trim());
  };
  return (
    <main id="content" class="content is-narrow" tabIndex={-1}>
      <form class="form" onSubmit={submit}>
        <h2>Console secret</h2>
        <p>
          This view shows the data of the application. Enter the value of <code>CONSOLE_SECRET</code>. It is kept until
          this tab is closed.
        </p>
        <Field label="Secret">
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
