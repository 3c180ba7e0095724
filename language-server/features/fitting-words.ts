/**
 * Which of the words that the grammar allows are right where they would stand: a property is said once, and some are of
 * certain endpoints, inputs or generators only. The compiler has the last word; this is what can be known from the block.
 */
import { fitsEndpoint } from '../../compiler/check/endpoints.ts';
import type { EndpointKind } from '../../compiler/program/program.ts';
import type { FormName, PlaceName } from '../../compiler/syntax/forms.ts';
import { firstPhrases, type ReadForm } from '../../compiler/syntax/shapes.ts';
import type { BlockAround } from './block-around.ts';

export function fitsBlock(form: ReadForm, phrase: string, place: PlaceName, block: BlockAround): boolean {
  return isNotSaidYet(form, phrase, place, block) && fitsPlace(form.name, place, block);
}

/** Places whose forms may all stand there any number of times. */
const OF_MANY: ReadonlySet<PlaceName> = new Set<PlaceName>([
  'file',
  'model',
  'enum',
  'api',
  'action',
  'selection',
  'populator',
  'extra_inputs',
  'order_by',
  'unique_over',
  'result',
]);

/** The others stand there once. */
const MANY: ReadonlySet<FormName> = new Set<FormName>([
  'set',
  'input',
  'reference_input',
  'arg',
  'validator_arg',
  'populate',
  'entrypoint',
  'custom_endpoint',
  'http_header',
  'list_field',
  'input_field',
]);

function isNotSaidYet(form: ReadForm, phrase: string, place: PlaceName, { words }: BlockAround): boolean {
  if (OF_MANY.has(place) || MANY.has(form.name)) return true;
  // An endpoint is known by its first word; a rule that is a choice of words is said once, whatever the word.
  if (form.name === 'endpoint') return !words.some(({ text, after }) => text === phrase && after === 'endpoint');
  const phrases = form.name.startsWith('cardinality ') ? ['first', 'one', 'count'] : firstPhrases(form.shapes);
  return !phrases.some((each) => {
    const [first = '', second] = each.split(' ');
    return words.some(({ text, after }) => text === first && (second === undefined || after === second));
  });
}

function fitsPlace(form: FormName, place: PlaceName, { words, head, outerHead }: BlockAround): boolean {
  switch (place) {
    case 'field':
      return form !== 'flag required' && !(/\bextra\s+inputs$/.test(outerHead) && NOT_OF_INPUTS.has(form));
    case 'reference':
      return form !== 'flag required' && form !== 'flag secret' && form !== 'flag index';
    case 'validator_arg':
      return form === 'type' || form === 'flag nullable';
    case 'input_field':
      return form === 'flag required' || form === 'default';
    case 'endpoint': {
      const endpoint = endpointOf(head, words);
      return !endpoint || (fitsEndpoint(form, endpoint.kind, endpoint.isList) && !endpoint.says.includes(form));
    }
    case 'generator':
      return /\bapidocs$/.test(head) === (form === 'base_path');
    case 'hook':
      return (
        !(form === 'inline' || form === 'source') || !words.some(({ text }) => text === 'inline' || text === 'source')
      );
    default:
      return true;
  }
}

const NOT_OF_INPUTS: ReadonlySet<FormName> = new Set<FormName>([
  'flag unique',
  'flag index',
  'flag internal',
  'flag secret',
  'backfill',
  'was',
  'on_update',
]);

const BUILT_IN = /\b(list|get|create|update|delete|custom)\s+endpoint(?:\s+as\s+\w+)?$/;
const CUSTOM = /\b(GET|POST|PUT|PATCH|DELETE)\s+(one|many)(\s+"[^"]*")?$/;

interface EndpointHead {
  readonly kind: EndpointKind;
  readonly isList: boolean;
  /** What the head says already. */
  readonly says: readonly FormName[];
}

function endpointOf(head: string, words: BlockAround['words']): EndpointHead | undefined {
  const builtIn = BUILT_IN.exec(head)?.[1] as EndpointKind | undefined;
  if (builtIn) return { kind: builtIn, isList: builtIn === 'list', says: [] };
  const [, method, cardinality, path] = CUSTOM.exec(head) ?? [];
  if (method === undefined) return undefined;
  const isList = method === 'GET' && cardinality === 'many' && !words.some(({ text }) => text === 'action');
  const says: readonly FormName[] = [
    'method',
    'endpoint_cardinality_property',
    ...(path ? (['segment'] as const) : []),
  ];
  return { kind: 'custom', isList, says };
}
