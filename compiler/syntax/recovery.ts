/** How reading goes on behind a mistake. What stands between is part of the mistake, which has been reported. */
import type { PlaceName } from './forms.ts';
import type { MemberFrame, Reading } from './reading.ts';
import type { Token } from './tokens.ts';

/** What is to be done about something that begins no member. */
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
