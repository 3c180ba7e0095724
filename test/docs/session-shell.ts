/**
 * One shell for a whole document, so that folders and variables carry over from block to block. A command that goes on
 * running has a group of processes of its own, and its screen is a file.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, WaitedInVain } from '../support/until.ts';

interface Screen {
  readonly text: string;
  readonly code: number;
}

/** Where the tests are killed the shell comes to the end of its input, and clears up. */
const WHEN_LEFT_ALONE = `'[ -z "$RUNNING" ] || kill -INT -- "-$RUNNING"; wait; rm -rf "$ROOM"'`;

const MARK = '--- ended with';
/** Ends what hangs, and nothing else: a push that is tested takes a minute where other tests keep the processors busy. */
const LONGEST = 240_000;

export class Shell {
  readonly #folder: string;
  readonly #bash: ChildProcess;
  #heard = '';
  #running: number | undefined;
  #log = '';
  #read = 0;
  #commands = 0;

  /** What it needs for itself is kept in `folder`. */
  constructor(folder: string, start: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    const options: SpawnOptions = { cwd: start, env: environment, stdio: ['pipe', 'pipe', 'ignore'], detached: true };
    this.#bash = spawn('bash', ['--norc', '--noprofile'], options);
    this.#write(`trap ${WHEN_LEFT_ALONE} EXIT`, `ROOM='${folder}'`);
    this.#bash.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text;
    });
  }

  async run(command: string): Promise<Screen> {
    this.#heard = '';
    this.#write(`. ${this.#script(command)} < /dev/null 2>&1`, `printf '\\n${MARK} %s\\n' $?`);
    const ended = new RegExp(`\\n${MARK} (\\d+)\\n$`);
    const otherwise = () => `\`${command}\` has not ended; so far:\n${this.#heard}`;
    await until(() => ended.test(this.#heard), { limit: LONGEST, otherwise });
    const [end, code] = ended.exec(this.#heard) ?? [''];
    return { text: this.#heard.slice(0, -end.length), code: Number(code) };
  }

  /** Starts a command that goes on, in place of the one that may run. */
  async start(command: string): Promise<void> {
    await this.stop();
    this.#log = join(this.#folder, `log-${this.#commands}`);
    this.#read = 0;
    writeFileSync(this.#log, '');
    const line = `. ${this.#script(command)} < /dev/null > ${this.#log} 2>&1 & RUNNING=$!; echo $!`;
    const { text } = await this.run(`set -m; ${line}; set +m`);
    this.#running = Number(text.trim());
  }

  /** What the running command has said since it was last asked, once that is enough. */
  async heardUntil(isEnough: (text: string) => boolean, patience: number): Promise<string> {
    const unread = (): string => readFileSync(this.#log, 'utf8').slice(this.#read);
    await until(() => isEnough(unread()), { limit: patience }).catch((error: unknown) => {
      if (!(error instanceof WaitedInVain)) throw error;
    });
    const heard = unread();
    this.#read += heard.length;
    return heard;
  }

  async stop(): Promise<void> {
    const group = this.#running;
    this.#running = undefined;
    if (group === undefined) return;
    signal(group, 'SIGINT');
    const otherwise = () => 'what runs does not stop';
    await until(() => !signal(group, 0), { limit: LONGEST, otherwise }).catch((error: unknown) => {
      signal(group, 'SIGKILL');
      throw error;
    });
  }

  async end(): Promise<void> {
    await this.stop();
    if (this.#bash.pid !== undefined) signal(this.#bash.pid, 'SIGKILL');
  }

  #script(command: string): string {
    this.#commands += 1;
    const file = join(this.#folder, `command-${this.#commands}`);
    writeFileSync(file, `${command}\n`);
    return file;
  }

  #write(...lines: readonly string[]): void {
    this.#bash.stdin?.write(`${lines.join('\n')}\n`);
  }
}

/** Whether there was anybody to hear it. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, name);
    return true;
  } catch {
    return false;
  }
}
