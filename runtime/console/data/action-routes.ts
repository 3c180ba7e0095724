/** Filling and emptying the development database from the console. One such action runs at a time. */
import { literalPath } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Answer, Route } from '../../request/exchange.ts';
import type { ActionProgress, ConsoleActions } from '../api/console-options.ts';
import type { ActionState } from './data-forms.ts';
import { json, type MakeRoute, NO_CONTENT } from './data-route.ts';

type Report = (progress: ActionProgress) => void;

export function actionRoutes({ populators }: Definition, actions: ConsoleActions, route: MakeRoute): readonly Route[] {
  return [
    route('GET', literalPath('action'), async () => json(STATES.get(actions) ?? IDLE)),
    route('POST', literalPath('populate'), async (exchange) => {
      const { populator } = await exchange.readBody();
      const found = populators.find(({ name }) => name === populator);
      if (!found) throw new ApiError('not-found', { detail: 'There is no populator with this name.' });
      const { signal } = exchange;
      return alone(actions, `populate ${found.name}`, (report) => actions.populate(found.name, report, signal));
    }),
    route('POST', literalPath('reset'), ({ signal }) => alone(actions, 'reset', () => actions.reset(signal))),
  ];
}

const IDLE: ActionState = { running: null, progress: null };

/** Not of the routes: they are made again with every change of the sources, also while an action runs. */
const STATES = new WeakMap<ConsoleActions, ActionState>();

async function alone(
  actions: ConsoleActions,
  running: string,
  run: (report: Report) => Promise<void>,
): Promise<Answer> {
  const before = STATES.get(actions)?.running;
  if (before) throw new ApiError('conflict', { detail: `\`${before}\` is still running. Wait until it is done.` });
  STATES.set(actions, { running, progress: null });
  try {
    await run((progress) => void STATES.set(actions, { running, progress }));
  } catch (cause) {
    throw new ApiError('conflict', { detail: sentenceFrom(cause), cause });
  } finally {
    STATES.delete(actions);
  }
  return NO_CONTENT;
}

function sentenceFrom(error: unknown): string {
  const message = error instanceof Error ? error.message : 'the action failed';
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
