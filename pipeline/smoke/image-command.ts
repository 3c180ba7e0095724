import { within } from './patience.ts';
import type { ContainerSpec, Room } from './room.ts';
import { SmokeFailure } from './smoke-failure.ts';

const LONGEST_COMMAND = 600_000;

/** Runs a command of an image to its end. `what` begins the sentence where it does not end well. */
export async function mustSucceed(room: Room, spec: ContainerSpec, what: string, signal: AbortSignal): Promise<void> {
  const container = await room.start({ ...spec, isConfined: spec.archive === undefined });
  const failed = async (how: string) => new SmokeFailure(`${what} ${how}.`, await container.log());
  const code = await within(LONGEST_COMMAND, () => failed('does not come to an end'), signal, container.ended());
  if (code !== 0) throw await failed(`ended with ${code}`);
}
