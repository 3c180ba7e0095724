/**
 * Inputs that become hashes of passwords have a largest length, and those that become the hash of the login a smallest
 * one, too. Both are part of the definition, so that the document, the clients and the server agree on them.
 */
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../definition/contract/text-forms.ts';
import { validatorCode } from '../definition/contract/validators.ts';
import type { Endpoint, Field, Input, Validation, ValueInput } from '../definition/definition.ts';
import { keptFor } from '../definition/kept.ts';

/** The field that holds the hash of the login's password. */
export interface HashField {
  readonly model: string;
  readonly field: Pick<Field, 'name' | 'validate'>;
}

export function withPasswordLimits(endpoints: readonly Endpoint[], hash: HashField | null): readonly Endpoint[] {
  return endpoints.map((endpoint) => limited(endpoint, hash));
}

function limited(endpoint: Endpoint, hash: HashField | null): Endpoint {
  const hashed = hashedIn(endpoint);
  if (hashed.size === 0) return endpoint;
  const passwords = hashedInputs(hash ? assignmentsTo(hash, endpoint) : []);
  const inputs = endpoint.request.inputs.map((input) =>
    mapped(input, (value, path) => {
      if (passwords.has(path)) return passwordInput(value, hash?.field.validate ?? null);
      return hashed.has(path) ? { ...value, maxBytes: LONGEST_PASSWORD } : value;
    }),
  );
  return { ...endpoint, request: { ...endpoint.request, inputs } };
}

/** A `minLength` of the input itself decides, then one of the field, then the usual one. */
export function passwordInput(input: ValueInput, ofField: Validation | null): ValueInput {
  return { ...input, maxBytes: LONGEST_PASSWORD, validate: withShortest(input.validate, ofField) };
}

function withShortest(validate: Validation | null, ofField: Validation | null): Validation {
  if (validate !== null && shortestIn(validate) !== null) return validate;
  const shortest = (ofField && shortestIn(ofField)) ?? AT_LEAST_EIGHT;
  if (validate === null) return shortest;
  return { kind: 'and', parts: [shortest, ...(validate.kind === 'and' ? validate.parts : [validate])] };
}

const AT_LEAST_EIGHT: Validation = {
  kind: 'check',
  code: validatorCode('minLength'),
  validator: 'minLength',
  value: null,
  arguments: [{ kind: 'literal', value: SHORTEST_PASSWORD, type: { kind: 'integer' } }],
};

/** The first `minLength` anywhere in it. */
function shortestIn(validation: Validation): Validation | null {
  switch (validation.kind) {
    case 'check':
      return validation.validator === 'minLength' && validation.value === null ? validation : null;
    case 'not':
      return null;
    default:
      return validation.parts.reduce<Validation | null>((found, part) => found ?? shortestIn(part), null);
  }
}

function mapped(input: Input, change: (value: ValueInput, path: string) => ValueInput): Input {
  if (input.kind === 'value') return change(input, input.name);
  return { ...input, inputs: input.inputs.map((inner) => change(inner, `${input.name}.${inner.name}`)) };
}

// ── What is hashed ──────────────────────────────────────────────────────────────────────────────────────────────────

function assignmentsTo({ model, field }: HashField, { actions }: Endpoint): readonly unknown[] {
  const writes = actions.filter((action) => action.kind === 'create' || action.kind === 'update');
  const values = writes.filter((write) => write.model === model).flatMap((write) => write.values);
  return values.filter((assignment) => assignment.field === field.name);
}

const hashedIn = keptFor(({ actions }: Endpoint): ReadonlySet<string> => hashedInputs(actions));

/** The inputs, with dots, that stand anywhere in an argument of `cryptoHash`. */
function hashedInputs(parts: readonly unknown[]): ReadonlySet<string> {
  const found = new Set<string>();
  findHashed(parts, false, found);
  return found;
}

function findHashed(part: unknown, isInside: boolean, found: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const inner of part) findHashed(inner, isInside, found);
    return;
  }
  const node = part as Readonly<Record<string, unknown>>;
  if (node.kind === 'input' && isInside) {
    found.add((node.path as readonly string[]).join('.'));
    return;
  }
  const inside = isInside || (node.kind === 'call' && node.function === 'cryptoHash');
  for (const key in node) if (key !== 'type') findHashed(node[key], inside, found);
}
