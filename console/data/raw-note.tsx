import type { JSX } from 'preact';

/** Beside everything that changes records without the API. */
export function RawNote(): JSX.Element {
  return (
    <p class="data-raw">
      <strong>Raw:</strong> the rules of the API (validators, access, hooks) are not applied.
    </p>
  );
}
