/** Reports text that begins no member of its place, and decides how reading continues behind it. */

import type { Advice } from '../diagnostics/catalogue/syntax.ts';
import { type NearName, nearWord } from '../diagnostics/words/near-name.ts';
import {
  blockToReopen,
  dropsBrace,
  leavesBeforeBrace,
  leavesForOwner,
  needlessBracket,
  needlessSign,
} from './brace-mistakes.ts';
import { type Place, type PlaceName, places, whatFits } from './forms.ts';
import { reportForeign } from './operators.ts';
import type { MemberFrame, Reading } from './reading.ts';
import { firstPhrases, firstWords, formsOf, placesOf, type ReadForm, wordsFor } from './shapes.ts';
import { isSign, type Token } from './tokens.ts';
import { reportAfterValue, reportedGlued } from './value-mistakes.ts';

/** The remedy for text that begins no member. */
export type Remedy =
  | { readonly kind: 'go-on' | 'pass-over' }
  /** The block was closed too early. */
  | { readonly kind: 'reopen'; readonly frame: MemberFrame }
  /** It fits in one of these places, so more of that kind may follow. */
  | { readonly kind: 'read-as'; readonly places: readonly PlaceName[] };

export function passOver(reading: Reading, place: PlaceName): void {
  const first = reading.token;
  reading.skip();
  goToNextMember(reading, place, first);
}

/** `first` is where the member began that could not be read. */
export function goToNextMember(reading: Reading, place: PlaceName, first: Token): void {
  while (!reading.isLeaving && !endsMember(reading, place, first)) reading.skip();
}

function endsMember(reading: Reading, place: PlaceName, first: Token): boolean {
  const { token } = reading;
  if (reading.isAtEnd() || reading.isAt('}') || (place !== 'file' && reading.isAt(','))) return true;
  if (token.kind === 'word' && reading.fitsForm(place)) return true;
  return token.startsLine && token.line > first.line && token.indent <= first.indent;
}

// ── What begins no member ────────────────────────────────────────────────────────────────────────────────────────────

export function misfit(reading: Reading, place: PlaceName): Remedy {
  if (reading.isQuiet()) return { kind: 'pass-over' };
  if (reading.isAt(';') || reading.isAt(',')) needlessSign(reading);
  else if (reading.isAt(')') || reading.isAt(']')) needlessBracket(reading);
  else return misplacedBrace(reading) ?? unfittingText(reading, place);
  return { kind: 'go-on' };
}

function misplacedBrace(reading: Reading): Remedy | undefined {
  const frame = blockToReopen(reading);
  if (frame) return { kind: 'reopen', frame };
  const isMended = leavesForOwner(reading) || leavesBeforeBrace(reading) || dropsBrace(reading);
  return isMended ? { kind: 'go-on' } : undefined;
}

function unfittingText(reading: Reading, place: PlaceName): Remedy {
  const isReported = reportedGlued(reading);
  if (!isReported && reading.token.kind === 'word') return unknownWord(reading, place, reading.token.text);
  if (!isReported && reading.isAt('?')) return needlessQuestion(reading);
  if (!isReported) reportUnfitting(reading, place);
  return { kind: 'pass-over' };
}

/** Reports a needless `?`. The text that other languages write behind it is part of the same mistake. */
function needlessQuestion(reading: Reading): Remedy {
  needlessSign(reading);
  reading.quietAt = reading.at;
  return { kind: 'go-on' };
}

function reportUnfitting(reading: Reading, place: PlaceName): void {
  const before = reading.tokenAt(reading.at - 1);
  if (place === 'selection' && reading.isAt('=')) reportForeign(reading, ':');
  else if (reading.at > 0 && reading.beginsValue() && endsValue(before)) reportAfterValue(reading, false);
  else reading.reportUnexpected(`into ${places[place].noun}`, onlyFormOf(place));
}

function endsValue(token: Token): boolean {
  return token.kind !== 'sign' || isSign(token, ')') || isSign(token, ']');
}

/** The form that shows what belongs in a place which holds little else. */
function onlyFormOf(place: PlaceName): { form?: ReadForm } {
  const [form, ...others] = formsOf(place);
  return form && others.length < 2 ? { form } : {};
}

// ── Unknown words ────────────────────────────────────────────────────────────────────────────────────────────────────

// Words that do not fit at their place, and their intended meaning.

function unknownWord(reading: Reading, place: PlaceName, word: string): Remedy {
  const synonym = fittingSynonym(reading, place, word);
  const elsewhere = synonym ? [] : placesOf(word).filter((name) => reading.fitsForm(name));
  const isMisplaced = elsewhere.length > 0;
  const meant = synonym ?? (isMisplaced ? undefined : misspeltBeginning(reading, place));
  if (meant) reportUnknown(reading, place, { near: meant });
  else if (isMisplaced) reportUnknown(reading, place, { elsewhere, advice: saidElsewhere(place, word) });
  else reportUnknown(reading, place, bareModel(reading, place) ?? similarWord(reading, place, word));
  if (isMisplaced) return { kind: 'read-as', places: elsewhere };
  if (!meant) return { kind: 'pass-over' };
  reading.readAs.set(reading.at, meant.name);
  return { kind: 'go-on' };
}

