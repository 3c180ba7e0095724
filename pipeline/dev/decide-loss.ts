/**
 * Asks what to do where a change of the sources would lose data. A lost column and a lost database do not look alike:
 * the first is a choice with one letter, the second needs a word that nobody types by accident.
 */

import { createInterface } from 'node:readline';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { ChangeProblem } from '../../compiler/change/problems.ts';
import type { LossQuestion } from '../../runtime/console/live/live-event.ts';
import type { Decision, Loss } from './sync.ts';

export interface Prompt {
  /** Undefined where nobody answers. */
  ask(question: LossQuestion): Promise<string | undefined>;
  /** The place where `was` would be written, such as `app.kiln:3`; undefined where Kiln cannot write it. */
  placeOf(rename: Rename): string | undefined;
  /** Writes `was` into the sources. False where they have changed in the meantime. */
  write(rename: Rename): boolean;
}

/** `was` in a new model, or in a new field or reference of a model. */
export interface Rename {
  readonly model: string;
  /** Absent where the model itself is renamed. */
  readonly member?: string;
  readonly was: string;
}

/** The word that deletes everything. */
export const RESET_WORD = 'reset';

export async function decideLoss({ problems, isEverything }: Loss, prompt: Prompt): Promise<Decision> {
  // Possible renames come first: a rename changes which questions are left.
  const gone = problems
    .flatMap((problem) => vanishedFrom(problem, prompt))
    .sort((a, b) => b.renames.length - a.renames.length);
  for (const each of gone) {
    // If everything is lost anyway, the only question about a single member is whether it was renamed.
    if (isEverything && each.renames.length === 0) continue;
    const decision = await decideVanished(each, isEverything ? reasonIn(problems) : undefined, prompt);
    if (decision !== 'delete') return decision;
  }
  if (!isEverything) return 'delete';
  const answer = await prompt.ask(everythingQuestion('This change deletes ALL ROWS OF ALL TABLES'));
  if (answer === undefined) return 'unanswered';
  return answer === RESET_WORD ? 'delete' : 'cancelled';
}

interface Vanished {
  /** `the field \`Post.title\``. */
  readonly what: string;
  /** `its values`. */
  readonly data: string;
  readonly renames: readonly { readonly rename: Rename; readonly to: string; readonly place: string }[];
}

function vanishedFrom(problem: ChangeProblem, prompt: Prompt): readonly Vanished[] {
  const withPlaces = (renames: readonly Rename[]): Vanished['renames'] =>
    renames.flatMap((rename) => {
      const place = prompt.placeOf(rename);
      return place === undefined ? [] : [{ rename, to: rename.member ?? rename.model, place }];
    });
  switch (problem.code) {
    case 'member-disappeared': {
      const { model, noun, member: was, candidates } = problem.facts;
      const renames = withPlaces(candidates.map((member) => ({ model, member, was })));
      return [{ what: `The ${noun} \`${model}.${was}\``, data: 'its values', renames }];
    }
    case 'model-disappeared': {
      const { model: was, candidates } = problem.facts;
      const renames = withPlaces(candidates.map((model) => ({ model, was })));
      return [{ what: `The model \`${was}\``, data: 'all its records', renames }];
    }
    case 'value-disappeared': {
      const { enum: name, value } = problem.facts;
      return [{ what: `The value \`${value}\` of the enum \`${name}\``, data: 'it', renames: [] }];
    }
    default:
      return [];
  }
}

/** Why the rows that exist cannot be kept, as it goes on behind what is gone. */
function reasonIn(problems: readonly ChangeProblem[]): string {
  const added = problems.find((problem) => problem.code === 'new-required-field');
  if (added?.code !== 'new-required-field') return ', and the rows that exist cannot be kept';
  const { model, field, why } = added.facts;
  const remedy = why === 'nothing' ? 'a `default` or `backfill`' : 'a `backfill`';
  return `. \`${model}.${field}\` is new and required: without ${remedy} of it, the rows that exist cannot be kept`;
}

