import type { Words } from '../words/words.ts';
import { accessWords } from './access.ts';
import { actionWords } from './actions.ts';
import { apiWords } from './api.ts';
import { changeWords } from './changes.ts';
import { codeWords } from './code.ts';
import { expressionWords } from './expressions.ts';
import { modelWords } from './models.ts';
import { nameWords } from './names.ts';
import { shapeWords } from './shapes.ts';
import { syntaxWords } from './syntax.ts';
import { workWords } from './work.ts';

/**
 * Every code that Kiln knows, with the facts it carries and the words it says.
 * Codes are stable and never used again for something else.
 */
export const catalogue = {
  ...syntaxWords,
  ...nameWords,
  ...modelWords,
  ...expressionWords,
  ...codeWords,
  ...shapeWords,
  ...apiWords,
  ...accessWords,
  ...actionWords,
  ...workWords,
  ...changeWords,
} satisfies Record<string, (facts: never) => Words>;

type Catalogue = typeof catalogue;

export type Code = keyof Catalogue;

export type Facts<C extends Code = Code> = Parameters<Catalogue[C]>[0];
