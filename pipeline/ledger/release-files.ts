/** The files of a release, and the one of them that the ledger itself reads. */
import { type ArtifactName, artifactNames } from '../../compiler/definition/artifacts.ts';
import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import type { Release } from '../../compiler/definition/migration.ts';
import { LedgerRefusal } from './ledger-reference.ts';
import { isShaped, isText, jsonFrom, listOf, oneOf, optional, shapedFrom } from './shapes.ts';

export type ReleaseFile = ArtifactName<'ledger'>;

export const RELEASE_FILES: readonly ReleaseFile[] = artifactNames('ledger');

export type ReleaseTexts = Readonly<Record<ReleaseFile, string>>;

/** Parses `migration.json`; undefined where it does not have the shape of a release. */
export function releaseFromText(text: string): Release | undefined {
  return shapedFrom(text, isRelease);
}

/** It has the form of a release, with steps that are not known here. */
export function isOfNewerKiln(text: string): boolean {
  const steps = allSteps((jsonFrom(text) ?? {}) as Parts);
  return steps.some(({ kind }) => typeof kind === 'string' && !oneOf(...STEP_KINDS)(kind));
}

/** Collects the steps of a release or of a part of it: those of every path to it, and those that undo others. */
function allSteps({ steps, contract, withdraws, undo }: Parts): readonly Parts[] {
  const undone = partsOf(undo).flatMap((each) => partsOf(each.steps));
  return [...partsOf(steps), ...partsOf(contract), ...[...partsOf(withdraws), ...undone].flatMap(allSteps)];
}

type Parts = Readonly<Record<string, unknown>>;

function partsOf(value: unknown): readonly Parts[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  return parts.filter((part): part is Parts => typeof part === 'object' && part !== null);
}

const STEP_KINDS = ['transaction', 'index', 'backfill'] as const satisfies Release['steps'][number]['kind'][];
const areSteps = listOf(isShaped({ kind: oneOf(...STEP_KINDS) }));
const isUndo = isShaped({ revision: isText, steps: listOf(isShaped({ steps: areSteps })) });
const isWithdrawal = isShaped({ revision: isText, steps: areSteps, contract: areSteps, undo: listOf(isUndo) });

const isRelease = isShaped({
  revision: isText,
  fingerprint: isText,
  steps: areSteps,
  beside: optional(isText),
  contract: optional(areSteps),
  withdraws: optional(listOf(isWithdrawal)),
});

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