/** `lost` is why all rows would be, if they would. */
async function decideVanished(gone: Vanished, lost: string | undefined, prompt: Prompt): Promise<Decision> {
  const answer = await prompt.ask(questionAbout(gone, lost));
  if (answer === undefined) return 'unanswered';
  if (/^d(elete)?$/i.test(answer)) return 'delete';
  const chosen = /^\d+$/.test(answer) ? gone.renames[Number(answer) - 1] : undefined;
  if (!chosen) return 'cancelled';
  return prompt.write(chosen.rename) ? 'sources-changed' : 'cancelled';
}

function questionAbout({ what, data, renames }: Vanished, lost: string | undefined): LossQuestion {
  const deleted = data === 'it' ? 'delete it' : `delete it with ${data}`;
  const choices = [
    ...renames.map(({ rename, to, place }, index) => ({
      answer: `${index + 1}`,
      says: `rename it to \`${to}\` and keep ${data}: Kiln writes \`was ${rename.was}\` at ${place}`,
    })),
    {
      answer: 'd',
      says: lost ? 'delete it, and all rows of all tables: the next question asks for a word first' : deleted,
    },
    { answer: 'c', says: 'cancel: nothing is changed' },
  ];
  return { text: `${what} is gone${lost ?? ''}. What now?`, choices };
}

export function everythingQuestion(loss: string): LossQuestion {
  return { text: `${loss}. It cannot be undone.`, choices: [], word: RESET_WORD };
}

/** The question as the terminal asks it. The last answer is the usual one. */
export function questionText({ text, choices, word }: LossQuestion): string {
  if (word !== undefined) return `\n!! ${text} !!\nType "${word}" to do it; anything else cancels: `;
  const lines = choices.map(({ answer, says }) => `  ${answer}  ${says}`);
  const keys = choices.map(({ answer }, at) => (at === choices.length - 1 ? answer.toUpperCase() : answer));
  return `\n${text}\n${lines.join('\n')}\n[${keys.join('/')}] `;
}

// ── Loss text ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Problems of a change as they are shown, with the sources that they are about. */
export type ProblemsText = (problems: readonly ChangeProblem[]) => string;

/** Describes the loss, and what to do about it. */
export function lossText({ problems, isEverything }: Loss, problemsText: ProblemsText): string {
  const mayBeRename = problems.some(({ facts }) => 'candidates' in facts && facts.candidates.length > 0);
  const end = isEverything
    ? `${mayBeRename ? 'Unless this is a rename, the' : 'The'} rows that exist cannot be kept: all tables would be deleted and made again, without any row.`
    : 'What has disappeared would be deleted with its data; everything else is kept.';
  return `The sources have changed from what the development database has:\n\n${problemsText(problems)}\n${end}`;
}

// ── Ask ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How long what was typed before a question is read and dropped. */
const DROP_MS = 50;

/** Asks a question in the terminal; undefined where nobody can answer: without a terminal, or when `signal` fires. */
export async function answerTo(question: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || signal?.aborted) return undefined;
  // The terminal keeps what was typed before anybody could read the question; in raw mode, a line without Enter is read
  // too, and Ctrl-C is a character. Node runs a late timer before it reads input, and `setImmediate` after that.
  const drop = (typed: Buffer) => typed.includes('\u0003') && process.kill(process.pid, 'SIGINT');
  process.stdin.setRawMode(true).on('data', drop).resume();
  await pause(DROP_MS).then(() => setImmediate());
  process.stdin.off('data', drop);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve) => {
      // Ctrl-D says no. So does Ctrl-C, which also ends the command: the terminal sends no signal while it reads.
      terminal.once('close', () => resolve(''));
      terminal.once('SIGINT', () => {
        resolve('');
        process.kill(process.pid, 'SIGINT');
      });
      signal?.addEventListener('abort', () => {
        process.stdout.write('\n');
        resolve(undefined);
      });
      if (signal?.aborted) resolve(undefined);
      else terminal.question(question, (answer) => resolve(answer.trim()));
    });
  } finally {
    terminal.close();
  }
}
