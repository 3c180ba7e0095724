/** Files: what a field of type `file` says, and which of them have an address. */
import type * as ast from '../ast/ast.ts';
import type { FileRules } from '../definition/definition.ts';
import { USUAL_MAX } from '../definition/files.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { getOfFile, ownFile } from '../program/files.ts';
import type { Expression, Field, Input, Program, Selected, Type } from '../program/program.ts';
import { scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';

/** What a place expects that takes a file as it is: the other side of a null, a selection, or an argument of a hook. */
const ANY_FILE: Type = scalar('file');

/** The type to expect where a file may be read by its name. */
export function orFile(written: ast.Expression): Type | undefined {
  const { kind } = written;
  return kind === 'path' || kind === 'auth' || kind === 'input' ? ANY_FILE : undefined;
}

export function isMisplacedFile({ type }: Expression, expected: Type | undefined): boolean {
  return type.base.kind === 'file' && expected !== ANY_FILE;
}

/** What a file may have. A `required` or a `normalise` is reported for every field that may not have it. */
const PROPERTIES: ReadonlySet<string> = new Set(
  'type nullable internal secret accept max was required normalise'.split(' '),
);

type Report = Pick<Diagnostics, 'report'>;

/** What the field takes; undefined if it is no file. */
export function checkFileField(
  names: Report,
  field: string,
  { accept, max }: ast.FieldDeclaration,
  properties: readonly (readonly [string, Span])[],
  type: Type,
): FileRules | undefined {
  const isFile = type.base.kind === 'file';
  for (const [property, span] of properties) {
    const ofFiles = property === 'accept' || property === 'max';
    if (isFile && !PROPERTIES.has(property)) names.report('file-property', span, { field, property });
    if (!isFile && ofFiles && type.base.kind !== 'any')
      names.report('only-of-files', span, { field, property, type: typeName(type) });
  }
  if (!isFile) return undefined;
  if (accept?.types.length === 0) names.report('bad-file-rule', accept.span, { property: 'accept', text: undefined });
  const types = accept?.types.map(({ value, span }) => {
    if (!MEDIA_TYPE.test(value)) names.report('bad-file-rule', span, { property: 'accept', text: value });
    return value;
  });
  return { ...(types && { accept: [...new Set(types)].sort() }), max: max ? bytesOf(names, max) : USUAL_MAX };
}

const MEDIA_TYPE = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/;

const UNITS: Readonly<Record<string, number>> = { kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };
/** S3 takes no more in one request. */
const MOST_BYTES = 5 * 2 ** 30;

function bytesOf({ report }: Report, { value, span }: ast.Text): number {
  const [, digits, unit = ''] = /^(\d{1,9}) ?(kb|mb|gb)$/i.exec(value) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? 0);
  if (bytes >= 1 && bytes <= MOST_BYTES) return bytes;
  return report('bad-file-rule', span, { property: 'max', text: value }) ?? USUAL_MAX;
}

/** Each file in a response has an address below a `get endpoint` that shows it. */
export function reportFilesWithoutGet({ report }: Context, { endpoints, webhooks, models }: Program): void {
  if (!models.some(({ fields }) => fields.some(({ file }) => file))) return;
  const responses = endpoints.flatMap(({ response = [], actions, entrypoint }) => [
    ...response.filter((selected) => {
      const file = ownFile(selected);
      return !file || !getOfFile(file, endpoints, null, entrypoint);
    }),
    ...actions.flatMap((action) =>
      action.kind === 'query' && action.does.kind === 'select' ? action.does.select : [],
    ),
  ]);
  const all = [...responses, ...webhooks.flatMap(({ select }) => select)];
  for (const [field, span] of filesIn(all)) {
    if (getOfFile(field, endpoints)) continue;
    report('file-without-get', span, { field: `${field.model.name}.${field.name}`, model: field.model.name });
  }
}

/** A file is uploaded before it is sent, by a caller whom the rules of an endpoint let in. */
export function reportFilesNotSent({ report }: Context, { endpoints, auth }: Program): void {
  const check = (inputs: readonly Input[], by: 'registration' | 'signed') => {
    for (const { field, span } of inputs)
      if (field?.file) report('file-not-sent', span ?? field.span, { field: `${field.model.name}.${field.name}`, by });
  };
  check(auth?.password?.registerInputs ?? [], 'registration');
  for (const { inputs } of endpoints.filter(({ signed }) => signed)) check(inputs, 'signed');
}

function filesIn(selection: readonly Selected[]): ReadonlyMap<Field, Span> {
  const found = new Map<Field, Span>();
  const visit = (selected: Selected): void => {
    if (selected.kind === 'records') selected.select.forEach(visit);
    const last = selected.kind === 'value' && selected.value.kind === 'path' ? selected.value.steps.at(-1) : undefined;
    if (selected.kind === 'value' && last?.kind === 'field' && last.file && !found.has(last))
      found.set(last, selected.value.span);
  };
  selection.forEach(visit);
  return found;
}
