import type { StepPosition } from './events.ts';

/** Steps of the contraction are counted by themselves. */
export function stepText({ step, phase }: Pick<StepPosition, 'step' | 'phase'>): string {
  return phase === 'contract' ? `contraction step ${step}` : `step ${step}`;
}
