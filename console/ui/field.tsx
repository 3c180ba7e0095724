import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: ComponentChildren;
  /** Behind the label: type and marks. */
  readonly marks?: ComponentChildren;
  readonly help?: ComponentChildren;
  /** Why the value is invalid. */
  readonly error?: ComponentChildren;
  /** Gets the attributes that tie the control to the label and to the error. */
  readonly children: (attributes: FieldAttributes) => JSX.Element;
}

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A control with its label, help and error. */
export function Field({ label, marks, help, error, children }: FieldProps): JSX.Element {
  const id = useId();
  const described = [help ? `${id}-help` : '', error ? `${id}-error` : ''].filter((part) => part !== '').join(' ');
  return (
    <div class={`field ${error ? 'has-error' : ''}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {marks}
      </div>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error ? { 'aria-invalid': true as const } : {}),
      })}
      {help && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
