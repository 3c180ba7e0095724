/** Does what a block of a document says, and compares what the screen shows with what the document shows. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConsoleBlock, type FileBlock, type SessionBlock, STOP, type Step } from './session-blocks.ts';
import { changed } from './session-change.ts';
import { beginsWith, shows } from './session-match.ts';
import type { Sandbox } from './session-sandbox.ts';

/** A screen that is not the one in the document. */
export interface Difference {
  readonly step: Step;
  readonly screen: readonly string[];
}

/** How long a running command is given to say what is shown; less where nothing is yet. */
const PATIENCE = 40_000;
const DRAFT = 8_000;

export async function differencesIn(block: SessionBlock, sandbox: Sandbox): Promise<readonly Difference[]> {
  if (block.kind !== 'console') {
    await writeBlock(block, sandbox);
    return [];
  }
  const found: Difference[] = [];
  for (const step of block.steps) found.push(...(await differenceIn(step, block, sandbox)));
  return found;
}

async function differenceIn(step: Step, block: ConsoleBlock, sandbox: Sandbox): Promise<readonly Difference[]> {
  const screen = await screenOf(step, block, sandbox);
  return screen === undefined ? [] : [{ step, screen }];
}

/** Nothing where it is as the document shows it. */
async function screenOf(step: Step, block: ConsoleBlock, sandbox: Sandbox): Promise<readonly string[] | undefined> {
  const { command, shown } = step;
  if (command === STOP) {
    await sandbox.shell.stop();
    return undefined;
  }
  if (command === undefined || block.isBackground) return runningScreen(command, shown, sandbox);
  const { screen, code } = await answered(command, shown, sandbox);
  if (code !== 0 && shown.length === 0 && screen.length === 0) return [`(nothing, and it ends with ${code})`];
  return shows(shown, screen) ? undefined : screen;
}

/** A question is asked again for a while: what it asks may be on its way, as after a change that `kiln dev` follows. */
async function answered(command: string, shown: readonly string[], sandbox: Sandbox) {
  const end = Date.now() + (isQuestion(command) ? DRAFT : 0);
  for (;;) {
    const { text, code } = await sandbox.shell.run(sandbox.names.here(command));
    const screen = screenFrom(text, sandbox);
    if (Date.now() > end || shows(shown, screen)) return { screen, code };
    await sleep(200);
  }
}

function isQuestion(command: string): boolean {
  return /^curl (?!.*(-X|-d|--json))/.test(command);
}

async function runningScreen(command: string | undefined, shown: readonly string[], { shell, names }: Sandbox) {
  if (command !== undefined) await shell.start(names.here(command));
  const screen = (text: string) => screenFrom(text, { names });
  const heard = screen(
    await shell.heardUntil((text) => beginsWith(shown, screen(text)), shown.length === 0 ? DRAFT : PATIENCE),
  );
  return beginsWith(shown, heard) ? undefined : heard;
}

function screenFrom(text: string, { names }: Pick<Sandbox, 'names'>): readonly string[] {
  const lines = names.told(text).replaceAll('\r', '').split('\n');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1).map((line) => line.trimEnd());
}

async function writeBlock({ kind, path, text }: FileBlock, { shell, names }: Sandbox): Promise<void> {
  const folder = (await shell.run('pwd')).text.trim();
  const file = join(folder, names.here(path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, kind === 'file' ? text : changed(readFileSync(file, 'utf8'), text));
}
