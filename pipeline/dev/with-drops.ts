import type { ChangeProblem } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';

/** The same definition, but with everything that disappeared said to be dropped. */
export function withDrops(definition: Definition, problems: readonly ChangeProblem[]): Definition {
  const models = problems.flatMap((problem) => (problem.code === 'model-disappeared' ? [problem.facts.model] : []));
  const membersOf = (model: string) =>
    problems.flatMap((problem) =>
      problem.code === 'member-disappeared' && problem.facts.model === model ? [problem.facts.member] : [],
    );
  const valuesOf = (name: string) =>
    problems.flatMap((problem) =>
      problem.code === 'value-disappeared' && problem.facts.enum === name ? [problem.facts.value] : [],
    );
  return {
    ...definition,
    droppedModels: [...definition.droppedModels, ...models],
    models: definition.models.map((model) => ({ ...model, drops: [...model.drops, ...membersOf(model.name)] })),
    enums: definition.enums.map((type) => ({ ...type, drops: [...type.drops, ...valuesOf(type.name)] })),
  };
}
