/** What is to be done to a database, in order. The same plan is carried out, or only told by a dry run. */
import type { Release, ReleaseChain } from '../../compiler/definition/migration.ts';
import { type Contraction, contractionAfter } from './contraction.ts';
import type { ReleaseState } from './release-state.ts';

export type Deed =
  /** Makes all of an empty database. `partsDone` are those of a run before this one. */
  | { readonly kind: 'schema'; readonly partsDone: number }
  | ReleaseDeed
  | { readonly kind: 'contract'; readonly contraction: Contraction };

export interface ReleaseDeed {
  readonly kind: 'release';
  readonly position: number;
  readonly release: Release;
  /** By a run before this one, and what they have taken. */
  readonly stepsDone: number;
  readonly milliseconds: number;
}

export interface Plan {
  readonly deeds: readonly Deed[];
  /** What stays to be contracted after that. */
  readonly pending: Contraction | null;
}

/** A contraction is due when the next release comes, or when it is asked for. One that has begun is completed. */
export function planFor(chain: ReleaseChain, state: ReleaseState, isContracting: boolean): Plan {
  if (state.kind === 'empty') return { deeds: [{ kind: 'schema', partsDone: state.partsDone }], pending: null };
  const deeds = allDeeds(chain, state);
  const last = deeds.at(-1);
  const isPending = last?.kind === 'contract' && !isContracting && last.contraction.stepsDone === 0;
  return isPending ? { deeds: deeds.slice(0, -1), pending: last.contraction } : { deeds, pending: null };
}

function allDeeds({ releases }: ReleaseChain, state: ReleaseState): readonly Deed[] {
  if (state.kind === 'current') return contractionOf(state.contraction);
  if (state.kind !== 'behind') return [];
  const { releasesDone, stepsDone, milliseconds, contraction } = state;
  const later = releases.slice(releasesDone).flatMap((release, index): readonly Deed[] => {
    const position = releasesDone + index + 1;
    const before = index === 0 ? { stepsDone, milliseconds } : { stepsDone: 0, milliseconds: 0 };
    return [{ kind: 'release', position, release, ...before }, ...contractionOf(contractionAfter(position, release))];
  });
  return [...contractionOf(contraction), ...later];
}

function contractionOf(contraction: Contraction | null): readonly Deed[] {
  return contraction ? [{ kind: 'contract', contraction }] : [];
}
