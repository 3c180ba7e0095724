/** The colours of Kiln for editors that read TextMate grammars, from the descriptions beside this file. */
import { API_BODIES } from './api-bodies.ts';
import { DECLARATIONS, POPULATOR_BODIES } from './declarations.ts';
import { EXPRESSIONS } from './expressions.ts';
import { MODEL_BODIES } from './model-bodies.ts';
import { block, type Rule } from './rule.ts';
import { STRINGS } from './strings.ts';

interface TextMateGrammar {
  readonly name: string;
  readonly scopeName: string;
  readonly patterns: readonly Rule[];
  readonly repository: Readonly<Record<string, Rule>>;
}

const BODY_RULES: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries({ ...MODEL_BODIES, ...API_BODIES, ...POPULATOR_BODIES }).map(([key, patterns]) => [
    key,
    block(...patterns),
  ]),
);

export const GRAMMAR: TextMateGrammar = {
  name: 'Kiln',
  scopeName: 'source.kiln',
  patterns: DECLARATIONS,
  repository: { ...STRINGS, ...EXPRESSIONS, ...BODY_RULES },
};
