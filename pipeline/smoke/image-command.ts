/** Commands of an image, run in one container: starting one for each would take longer than most of them. */
import { within } from './patience.ts';
import { lastLines, type RoomContainer, type RunCommand } from './room-container.ts';
import { SmokeFailure } from './smoke-failure.ts';

const LONGEST_COMMAND = 600_000;

export interface ImageCommand {
  readonly words: readonly string[];
  readonly databaseUrl: string;
  /** Begins the sentence where it does not end well, or not at all. */
  readonly what: string;
}

/** However a command ends, with all that it wrote. */
export type RunImageCommand = (command: ImageCommand) => Promise<RunCommand>;

export class ImageCommands {
  readonly #starting: Promise<RoomContainer>;
  readonly #signal: AbortSignal;
  readonly #longest: number;

  constructor(starting: Promise<RoomContainer>, signal: AbortSignal, longest = LONGEST_COMMAND) {
    this.#starting = starting;
    this.#signal = signal;
    this.#longest = longest;
    // Whoever runs a command hears of it.
    this.#starting.catch(() => undefined);
  }

  async run({ words, databaseUrl, what }: ImageCommand): Promise<RunCommand> {
    const container = await this.#starting;
    const written: Buffer[] = [];
    const late = () => new SmokeFailure(`${what} does not finish.`, lastLines(container.wholeLines(written)));
    const running = container.run(words, this.#signal, { DATABASE_URL: databaseUrl }, written);
    return within(this.#longest, late, this.#signal, running);
  }
}

export function mustHaveSucceeded(what: string, { code, lines }: RunCommand): void {
  if (code !== 0) throw new SmokeFailure(`${what} ended with ${code}.`, lastLines(lines));
}
