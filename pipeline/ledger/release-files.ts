/** The files of a release, and the one of them that the ledger itself reads. */
import { type ArtifactName, artifactNames } from '../../compiler/definition/artifacts.ts';
import type { Release } from '../../compiler/definition/migration.ts';

export type ReleaseFile = ArtifactName<'ledger'>;

export const RELEASE_FILES: readonly ReleaseFile[] = artifactNames('ledger');

export type ReleaseTexts = Readonly<Record<ReleaseFile, string>>;

/** What `migration.json` says; nothing where it does not have the shape of a release. */
export function releaseFromText(text: string): Release | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRelease(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** It has the form of a release, with steps that are not known here. */
export function isOfNewerKiln(text: string): boolean {
  try {
    const { steps } = JSON.parse(text) as { readonly steps?: unknown };
    return Array.isArray(steps) && steps.some((step) => typeof step?.kind === 'string' && !STEP_KINDS.has(step.kind));
  } catch {
    return false;
  }
}

const STEP_KINDS: ReadonlySet<unknown> = new Set(['transaction', 'index', 'backfill'] satisfies StepKind[]);
type StepKind = Release['steps'][number]['kind'];

function isRelease(value: unknown): value is Release {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, fingerprint, steps, beside, contract = [], withdraws = [] } = value as Record<string, unknown>;
  const texts = [revision, fingerprint, ...(beside === undefined ? [] : [beside])];
  const isWhole = texts.every((text) => typeof text === 'string') && areSteps(steps) && areSteps(contract);
  return isWhole && Array.isArray(withdraws) && withdraws.every(isWithdrawal);
}

function isWithdrawal(value: unknown): boolean {
  const { revision, steps, contract, undo } = (value ?? {}) as Record<string, unknown>;
  return typeof revision === 'string' && areSteps(steps) && areSteps(contract) && Array.isArray(undo);
}

function areSteps(value: unknown): boolean {
  return Array.isArray(value) && value.every(isStep);
}

function isStep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && STEP_KINDS.has(value.kind);
}
