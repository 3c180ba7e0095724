import type { StepPosition } from './events.ts';

/** Steps of a contraction and of a withdrawal are counted by themselves. */
export function stepText({ step, phase }: Pick<StepPosition, 'step' | 'phase'>): string {
  return `${phase ? WORDS[phase] : ''}step ${step}`;
}

const WORDS = { contract: 'contraction ', withdraw: 'withdrawal ' } as const;
