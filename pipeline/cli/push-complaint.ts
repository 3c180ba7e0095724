import { PushRefusal } from '../push/push-refusal.ts';
import { SmokeFailure } from '../smoke/smoke-failure.ts';
import { complainOf } from './build-complaint.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { complain, note, refuse } from './terminal.ts';

/** Says what was refused, or failed its test; anything else is thrown on. */
export function complainOfPush(error: unknown, signal?: AbortSignal): ExitCode {
  if (signal?.aborted) return refuse('it was cancelled');
  if (error instanceof PushRefusal) return refuse(error.message);
  if (!(error instanceof SmokeFailure)) return complainOf(error);
  const [sentence = '', ...log] = error.message.split('\n');
  complain(sentence.replace(/\.$/, ''));
  for (const line of log) note(line);
  return EXIT.errors;
}
