import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import { LedgerRefusal } from './ledger-refusal.ts';

/** What a release or an image has as its `definition.json`. `what` is for the sentence: `release 3`. */
export function recordedDefinition(text: string, what: string): Definition {
  const definition = JSON.parse(text) as Definition;
  const version: number = definition.version;
  if (version === DEFINITION_VERSION) return definition;
  const known = `its definition has version ${version}, and this Kiln reads version ${DEFINITION_VERSION}`;
  throw new LedgerRefusal('newer', `${what} was made by a newer Kiln: ${known}; update Kiln`);
}
