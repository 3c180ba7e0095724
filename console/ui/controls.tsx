/** The controls of forms and pages: fields with their labels, and buttons. */
import type { ComponentChildren, HTMLAttributes, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

interface FieldProps {
  readonly label: ComponentChildren;
  /** The type and marks behind the label. */
  readonly marks?: ComponentChildren;
  readonly help?: ComponentChildren;
  /** The reason why the value is invalid. */
  readonly error?: ComponentChildren;
  /** Renders the control with the attributes that tie it to the label and to the error. */
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
        <p class="field-help soft" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

export function FieldError(props: { readonly id?: string; readonly children: ComponentChildren }): JSX.Element {
  return <p {...props} class="field-error" role="alert" />;
}

interface SelectProps extends Omit<HTMLAttributes<HTMLSelectElement>, 'onChange' | 'role'> {
  readonly value: string;
  readonly disabled?: boolean;
  /** A value, or a value and its shown text. */
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

export function Select({ options, onChange, ...attributes }: SelectProps): JSX.Element {
  return (
    <select class="input" {...attributes} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map((option) => {
        const [value, text] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={value} value={value}>
            {text}
          </option>
        );
      })}
    </select>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function SearchField({ label, placeholder = label, value, onInput }: SearchFieldProps): JSX.Element {
  return (
    <input
      class="input"
      type="search"
      placeholder={placeholder}
      aria-label={label}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

interface CheckBoxProps {
  /** The label for screen readers, which is shown unless there is a text. */
  readonly label: string;
  readonly text?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function CheckBox({ label, text = label, isOn, onChange }: CheckBoxProps): JSX.Element {
  return (
    <label class="check-box line soft">
      <input
        type="checkbox"
        aria-label={label}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />
      {text}
    </label>
  );
}

// ── Buttons ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ButtonProps {
  readonly look?: 'primary' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  /** Whether it is expanded, for a button that opens and closes something. */
  readonly isExpanded?: boolean;
  readonly onClick?: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps): JSX.Element {
  const { look = 'quiet', type = 'button', icon, isSmall = false, isBusy = false, disabled = false } = props;
  const { isExpanded, onClick, class: own = '', children } = props;
  return (
    <button
      type={type}
      class={`button is-${look} ${isSmall ? 'is-small' : ''} ${own}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      {...(isExpanded === undefined ? {} : { 'aria-expanded': isExpanded })}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** The label, which is read aloud, and shown when the pointer rests on it. */
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
}

export function IconButton({ icon, label, onClick, class: own = '' }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class={`icon-button ${own}`} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