/** Whether a member of the place around begins here, maybe by a word of other languages or without its braces. */
export function beginsMemberAround(reading: Reading, place: PlaceName, around: PlaceName): boolean {
  const { at, token } = reading;
  const next = reading.tokenAt(at + 1);
  const isKeyword = wordsFor(around).includes(token.text) && !wordsFor(place).includes(token.text);
  const hasMore = next.kind !== 'sign' && next.kind !== 'end' && next.text !== 'asc' && next.text !== 'desc';
  if (isKeyword && hasMore && !next.startsLine) return true;
  return reading.fitsForm(around) || fittingSynonym(reading, around, token.text) !== undefined;
}

/** The word of Kiln for a word of other languages, if the text behind it then makes sense. */
function fittingSynonym(reading: Reading, place: PlaceName, word: string): NearName | undefined {
  const synonym = reading.readAs.has(reading.at) ? undefined : synonymOf(place, word);
  return synonym && fitsReadAs(reading, synonym.name, () => reading.fitsForm(place)) ? synonym : undefined;
}

function synonymOf(place: PlaceName, word: string): NearName | undefined {
  const form = formAlsoCalled(place, word);
  const [name] = form ? firstWords(form.shapes) : [];
  return name === undefined ? undefined : { name };
}

function formAlsoCalled(place: PlaceName, word: string): ReadForm | undefined {
  return formsOf(place).find((candidate) => candidate.alsoCalled?.includes(word));
}

function misspeltBeginning(reading: Reading, place: PlaceName): NearName | undefined {
  return misspeltWord(reading, wordsFor(place), () => matchesMore(reading, place));
}

/** Whether a member begins here in which more than the first word is correct. */
function matchesMore(reading: Reading, place: PlaceName): boolean {
  const { at } = reading;
  const form = reading.formAt(place);
  return form !== undefined && (reading.reach(form.shapes, at).at > at + 1 || reading.fits(form.shapes));
}

/** The word that was meant, and other facts about it. */
interface Meaning {
  readonly near?: NearName | undefined;
  readonly elsewhere?: readonly PlaceName[];
  readonly advice?: Advice | undefined;
}

/** The similar word, with all words if several of them begin a form: `order by` for `orderBy`. */
function similarWord(reading: Reading, place: PlaceName, word: string): Meaning {
  const form = formAlsoCalled(place, word);
  const [phrase] = form ? firstPhrases(form.shapes) : [];
  if (phrase === undefined) return { near: nearWord(word, wordsFor(place)) };
  const next = reading.at + 1;
  const last = reading.isAt(':', next) && reading.touches(next) ? reading.tokenAt(next) : reading.token;
  const label = `did you mean \`${phrase}\`?`;
  const edits = [{ span: reading.spanOf(reading.token, last), text: phrase }];
  return { near: { name: phrase }, advice: { label, edits } };
}

/** `reference tag { Tag }`: a model without the word that says what it is there for. */
function bareModel(reading: Reading, place: PlaceName): Meaning | undefined {
  const { text } = reading.token;
  const isAlone = /^[A-Z]/.test(text) && reading.mayFollow(reading.at + 1);
  if (!isAlone || (place !== 'reference' && place !== 'relation')) return undefined;
  const instead = `${place === 'reference' ? 'to' : 'from'} ${text}`;
  const next = reading.at + (reading.isAt(',', reading.at + 1) ? 2 : 1);
  if (place === 'relation' && reading.wordAt(next) !== 'through')
    return { advice: { label: `write \`${instead}, through …\`` } };
  const edits = [{ span: reading.spanOf(reading.token), text: instead }];
  return { advice: { label: `write \`${instead}\``, edits } };
}

function saidElsewhere(name: PlaceName, word: string): Advice | undefined {
  const place: Place = places[name];
  const label = place.saidElsewhere?.[word];
  return label === undefined ? undefined : { label };
}

function reportUnknown(reading: Reading, place: PlaceName, { near, elsewhere = [], advice }: Meaning): void {
  const word = reading.textFrom(reading.token);
  const nouns = [...new Set(elsewhere.map((name) => places[name].noun))].slice(0, 3);
  const isMisspelt = near !== undefined && nearWord(word, [near.name]) !== undefined;
  const form = near && !isMisspelt ? formsOf(place).find((one) => beginnings(one).includes(near.name)) : undefined;
  const fitting = near || advice || nouns.length > 0 ? [] : wordsFor(place);
  const facts = { word, holds: whatFits(place), near, elsewhere: nouns };
  reading.report('unknown-word', { ...facts, fitting, form, advice });
}

function beginnings({ shapes }: ReadForm): readonly string[] {
  return [...firstWords(shapes), ...firstPhrases(shapes)];
}

/** The word that was most likely meant, if more than the word itself then fits. */
export function misspeltWord(reading: Reading, words: readonly string[], fits: () => boolean): NearName | undefined {
  const word = reading.wordAt(reading.at);
  const near = word && !reading.readAs.has(reading.at) ? nearWord(word, words) : undefined;
  return near && fitsReadAs(reading, near.name, fits) ? near : undefined;
}

/** Whether it would fit with another word here. */
function fitsReadAs(reading: Reading, word: string, fits: () => boolean): boolean {
  reading.readAs.set(reading.at, word);
  const would = fits();
  reading.readAs.delete(reading.at);
  return would;
}
