/** The files of a release, and the one of them that the ledger itself reads. */
import { type ArtifactName, artifactNames } from '../../compiler/definition/artifacts.ts';
import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import type { Release } from '../../compiler/definition/migration.ts';
import { LedgerRefusal } from './ledger-reference.ts';

export type ReleaseFile = ArtifactName<'ledger'>;

export const RELEASE_FILES: readonly ReleaseFile[] = artifactNames('ledger');

export type ReleaseTexts = Readonly<Record<ReleaseFile, string>>;

/** Parses `migration.json`; undefined where it does not have the shape of a release. */
export function releaseFromText(text: string): Release | undefined {
  const value = jsonFrom(text);
  return isRelease(value) ? value : undefined;
}

/** Parses JSON; undefined where the text is not JSON. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** It has the form of a release, with steps that are not known here. */
export function isOfNewerKiln(text: string): boolean {
  const steps = allSteps((jsonFrom(text) ?? {}) as Parts);
  return steps.some(({ kind }) => typeof kind === 'string' && !STEP_KINDS.has(kind));
}

/** Collects the steps of a release or of a part of it: those of every path to it, and those that undo others. */
function allSteps({ steps, contract, withdraws, undo }: Parts): readonly Parts[] {
  const undone = partsOf(undo).flatMap((each) => partsOf(each.steps));
  const inner = [...partsOf(withdraws), ...undone].flatMap(allSteps);
  return [...partsOf(steps), ...partsOf(contract), ...inner];
}

type Parts = Readonly<Record<string, unknown>>;

function partsOf(value: unknown): readonly Parts[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  return parts.filter((part): part is Parts => typeof part === 'object' && part !== null);
}

const STEP_KINDS: ReadonlySet<unknown> = new Set(['transaction', 'index', 'backfill'] satisfies StepKind[]);
type StepKind = Release['steps'][number]['kind'];

function isRelease(value: unknown): value is Release {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, fingerprint, steps, beside, contract = [], withdraws = [] } = value as Record<string, unknown>;
  const texts = [revision, fingerprint, ...(beside === undefined ? [] : [beside])];
  const isWhole = texts.every((text) => typeof text === 'string') && areSteps(steps) && areSteps(contract);
  return isWhole && isListOf(withdraws, isWithdrawal);
}

function isWithdrawal(value: unknown): boolean {
  const { revision, steps, contract, undo } = (value ?? {}) as Record<string, unknown>;
  return typeof revision === 'string' && areSteps(steps) && areSteps(contract) && isListOf(undo, isUndo);
}

function isUndo(value: unknown): boolean {
  const { revision, steps } = (value ?? {}) as Record<string, unknown>;
  return typeof revision === 'string' && isListOf(steps, (step) => areSteps((step as Parts | null)?.steps));
}

function areSteps(value: unknown): boolean {
  return isListOf(value, isStep);
}

function isListOf(value: unknown, isOne: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isStep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && STEP_KINDS.has(value.kind);
}

/** Parses the `definition.json` of a release or an image. `what` is for the message: `release 3`. */
export function recordedDefinition(text: string, what: string): Definition {
  const definition = jsonFrom(text);
  const { version } = (definition ?? {}) as Parts;
  if (version === DEFINITION_VERSION) return definition as Definition;
  if (typeof version !== 'number')
    throw new LedgerRefusal('damaged', `${what} has a \`definition.json\` that is not a definition`);
  const known = `its definition has version ${version}, and this Kiln reads version ${DEFINITION_VERSION}`;
  throw new LedgerRefusal('newer', `${what} was made by a newer Kiln: ${known}; update Kiln`);
}
