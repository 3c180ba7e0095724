/**
 * Commands of an image, run in one container that does nothing by itself. It starts while the test still waits for
 * Postgres; a container for each command would take longer than most of them.
 */
import { within } from './patience.ts';
import type { ContainerSpec, Room } from './room.ts';
import { lastLines, type RoomContainer, type RunCommand } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';

const LONGEST_COMMAND = 600_000;

export interface ImageCommand {
  readonly words: readonly string[];
  readonly databaseUrl: string;
  /** Begins the sentence where it does not end well, or not at all. */
  readonly what: string;
}

export class ImageCommands {
  readonly #starting: Promise<RoomContainer>;
  readonly #signal: AbortSignal;
  readonly #longest: number;

  /** Archives are unpacked in the container, so one with them cannot be confined. */
  constructor(
    room: Pick<Room, 'start'>,
    image: Pick<ContainerSpec, 'image' | 'archives'>,
    signal: AbortSignal,
    longest = LONGEST_COMMAND,
  ) {
    const isConfined = image.archives === undefined;
    this.#starting = room.start({ ...image, command: null, environment: {}, isConfined });
    this.#signal = signal;
    this.#longest = longest;
    // Whoever runs a command hears of it.
    this.#starting.catch(() => undefined);
  }

  async mustSucceed(command: ImageCommand): Promise<void> {
    const { code, lines } = await this.run(command);
    if (code !== 0) throw new SmokeFailure(`${command.what} ended with ${code}.`, lastLines(lines));
  }

  /** However it ends, with all that it wrote. */
  async run({ words, databaseUrl, what }: ImageCommand): Promise<RunCommand> {
    const container = await this.#starting;
    const written: Buffer[] = [];
    const late = () => new SmokeFailure(`${what} does not finish.`, lastLines(container.wholeLines(written)));
    const running = container.run(words, this.#signal, { DATABASE_URL: databaseUrl }, written);
    return within(this.#longest, late, this.#signal, running);
  }
}
