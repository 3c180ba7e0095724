import { BuildRefusal } from '../bake/build-names.ts';
import { GitRefusal } from '../git/run-git.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { PushRefusal } from '../push/settings.ts';
import { SmokeFailure } from '../smoke/deadline.ts';
import { complain, EXIT, type ExitCode, note, pointToExplanation, refuse, tellPainted } from './terminal.ts';

const REFUSALS = [BuildRefusal, GitRefusal, ImageRefusal, LedgerRefusal, PushRefusal];

/** Says what was refused, or failed its test; anything else is thrown on. */
export function complainOf(error: unknown, signal?: AbortSignal): ExitCode {
  if (signal?.aborted) return refuse('it was cancelled');
  if (error instanceof SmokeFailure) return complainOfTest(error);
  if (!REFUSALS.some((kind) => error instanceof kind)) throw error;
  if (error instanceof BuildRefusal && error.shown !== '') tellPainted(error.shown.trimEnd());
  if (error instanceof BuildRefusal) pointToExplanation(/^error\[([a-z-]+)\]/m.exec(error.shown)?.[1]);
  return refuse((error as Error).message.replace(/\.$/, ''));
}

function complainOfTest({ message }: SmokeFailure): ExitCode {
  const [sentence = '', ...log] = message.split('\n');
  complain(sentence.replace(/\.$/, ''));
  for (const line of log) note(line);
  return EXIT.errors;
}
