/**
 * What the names in a program mean, told to whoever wants to know while the program is checked: an editor finds
 * definitions and references by it. Nothing in the checks depends on it.
 */
import type { Enum, FunctionName, Member, Model, Scalar, Shape, Type, Validator } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import type { Binding, Scope } from './scope.ts';

export type Meaning =
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'enum'; readonly enum: Enum }
  | { readonly kind: 'value'; readonly enum: Enum; readonly value: string }
  | { readonly kind: 'member'; readonly member: Member }
  | { readonly kind: 'shape'; readonly shape: Shape }
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  /** Without a validator it is a built-in one. */
  | { readonly kind: 'validator'; readonly name: string; readonly validator: Validator | undefined }
  | { readonly kind: 'function'; readonly name: FunctionName }
  | { readonly kind: 'faker'; readonly module: string; readonly method: string | undefined }
  | { readonly kind: 'runtime'; readonly name: string }
  | { readonly kind: 'auth'; readonly model: Model }
  | Local;

/** A name that is seen in one declaration only: an alias, an extra input, the argument of a validator. */
interface Local {
  readonly kind: 'local';
  readonly name: string;
  readonly noun: string;
  readonly type: Type | undefined;
  readonly declared: Span;
}

export interface Witness {
  /** The name at this place has been found. */
  meant(span: Span, meaning: Meaning): void;
  /** The name at this place is not known. In its stead, what the scope holds could stand here. */
  missed?(span: Span, scope: Scope, expected: Type | undefined): void;
}

export function meaningOf(name: string, binding: Binding): Meaning {
  const { span: declared } = binding;
  switch (binding.kind) {
    case 'variable':
      return { kind: 'local', name, noun: 'alias', type: binding.variable.type, declared };
    case 'input': {
      const { field, type } = binding.input;
      if (field?.name === name) return { kind: 'member', member: field };
      return { kind: 'local', name, noun: 'input', type, declared };
    }
    case 'argument':
      return { kind: 'local', name, noun: 'argument', type: binding.type, declared };
    case 'key':
      return { kind: 'local', name, noun: 'group', type: binding.type, declared };
    case 'iterator':
      return { kind: 'local', name, noun: 'iterator', type: undefined, declared };
  }
}
