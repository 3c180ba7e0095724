import { within } from './patience.ts';
import type { ContainerSpec, Room } from './room.ts';
import type { RoomContainer, RunCommand } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';

const LONGEST_COMMAND = 600_000;

/** Runs a command of an image to its end. `what` begins the sentence where it does not end well. */
export async function mustSucceed(room: Room, spec: ContainerSpec, what: string, signal: AbortSignal): Promise<void> {
  const { code, lines } = await runCommand(room, spec, what, signal);
  if (code !== 0) throw new SmokeFailure(`${what} ended with ${code}.`, lines);
}

/** However it ends. `what` begins the sentence where it does not finish. */
export async function runCommand(
  room: Room,
  spec: ContainerSpec,
  what: string,
  signal: AbortSignal,
): Promise<RunCommand> {
  const { code, container } = await ended(room, spec, what, signal);
  return { code, lines: await container.log() };
}

/** The same, with all that it wrote. */
export async function runWhole(
  room: Room,
  spec: ContainerSpec,
  what: string,
  signal: AbortSignal,
): Promise<RunCommand> {
  const { code, container } = await ended(room, spec, what, signal);
  return { code, lines: await container.wholeLog() };
}

interface Ended {
  readonly code: number;
  readonly container: RoomContainer;
}

async function ended(room: Room, spec: ContainerSpec, what: string, signal: AbortSignal): Promise<Ended> {
  const container = await room.start({ ...spec, isConfined: spec.archives === undefined });
  const late = async () => new SmokeFailure(`${what} does not finish.`, await container.log());
  return { code: await within(LONGEST_COMMAND, late, signal, container.ended()), container };
}
