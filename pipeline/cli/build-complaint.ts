import { BuildRefusal } from '../bake/build-refusal.ts';
import { GitRefusal } from '../git/git-refusal.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { LedgerRefusal } from '../ledger/ledger-refusal.ts';
import type { ExitCode } from './exit-code.ts';
import { pointToExplanation, refuse, tellPainted } from './terminal.ts';

const REFUSALS = [BuildRefusal, GitRefusal, ImageRefusal, LedgerRefusal];

/** Says what was refused; anything else is thrown on. */
export function complainOf(error: unknown): ExitCode {
  if (!REFUSALS.some((kind) => error instanceof kind)) throw error;
  if (error instanceof BuildRefusal && error.shown !== '') tellPainted(error.shown.trimEnd());
  if (error instanceof BuildRefusal) pointToExplanation(/^error\[([a-z-]+)\]/m.exec(error.shown)?.[1]);
  return refuse((error as Error).message.replace(/\.$/, ''));
}
