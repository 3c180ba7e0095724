import type { Code } from '../catalogue/catalogue.ts';
import { actionExplanations } from './actions.ts';
import { apiExplanations } from './api.ts';
import { changeExplanations } from './changes.ts';
import { codeExplanations } from './code.ts';
import type { Explanation } from './explanation.ts';
import { expressionExplanations } from './expressions.ts';
import { hookFileExplanations } from './hook-files.ts';
import { modelExplanations } from './models.ts';
import { nameExplanations } from './names.ts';
import { shapeExplanations } from './shapes.ts';
import { syntaxExplanations } from './syntax.ts';

export interface ExplanationGroup {
  readonly title: string;
  readonly explanations: Readonly<Record<string, Explanation>>;
}

/** In the order in which a newcomer meets them. */
export const explanationGroups: readonly ExplanationGroup[] = [
  { title: 'Text that cannot be read', explanations: syntaxExplanations },
  { title: 'Names', explanations: nameExplanations },
  { title: 'Models, members and enums', explanations: modelExplanations },
  { title: 'Expressions and values', explanations: expressionExplanations },
  { title: 'Validators, hooks and runtimes', explanations: codeExplanations },
  { title: 'The files of hooks', explanations: hookFileExplanations },
  { title: 'Shapes', explanations: shapeExplanations },
  { title: 'Entrypoints, endpoints and authentication', explanations: apiExplanations },
  { title: 'Actions and populators', explanations: actionExplanations },
  { title: 'Changes from one release to the next', explanations: changeExplanations },
];

/** Every code that Kiln prints. A code without its explanation does not compile. */
export const explanations = {
  ...syntaxExplanations,
  ...nameExplanations,
  ...modelExplanations,
  ...expressionExplanations,
  ...codeExplanations,
  ...hookFileExplanations,
  ...shapeExplanations,
  ...apiExplanations,
  ...actionExplanations,
  ...changeExplanations,
} satisfies Record<Code, Explanation>;
