/** The search over everything that the document says. The index is made once; a search reads it from top to bottom. */
import { memoized } from '../../compiler/definition/memo.ts';
import type { OpenApiDocument, Schema } from '../../compiler/emit/openapi/document.ts';
import { type Api, type ApiOperation, responseIn } from '../state/operations.ts';
import { resolved } from '../state/schema.ts';

export interface Found {
  readonly operation: ApiOperation;
  /** The text with the words, if it is not in sight: a field, an error. */
  readonly because: string | null;
}

interface Entry {
  readonly operation: ApiOperation;
  /** The path, method, name and summary, in small letters. */
  readonly head: string;
  /** The descriptions, parameters, fields and errors, in small letters, one on each line. */
  readonly rest: string;
}

/** Finds the operations with each word of the phrase. Those with more of them in the head come first. */
export function search(api: Api, phrase: string): readonly Found[] {
  const words = wordsOf(phrase);
  if (words.length === 0) return [];
  const patterns = new Map(words.map((word) => [word, beginning(word)]));
  const found = indexOf(api).flatMap(({ operation, head, rest }) => {
    const missing = words.filter((word) => !head.includes(word));
    if (!missing.every((word) => patterns.get(word)?.test(rest))) return [];
    const because = lineWith(rest, patterns.get(missing[0] ?? ''));
    return [{ operation, because, missing: missing.length }];
  });
  return found.toSorted((one, other) => one.missing - other.missing);
}

function wordsOf(phrase: string): readonly string[] {
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** A pattern for the beginning of a word in long texts: `at` is no part of `update`. */
function beginning(word: string): RegExp {
  return new RegExp(`(?<![a-z0-9])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}

function lineWith(text: string, pattern: RegExp | undefined): string | null {
  return text.split('\n').find((line) => pattern?.test(line)) ?? null;
}

const indexOf = memoized((api: Api): readonly Entry[] => {
  const schemaTexts = new Map<string, string>();
  return [...api.byId.values()].map((operation) => {
    const { method, path, id, tag, operation: described } = operation;
    const content = Object.values(described.requestBody?.content ?? {});
    const rest = [
      described.description ?? '',
      ...(described.parameters ?? []).map(({ name, description = '' }) => `${name} ${description}`),
      ...content.map(({ schema }) => schemaText(schema, api.document, schemaTexts)),
      ...Object.entries(described.responses).map(
        ([status, response]) => `${status} ${responseText(response, api.document, schemaTexts)}`,
      ),
    ];
    return {
      operation,
      head: `${tag} ${method} ${path} ${id} ${described.summary}`.toLowerCase(),
      rest: rest.join('\n').toLowerCase(),
    };
  });
});

/** The text of a response. Problems have a code; the fields that they all share are left out. */
function responseText(
  given: ApiOperation['operation']['responses'][string],
  document: OpenApiDocument,
  schemaTexts: Map<string, string>,
): string {
  const response = responseIn(document, given);
  if (response === null) return '';
  const problem = response.content?.['application/problem+json']?.example as { readonly code?: string } | undefined;
  const schema = response.content?.['application/json']?.schema;
  return [
    `${problem?.code ?? ''} ${response.description}`,
    ...(schema ? [schemaText(schema, document, schemaTexts)] : []),
  ].join('\n');
}

/** The names of fields with their descriptions, those of objects inside too. */
function schemaText(schema: Schema, document: OpenApiDocument, known: Map<string, string>): string {
  const { $ref } = schema;
  const found = known.get($ref ?? '');
  if (found !== undefined) return found;
  // While it is being written, a schema that contains itself finds nothing.
  if ($ref) known.set($ref, '');
  const { properties = {}, items, enum: values = [] } = resolved(schema, document);
  const parts = [
    ...Object.entries(properties).flatMap(([name, each]) => [
      `${name} ${each.description ?? ''}`,
      schemaText(each, document, known),
    ]),
    items ? schemaText(items, document, known) : '',
    values.join(' '),
  ];
  const text = parts.filter((part) => part !== '').join('\n');
  if ($ref) known.set($ref, text);
  return text;
}
