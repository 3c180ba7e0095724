import type { Endpoint, Field, Input, Program } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { assignmentsOf, sentFields } from './assignments.ts';
import type { Context } from './context.ts';

/**
 * A unique value that is taken has to be refused, and so whoever may send one can find out which values others have.
 * Of a secret nobody may.
 */
export function reportSecretUniques(context: Context, { endpoints, auth }: Program, authSpan: Span | undefined): void {
  for (const endpoint of endpoints) if (storesSecret(endpoint)) reportIn(context, sentFields(endpoint), endpoint.span);
  if (!auth?.password || !authSpan) return;
  // What is stored of a password is a hash with a salt of its own. A login that is secret is reported as such.
  const { registerInputs = [], hash, login } = auth.password;
  const others = registerInputs.filter(({ field }) => field !== hash && field !== login);
  reportIn(context, others, authSpan);
}

/** Few endpoints do, so what clients send is looked for only in those. */
function storesSecret({ actions }: Endpoint): boolean {
  return actions.some((action) => assignmentsOf(action).some(({ field }) => field.secret));
}

function reportIn(context: Context, sent: readonly Pick<Input, 'field'>[], span: Span): void {
  for (const field of new Set(sent.flatMap(secretOf))) {
    const key = keyOf(field);
    if (key) context.report('secret-unique', span, { field: `${field.model.name}.${field.name}`, ...key });
  }
}

function secretOf({ field }: Pick<Input, 'field'>): readonly Field[] {
  return field?.secret ? [field] : [];
}

/** What makes it unique, alone or together with others. */
function keyOf(field: Field): { readonly others: readonly string[]; readonly declared: Span } | undefined {
  if (field.unique) return { others: [], declared: field.span };
  const key = field.model.keys.find(
    ({ kind, parts }) => kind === 'unique' && parts.some((part) => part.field === field),
  );
  const others = key?.parts.filter((part) => part.field !== field).map((part) => part.field.name);
  return key && { others: others ?? [], declared: key.span };
}
