import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icons.tsx';

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
