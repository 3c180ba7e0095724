/** The values that a create stores. */
import type { Model } from '../../compiler/definition/definition.ts';
import type { Create } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import type { WrittenValue } from '../query/writes.ts';
import { uuidV7 } from '../values/uuid.ts';
import type { ActionTools } from './action-tools.ts';
import { assignedValue, fieldOf } from './assigned-values.ts';

interface ValueField {
  readonly field: string;
  readonly value: WrittenValue;
}

/** With an id where the server makes it. */
export function fieldsOf(action: Create, tools: ActionTools): readonly ValueField[] {
  const fields = action.values.map(({ field, value }) => ({ field, value: writtenValue(field, value, action, tools) }));
  return hasUuid(tools.model(action.model)) ? [...fields, { field: 'id', value: NEW_ID }] : fields;
}

export function writtenValue(field: string, value: Expression, action: Create, tools: ActionTools): WrittenValue {
  const model = tools.model(action.model);
  return assignedValue(value, fieldOf(model, field), model, tools.environment);
}

const NEW_ID: WrittenValue = { isAsync: false, run: uuidV7 };

function hasUuid({ fields }: Model): boolean {
  return fields.some(({ name, type }) => name === 'id' && type.kind === 'uuid');
}
