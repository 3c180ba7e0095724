/** Which of the known names are right where they would stand. */
import type { Context } from '../../compiler/check/context.ts';
import { mayBeRead, reportAmbiguous } from '../../compiler/check/paths.ts';
import { bareRow, type Scope } from '../../compiler/check/scope.ts';
import type { Member } from '../../compiler/program/program.ts';
import type { Expectation } from '../../compiler/syntax/expectation.ts';
import type { PlaceName } from '../../compiler/syntax/forms.ts';
import type { BlockAround } from './block-around.ts';
import type { Candidate } from './built-in-candidates.ts';

const HERE = { file: '', start: 0, end: 0 };

/** What the compiler would say of a use; nobody is told. */
function silently(context: Context): Context {
  return { ...context, report: () => undefined, witness: undefined };
}

/** Whether an expression may read it there: secrets and hooks are not for everywhere. */
export function isReadable(context: Context, member: Member, scope: Scope): boolean {
  return mayBeRead(silently(context), member, { text: member.name, span: HERE }, scope);
}

/** Whether the name means one thing there, and not both a member and an alias or an input. */
export function isUnambiguous(context: Context, name: string, scope: Scope): boolean {
  const row = bareRow(scope);
  return !row?.members.has(name) || !reportAmbiguous(silently(context), { text: name, span: HERE }, row, scope);
}

/** Places in which each name stands once. */
const NAMED_ONCE: ReadonlySet<PlaceName> = new Set<PlaceName>(['selection', 'filterable', 'unique_over', 'input']);

/** Leaves out what the block has already, and what no such block can have. */
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
    .map((candidate) => (where && isWay(candidate.member, where) ? asWay(candidate) : candidate));
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
    case 'filterable':
      return !isSecret(member) && (where === 'selection' || member.kind === 'field' || leadsToOne(member));
    case 'identify':
    case 'reference_input':
      return !isSecret(member) && (member.kind === 'field' ? isKey(member) : leadsToOne(member) && isUniqueWay(member));
    case 'input':
      return member.kind !== 'reference';
    default:
      return true;
  }
}

/** Unique by itself, or together with others: which of them, the compiler knows. */
function isKey(field: Extract<Member, { kind: 'field' }>): boolean {
  const { unique, model } = field;
  return (
    unique || model.keys.some(({ kind, parts }) => kind === 'unique' && parts.some((part) => part.field === field))
  );
}

function leadsToOne(member: Member): boolean {
  return member.kind === 'reference' || (member.kind === 'relation' && member.through.unique);
}

function isUniqueWay(member: Member): boolean {
  return member.kind === 'reference' ? member.unique : member.kind === 'relation' && member.through.unique;
}

function isSecret(member: Member): boolean {
  return member.kind === 'field' && member.secret;
}

/** Where only a field can stand in the end, a record is a step to one. */
function isWay(member: Member | undefined, where: PlaceName): boolean {
  return member !== undefined && leadsToOne(member) && WAYS.has(where);
}

const WAYS: ReadonlySet<PlaceName> = new Set<PlaceName>(['filterable', 'identify', 'reference_input']);

function asWay(candidate: Candidate): Candidate {
  return { ...candidate, insert: `${candidate.name}.` };
}
