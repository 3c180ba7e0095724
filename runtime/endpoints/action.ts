/** The actions of an endpoint, compiled once. Each does its part with what the actions before it have left. */
import type { Action } from '../../compiler/definition/definition.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { createAction } from './create-action.ts';
import { deleteAction } from './delete-action.ts';
import { executeAction } from './execute-action.ts';
import { queryAction } from './query-action.ts';
import { respondAction } from './respond-action.ts';
import { updateAction } from './update-action.ts';
import { validateAction } from './validate-action.ts';

export function runAction(action: Action, tools: ActionTools): RunAction {
  switch (action.kind) {
    case 'create':
      return createAction(action, tools);
    case 'update':
      return updateAction(action, tools);
    case 'delete':
      return deleteAction(action, tools);
    case 'query':
      return queryAction(action, tools);
    case 'execute':
      return executeAction(action, tools);
    case 'respond':
      return respondAction(action, tools);
    case 'validate':
      return validateAction(action, tools);
  }
}
