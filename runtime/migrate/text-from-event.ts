/** Events as lines for people. Those of a dry run are SQL, in which all else is a comment. */
import type {
  BatchEvent,
  BlockedEvent,
  DoneEvent,
  IndexEvent,
  MigrateEvent,
  Place,
  RefusedEvent,
  StartEvent,
} from './events.ts';
import { sessionText } from './lock-attempts.ts';
import { short } from './release-state.ts';
import { sqlFromEvent } from './sql-from-event.ts';

export function textFromEvent(event: MigrateEvent): readonly string[] {
  switch (event.kind) {
    case 'start':
      return [startText(event)];
    case 'waiting-for-postgres':
      return [
        `Postgres at ${event.server} does not answer yet. Waiting for it, for up to ${event.milliseconds / 1000} s.`,
      ];
    case 'waiting-for-lock':
      return [`Another migration is at work${event.holder ? `: ${sessionText(event.holder)}` : ''}. Waiting for it.`];
    case 'release':
      return [`Release ${event.position} of ${event.of} (${short(event.revision)})${resumedText(event.stepsDone)}`];
    case 'step':
      return [];
    case 'statement':
      return [`  ${placeText(event)} ${event.says}: ${event.milliseconds} ms`];
    case 'blocked':
      return [`  ${blockedText(event)}`];
    case 'batch':
      return [`  ${placeText(event)} ${batchText(event)}`];
    case 'index':
      return [`  ${indexText(event)}`];
    case 'release-done':
      return [`Release ${event.position} is applied: ${event.milliseconds} ms`];
    case 'warning':
      return [`Warning: ${event.message}`];
    case 'would-run':
      return sqlFromEvent(event);
    case 'done':
      return [doneText(event)];
    case 'refused':
      return refusedText(event);
  }
}

function startText({ database, at, of }: StartEvent): string {
  if (at === null) return `The database "${database}" is empty.`;
  return `The database "${database}" is at release ${at} of ${of}.`;
}

function resumedText(stepsDone: number): string {
  return stepsDone === 0 ? '' : `, going on after step ${stepsDone}`;
}

function placeText({ step, steps }: Place): string {
  return `[${step}/${steps}]`;
}

function blockedText({ what, attempt, attempts, pause, blockers }: BlockedEvent): string {
  const by = blockers.length > 0 ? ` Held up by ${blockers.map(sessionText).join(', ')}.` : '';
  return `No lock to ${what}, attempt ${attempt} of ${attempts}.${by} Again in ${pause} ms.`;
}

function batchText({ table, column, rows, estimate, rowsPerSecond, isLast }: BatchEvent): string {
  const of = estimate === null || isLast ? '' : ` of about ${Math.max(estimate, rows)}`;
  return `${isLast ? 'filled' : 'filling'} "${table}.${column}": ${rows}${of} rows, ${rowsPerSecond} a second`;
}

function indexText({ name, phase, share }: IndexEvent): string {
  return `"${name}": ${phase}${share === null ? '' : `, ${Math.floor(share * 100)} %`}`;
}

function doneText({ isDryRun, applied, position, revision, milliseconds }: DoneEvent): string {
  const at = `release ${position} (${short(revision)})`;
  if (isDryRun) return applied.length === 0 ? `-- Nothing to do: the database is at ${at}.` : `-- Then it is at ${at}.`;
  if (applied.length === 0) return `Nothing to do: the database is at ${at}.`;
  return `Done: the database is at ${at}, after ${milliseconds} ms.`;
}

function refusedText({ reason, message, details, failure }: RefusedEvent): readonly string[] {
  const where = failure ? ` Release ${failure.position} (${short(failure.revision)}), step ${failure.step}.` : '';
  return [`Refused (${reason}): ${message}${where}`, ...details.map((detail) => `  ${detail}`)];
}
