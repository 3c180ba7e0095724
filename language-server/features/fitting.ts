/** Filters words and names that would be an error where they are offered. */

import type { Context } from '../../compiler/check/context.ts';
import { fitsEndpoint } from '../../compiler/check/endpoints.ts';
import { mayBeRead, reportAmbiguous } from '../../compiler/check/paths.ts';
import { bareRow, type Scope } from '../../compiler/check/scope.ts';
import type { EndpointKind, Member } from '../../compiler/program/program.ts';
import type { Expectation } from '../../compiler/syntax/expectation.ts';
import type { FormName, PlaceName } from '../../compiler/syntax/forms.ts';
import { firstPhrases, type ReadForm } from '../../compiler/syntax/shapes.ts';
import type { Candidate } from './built-ins.ts';
import type { BlockAround } from './hole.ts';

export function fitsBlock(form: ReadForm, phrase: string, place: PlaceName, block: BlockAround): boolean {
  return isNotSaidYet(form, phrase, place, block) && fitsPlace(form.name, place, block);
}

/** Places whose forms may all occur any number of times. */
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

/** The forms that may stand there any number of times; the others stand there once. */
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
  'field',
  'record_input',
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
      return form !== 'flag required' && !(OF_INPUTS.test(outerHead) && NOT_OF_INPUTS.has(form));
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

/** The heads of blocks of extra inputs. */
const OF_INPUTS = /\bextra\s+inputs$|\blist\s+\w+$/;

const NOT_OF_INPUTS: ReadonlySet<FormName> = new Set<FormName>([
  'flag unique',
  'flag index',
  'flag internal',
  'flag secret',
  'backfill',
  'was',
  'on_update',
  'accept',
  'file_max',
]);

const BUILT_IN = /\b(list|get|create|update|delete|custom)\s+endpoint(?:\s+as\s+\w+)?$/;
const CUSTOM = /\b(GET|POST|PUT|PATCH|DELETE)\s+(one|many)(\s+"[^"]*")?$/;

interface EndpointHead {
  readonly kind: EndpointKind;
  readonly isList: boolean;
  /** The properties that the head says already. */
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

// ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The known names that are valid where they would stand.

const HERE = { file: '', start: 0, end: 0 };

/** A context that reports nothing, to try what the compiler would report. */
function silently(context: Context): Context {
  return { ...context, report: () => undefined, witness: undefined };
}

/** Whether an expression may read it there: secrets and hooks are not allowed everywhere. */
export function isReadable(context: Context, member: Member, scope: Scope): boolean {
  return mayBeRead(silently(context), member, { text: member.name, span: HERE }, scope);
}

/** Whether the name means one thing there, and not both a member and an alias or an input. */
export function isUnambiguous(context: Context, name: string, scope: Scope): boolean {
  const row = bareRow(scope);
  return !row?.members.has(name) || !reportAmbiguous(silently(context), { text: name, span: HERE }, row, scope);
}

const STEPS_LEAD_TO_FIELD: ReadonlySet<PlaceName> = new Set<PlaceName>(['filterable', 'identify', 'reference_input']);

/** Places in which each name occurs once. */
const NAMED_ONCE: ReadonlySet<PlaceName> = new Set<PlaceName>([
  'selection',
  'filterable',
  'searchable',
  'unique_over',
  'input',
]);

/** Removes names that the block has already, and names that no such block can have. */
export function fittingNames(
  candidates: readonly Candidate[],
  { place, begun, isStep }: Expectation,
  block: BlockAround,
): readonly Candidate[] {
  const form = begun?.form.name;
  const where = begun?.place ?? place;
  const isOnce = !isStep && place !== undefined && NAMED_ONCE.has(place);
  const listed = isOnce ? block.words.filter(isItem).map(({ text }) => text) : [];
  const isSet = form === 'set' ? block.words : where === 'input' ? block.outerWords : [];
  const taken = [...listed, ...setNames(isSet)];
  return candidates
    .filter(({ name }) => !taken.some((each) => isSameField(each, name)))
    .filter(({ member }) => !member || fitsAsMember(member, where, form))
    .map((candidate) => {
      const { name, member } = candidate;
      // A record is a step to a field, if only a field can stand there in the end.
      const isStepToField = member && where && STEPS_LEAD_TO_FIELD.has(where) && leadsToOne(member);
      return isStepToField ? { ...candidate, insert: `${name}.` } : candidate;
    });
}

function isItem({ before }: BlockAround['words'][number]): boolean {
  return before !== ':' && before !== '.' && before !== '...';
}

function setNames(words: BlockAround['words']): readonly string[] {
  return words.filter(({ before }) => before === 'set').map(({ text }) => text);
}

/** A reference and its key are one field. */
function isSameField(one: string, other: string): boolean {
  return one === other || `${one}_id` === other || one === `${other}_id`;
}

function fitsAsMember(member: Member, where: PlaceName | undefined, form: string | undefined): boolean {
  if (form === 'create_action') return member.kind === 'relation' || member.kind === 'reference';
  switch (where) {
    case 'selection':
      return !isSecret(member);
    case 'filterable':
      return !isSecret(member) && (member.kind === 'field' || member.kind === 'computed' || leadsToOne(member));
    case 'searchable':
      return member.kind === 'field' && !isSecret(member);
    case 'identify':
    case 'reference_input':
      return (
        !isSecret(member) && (member.kind === 'field' ? isKey(member) : leadsToOne(member) && isUniqueStep(member))
      );
    case 'input':
      return member.kind !== 'reference';
    default:
      return true;
  }
}

/** Whether the field is unique by itself, or together with others: the compiler knows which. */
function isKey(field: Extract<Member, { kind: 'field' }>): boolean {
  const { unique, model } = field;
  return (
    unique || model.keys.some(({ kind, parts }) => kind === 'unique' && parts.some((part) => part.field === field))
  );
}

function leadsToOne(member: Member): boolean {
  return member.kind === 'reference' || (member.kind === 'relation' && member.through.unique);
}

function isUniqueStep(member: Member): boolean {
  return member.kind === 'reference' ? member.unique : member.kind === 'relation' && member.through.unique;
}

function isSecret(member: Member): boolean {
  return member.kind === 'field' && member.secret;
}
